"""Trained models as modules of PyTorch: docs/python.md, "A trained model in PyTorch"."""
from __future__ import annotations

import torch
from torch import nn

from .._model import model_of
from .._model_file import file_of
from .._options import found
from ._model_dfstrans import Dfstrans
from ._model_encoder import Encoder
from ._model_parts import Arrays, Windows, filled_to
from ._positions import wide

LEAST = 1e-30  # smaller probabilities of an ensemble count as this


class Linear(nn.Module):
    """A linear model on five numbers of each channel: mean, deviation, least, greatest, last. Windows -> [B, outputs]"""

    def __init__(self, arrays):
        super().__init__()
        self.register_buffer("shift", arrays.tensor("linear.shift"))
        self.register_buffer("factor", arrays.tensor("linear.factor"))
        for end in ("least", "greatest"):  # of each feature; files of earlier versions have no such bounds
            self.register_buffer(end, arrays.tensor(f"linear.{end}") if f"linear.{end}" in arrays else None)
        weights = arrays.tensor("linear.weights")  # [outputs, 5 C + 1]
        self.map = nn.Linear(weights.shape[1] - 1, len(weights), dtype=arrays.dtype)
        self.map.weight = nn.Parameter(weights[:, :-1].contiguous())
        self.map.bias = nn.Parameter(weights[:, -1].clone())

    def forward(self, windows):
        x, valid = windows.values, windows.valid.unsqueeze(-1)
        count = valid.sum(1).clamp(min=1)
        mean = x.sum(1) / count
        deviation = (((x - mean.unsqueeze(1)) ** 2 * valid).sum(1) / count).sqrt()
        least, greatest = (x.masked_fill(~valid, end * torch.inf) for end in (1, -1))
        place = torch.where(valid, torch.arange(x.shape[1], device=x.device)[:, None], 0).amax(1, keepdim=True)
        last = x.gather(1, place.expand(-1, -1, x.shape[-1])).squeeze(1)
        numbers = torch.stack([mean, deviation, least.amin(1), greatest.amax(1), last], dim=-1).flatten(1)
        scaled = (numbers - self.shift) * self.factor
        if self.least is not None:
            scaled = torch.where(scaled.isinf(), scaled, scaled.clamp(self.least, self.greatest))
        return self.map(scaled)


class Ensemble(nn.Module):
    """The weighted mean of the probabilities of its members, as logits [B, K]."""

    def __init__(self, about, arrays):
        super().__init__()
        members = about["members"]
        self.members = nn.ModuleList(network_of(one, arrays.under(f"members.{i}.")) for i, one in enumerate(members))
        self.weights = [one["weight"] for one in members]
        self.temperature = about["temperature"]

    def forward(self, windows):
        mean = sum(weight * both_logits(one(windows)).softmax(-1) for weight, one in zip(self.weights, self.members))
        return mean.clamp(min=LEAST).log() / self.temperature


def network_of(about, arrays):
    """about: {kind of predictor: what the file says of it}"""
    if "kernels" in about:
        raise ValueError("to_torch: expected a Transformer, a linear model or an ensemble of them, found random convolutions "
                         "(kernels), which have no gradients. Train with model=\"encoder\", or call faithful.predict")
    if "ensemble" in about:
        return Ensemble(about["ensemble"], arrays)
    if "linear" in about:
        return Linear(arrays)
    config = about["config"]
    return (Dfstrans if config.get("form") == "dfstrans" else Encoder)(config, arrays)


def refuse_the_rest(file, arrays):
    """An array that no module has taken would make other predictions."""
    rest = [name for name in file.arrays if name not in arrays.taken and name != "seen" and not name.endswith("linear.shape")]
    if rest:
        raise ValueError(f"to_torch: expected arrays that have a place in a module of PyTorch, found {rest[0]}, which has none here")


def both_logits(logits):
    """[B, K]. Two classes have one logit, that of the second; the first has 0."""
    return torch.cat([torch.zeros_like(logits), logits], dim=-1) if logits.shape[-1] == 1 else logits


