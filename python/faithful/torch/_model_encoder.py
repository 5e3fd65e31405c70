"""The form "encoder" of a trained Transformer: docs/model.md, "The form encoder"."""
from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from ._model_attention import FeedForward, InputPosition, SelfAttention
from ._model_parts import Differences, Stem, along_time, averaged, filled_to
from ._model_positions import steps_of


class Layer(nn.Module):
    """One layer: post- or pre-norm, or bare attention."""

    def __init__(self, config, arrays, number, steps):
        super().__init__()
        name = f"layers.{number}."
        inner = name + "attention."
        self.block = config["block"]
        self.attention = SelfAttention(config, arrays, inner, inner, steps)
        if self.block != "bare":
            self.out = arrays.affine(inner + "out")
            self.norm1, self.norm2 = arrays.layer_norm(name + "norm1"), arrays.layer_norm(name + "norm2")
            self.feed_forward = FeedForward(config, arrays, name + "feed_forward.")
            self.dropout = nn.Dropout(config["dropout"])

    def attended(self, h, context):
        return self.dropout(self.out(self.attention(h, context)))

    def forward(self, h, context):
        if self.block == "bare":
            return self.attention(h, context)
        if self.block == "post":
            h = self.norm1(h + self.attended(h, context))
            return self.norm2(h + self.feed_forward(h))
        h = h + self.attended(self.norm1(h), context)
        return h + self.feed_forward(self.norm2(h))


class Encoder(nn.Module):
    """Windows -> [B, outputs]"""

    def __init__(self, config, arrays):
        super().__init__()
        self.config, self.average = config, config.get("average", 1)
        self.count = config["segment"] * self.average  # samples of a step
        self.steps = -(-config["length"] // self.count)
        columns = config["channels"] * (1 + config.get("differences", 0))
        self.differences = Differences(arrays, config.get("differences", 0))
        self.stem = Stem(config, arrays, columns) if config.get("branches", 0) else None
        convolves = self.stem is None and config["filters"] > 0
        self.convolution = arrays.convolution("convolution", columns) if convolves else None
        self.embedding = arrays.affine("embedding")
        self.position = InputPosition(config, arrays, self.steps)
        self.token = arrays.parameter("token") if config["pooling"] == "token" else None
        self.layers = nn.ModuleList(Layer(config, arrays, i, self.steps) for i in range(config["layers"]))
        self.norm = arrays.layer_norm("norm") if config["block"] == "pre" else None
        self.pooling = arrays.affine("pooling") if config["pooling"] == "attention" else None
        self.head = arrays.affine("head")
        self.dropout = nn.Dropout(config["dropout"])

    def samples_of(self, windows):
        """[B, S, segment * columns]: the samples of each step side by side"""
        length = self.steps * self.count
        x, valid = averaged(filled_to(windows.values, length), filled_to(windows.valid, length), self.average)
        valid = valid.unsqueeze(-1)
        x = self.differences(x, valid)
        if self.stem is not None:
            x = self.stem(x, valid)
        elif self.convolution is not None:
            x = functional.gelu(along_time(self.convolution, x))
        return x.unflatten(1, (self.steps, -1)).flatten(2)

    def pooled(self, h, valid):
        if self.token is not None:
            return h[:, 0]
        if self.pooling is None:
            return (h * valid.unsqueeze(-1)).sum(1) / valid.sum(1, keepdim=True).clamp(min=1)
        scores = self.pooling(h).masked_fill(~valid.unsqueeze(-1), torch.finfo(h.dtype).min)
        return (scores.softmax(1) * h).sum(1)

    def forward(self, windows):
        steps = steps_of(self.config, windows, self.count)
        h = self.embedding(self.position.append(self.samples_of(windows), steps))
        h, context = self.position(h, steps, self.token is not None)
        h = self.dropout(h)
        if self.token is not None:
            h = torch.cat([self.token.expand(h.shape[0], 1, -1), h], dim=1)
        for layer in self.layers:
            h = layer(h, context)
        if self.norm is not None:
            h = self.norm(h)
        return self.head(self.pooled(h, context.steps.valid))
