"""The form "dfstrans" of a trained Transformer: docs/model.md, "DFStrans"."""
from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from ._model_attention import Context, FeedForward, InputPosition, SelfAttention
from ._model_parts import Differences, filled_to
from ._model_positions import Steps, steps_of


class Stage(nn.Module):
    """Convolution, the greatest of two samples, ReLU and batch norm, for each sensor apart: x [B S, C columns, samples]."""

    def __init__(self, config, arrays, number):
        super().__init__()
        name = f"sensors.{number}."
        sensors, filters, size = arrays.arrays[name + "convolution.weight"].shape
        columns, taps = size // config["kernel"], config["kernel"]
        self.convolution = arrays.made(
            nn.Conv1d, name + "convolution", sensors * columns, sensors * filters, taps, padding=taps // 2, groups=sensors,
            change=lambda weight: weight.view(sensors * filters, taps, columns).transpose(1, 2))
        self.norm = arrays.made(nn.BatchNorm1d, name + "norm", sensors * filters, change=torch.flatten)
        self.norm.running_mean = arrays.tensor(name + "norm.mean").flatten()
        self.norm.running_var = arrays.tensor(name + "norm.variance").flatten()

    def forward(self, x):
        return self.norm(functional.relu(functional.max_pool1d(self.convolution(x), 2)))


class Branch(nn.Module):
    """norm(h + out(attention(h))): over the steps of each sensor, or over the sensors of each step"""

    def __init__(self, config, arrays, name, layer=None, steps=0):
        super().__init__()
        self.attention = SelfAttention(config, arrays, name + ".", layer, steps)
        self.out, self.norm = arrays.affine(name + ".out"), arrays.layer_norm(name + ".norm")
        self.dropout = nn.Dropout(config["dropout"])

    def forward(self, h, context):
        return self.norm(h + self.dropout(self.out(self.attention(h, context))))


class Dfstrans(nn.Module):
    """Windows -> [B, outputs]"""

    def __init__(self, config, arrays):
        super().__init__()
        self.config = config
        self.steps = -(-config["length"] // config["segment"])
        self.differences = Differences(arrays, config.get("differences", 0))
        self.stages = nn.ModuleList(Stage(config, arrays, i) for i in range(config["stages"]))
        self.position = InputPosition(config, arrays, self.steps)
        self.temporal = Branch(config, arrays, "temporal", "layers.0.attention.", self.steps)
        self.spatial = Branch(config, arrays, "spatial")
        self.feed_forward = FeedForward(config, arrays, "feed_forward.", inner=False)
        self.norm = arrays.layer_norm("feed_forward.norm")
        self.hidden, self.out = arrays.affine("head.hidden"), arrays.affine("head.out")
        self.dropout = nn.Dropout(config["dropout"])

    def sensor_steps(self, windows):
        """[B, C, S, d]: the segments of each sensor as steps"""
        segment, sensors = self.config["segment"], self.config["channels"]
        x = filled_to(windows.values, self.steps * segment).transpose(1, 2).unsqueeze(-1)  # [B, C, T, 1]
        valid = filled_to(windows.valid, self.steps * segment)[:, None, :, None]
        x = self.differences(x, valid).unflatten(2, (self.steps, segment))  # [B, C, S, segment, columns]
        x = x.permute(0, 2, 1, 4, 3).flatten(2, 3).flatten(0, 1)  # [B S, C columns, segment]
        for stage in self.stages:
            x = stage(x)
        x = x.unflatten(1, (sensors, -1)).unflatten(0, (-1, self.steps))  # [B, S, C, filters, samples]
        return x.permute(0, 2, 1, 4, 3).flatten(3)

    def forward(self, windows):
        valid, at = steps_of(self.config, windows, self.config["segment"])
        steps = Steps(valid.unsqueeze(1), None if at is None else at.unsqueeze(1))  # for every sensor
        h, context = self.position(self.sensor_steps(windows), steps)
        moments = h.transpose(1, 2)  # [B, S, C, d]
        everywhere = Context(Steps(torch.ones_like(moments[..., 0], dtype=torch.bool), None))
        z = self.temporal(h, context) + self.spatial(moments, everywhere).transpose(1, 2)
        z = self.norm(z + self.feed_forward(z))
        means = (z * valid[:, None, :, None]).sum(2) / valid.sum(1).clamp(min=1)[:, None, None]  # [B, C, d]
        return self.out(self.dropout(functional.relu(self.hidden(means.flatten(1)))))