def since_first(times, mask):
    """[B, S]: from the first sample of each window on"""
    place = torch.where(mask, torch.arange(mask.shape[1], device=mask.device), mask.shape[1] - 1)
    return times - times.gather(1, place.amin(1, keepdim=True))


class Classifier(nn.Module):
    """A trained model. forward(x, mask, times): logits [B, K]; their softmax gives the probabilities of faithful.predict.

    x [B, S, C]: windows, in the units of the data; NaN: a missing value. S is at most `length`; what lacks is padding.
    mask [B, S]: True where there is a sample, False at padding; None: all are there.
    times [B, S]: of the samples, in nanoseconds, int64 or float64. Models with positions="time" need them."""

    def __init__(self, model, *, dtype=None, device=None):
        """model: a Model, a fitted TimeSeriesTransformer or a model file"""
        super().__init__()
        core, dtype = model_of(model), dtype or torch.get_default_dtype()
        file = file_of(core)
        arrays = Arrays(file.arrays, dtype)
        self.classes, self.channels, self.length = list(core.classes), list(core.channels), core.length
        self.by_window = file.metadata["scaler"].get("scaling") == "window"
        self.register_buffer("shift", arrays.tensor("scaler.shift")[0].clone())
        self.register_buffer("factor", arrays.tensor("scaler.factor")[0].clone())
        with torch.random.fork_rng(devices=[]):  # start values, which the arrays replace, draw no random numbers of the caller
            self.network = network_of(file.metadata, arrays)
        refuse_the_rest(file, arrays)
        transformers = [one for one in self.network.modules() if isinstance(one, (Encoder, Dfstrans))]
        self.needs_times = any(one.config["positions"] == "time" for one in transformers)
        self.eval().to(device)

    def forward(self, x, mask=None, times=None):
        self.check(x, mask, times)
        mask = torch.ones_like(x[..., 0], dtype=torch.bool) if mask is None else mask
        values = self.scaled(wide(x), mask).to(self.shift.dtype)
        times = filled_to(since_first(times, mask), self.length) if self.needs_times else None
        return both_logits(self.network(Windows(filled_to(values, self.length), filled_to(mask, self.length), times)))

    def scaled(self, x, mask):
        """In the precision of x, as the library does; 0 where there is no value."""
        there = mask.unsqueeze(-1) & ~x.isnan()
        x = x.masked_fill(~there, 0.0)
        shift, factor = self.shift.to(x.dtype), self.factor.to(x.dtype)
        if self.by_window:
            x, count = x.double(), there.sum(1, keepdim=True).clamp(min=1)
            shift = x.sum(1, keepdim=True) / count
            deviation = (((x - shift) ** 2 * there).sum(1, keepdim=True) / count).sqrt()
            factor = 1 / torch.maximum(deviation, 0.01 / factor)
        return ((x - shift) * factor).masked_fill(~there, 0.0)

    def check(self, x, mask, times):
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"x: expected a tensor, found {found(x)} (torch.from_numpy makes one of an array)")
        if x.dim() != 3 or x.shape[2] != len(self.channels) or not 0 < x.shape[1] <= self.length:
            raise ValueError(f"x: expected shape (B, S, {len(self.channels)}), S from 1 to {self.length} samples, found "
                             f"{tuple(x.shape)}")
        if mask is not None and (mask.dtype != torch.bool or mask.shape != x.shape[:2]):
            raise ValueError(f"mask: expected a boolean mask of shape {tuple(x.shape[:2])}, True where there is a sample, found "
                             f"{mask.dtype} of shape {tuple(mask.shape)}")
        if not self.needs_times:
            return
        if times is None:
            raise ValueError("times: expected the times of the samples, for the positions of this model are times, found None")
        if times.shape != x.shape[:2] or times.dtype not in (torch.int64, torch.float64):
            raise ValueError(f"times: expected nanoseconds as int64 or float64, of shape {tuple(x.shape[:2])}, found {times.dtype} of "
                             f"shape {tuple(times.shape)}")

    def extra_repr(self):
        return f"{len(self.channels)} channels, up to {self.length} samples, classes {', '.join(self.classes)}"
