"""Position modules with what a model has learned. Where a model needs more than a module of faithful.torch has, it is here:
codes at the real times of each window, and the class token of tupe."""
from __future__ import annotations

import math
from typing import NamedTuple, Optional

import torch
from torch import Tensor
from torch.nn import functional

from .. import encodings
from . import _encodings  # noqa: F401: fills MODULES
from ._attention import InAttention
from ._base import MODULES
from ._encodings.spectral_learned import SpectralLearned
from ._encodings.tupe import Tupe
from ._input import Added, Sum, Waves
from ._model_parts import filled_to
from ._positions import wide


def heads_first(x, heads):
    return x.reshape(heads, -1)


def transposed(x, heads):
    return x.t()


def by_query(x, heads):
    """A file has weights [H, 2n - 1] for key minus query, a module [2n - 1, H] for query minus key."""
    return x.t().flip(0)


def networks(prefix, *names):
    """{parameters of a module: arrays of the file} of affine maps"""
    return {name + end: f"{prefix}{name}.{kind}" for name in names for end, kind in (("", "weight"), ("_bias", "bias"))}


# Encoding -> {parameter of its module: array of the file, and what makes the one of the other}. Arrays whose names begin with
# "encoding." are shared by all layers.
LEARNED = {
    "learned": {"weight": "encoding.table"},
    "learned-frequency": {"frequency": "encoding.frequencies", "phase": "encoding.phases"},
    "fourier-features": {"frequency": "encoding.frequencies", **networks("encoding.", "first", "second")},
    "spectral-learned": {"log_length_scale": "encoding.log_length_scale", "log_spectrum": "encoding.log_spectrum"},
    "mtan": {"frequency": "encoding.frequencies", "phase": "encoding.phases"},
    "time2vec": {"frequency": "encoding.frequencies", "phase": "encoding.phases"},
    "t-pe": {"weight": "similarity"},
    "cpe": {"weight": "encoding.depthwise.weight"},
    "dywpe": {"scales": "encoding.scales", **networks("encoding.", "channel", "gate", "value")},
    "spe": {"gate": "gate", "frequencies": "encoding.frequencies", "phases": "encoding.phases", "gains": "encoding.gains",
            "query_filter": "encoding.query_filter", "key_filter": "encoding.key_filter"},
    "fope": {"coefficients": "encoding.coefficients"},
    "pope": {"phases": ("phases", heads_first)},
    "shaw": {"keys": "relative_keys", "values": "relative_values"},
    "deberta": {"codes": "encoding.positions", "key": "relative_key.weight", "query": "relative_query.weight"},
    "transformer-xl": {"content": ("encoding.content", heads_first), "position": ("encoding.position", heads_first),
                       "weight": ("relative.weight", lambda x, heads: x.view(heads, -1, x.shape[-1]))},
    "erpe": {"weight": ("offset_weights", by_query)},
    "t5": {"weight": "encoding.buckets"},
    "tupe": {"codes": "encoding.positions", "query": ("encoding.query.weight", transposed),
             "key": ("encoding.key.weight", transposed), "weight": "encoding.buckets", "token": "encoding.token"},
    "kerple": {"log_rates": "log_rates"},
    "fire": {"log_rates": "fire.log_rates", **networks("fire.", "first", "second")},
    "dynamic-bias": {**networks("dynamic.", "first", "second", "third"), "gain1": "dynamic.norm1.weight",
                     "shift1": "dynamic.norm1.bias", "gain2": "dynamic.norm2.weight", "shift2": "dynamic.norm2.bias"},
}


def fill(module, name, arrays, heads, layer):
    """Puts what was learned into a module; `layer` begins the names of the arrays of one layer."""
    for parameter, source in LEARNED.get(name, {}).items():
        array, change = source if isinstance(source, tuple) else (source, None)
        shared = array.startswith("encoding.")
        array = array if shared else layer + array
        if array in arrays:
            make = arrays.once if shared else arrays.parameter
            setattr(module, parameter, make(array, change and (lambda x: change(x, heads))))  # noqa: B023: called at once
    return module


def options_of(config, name):
    """Those of the encoding, as faithful.torch.encoding takes them."""
    known = encodings()[name].parameters
    options = {key: config[key] for key in known if key in config and key not in ("positions", "heads", "dim", "scale", "seed")}
    if "seed" in known:
        options["seed"] = config["encoding_seed"]
    if name in ("rope", "fope"):
        options["pairing"] = config["pairing"]
    if "scale" in known and config["scale"] not in ("as-defined", "decaying"):
        options["scale"] = config["scale"] if config["scale"] in ("unit", "matched") else float(config["scale"])
    return options


class Steps(NamedTuple):
    """Where the steps of windows stand. Of dfstrans each has an axis more, of size 1, for the sensors."""

    valid: Tensor  # [B, S]: where a step is
    at: Optional[Tensor]  # [B, S]: real times, or None: step numbers

    def with_token(self):
        """[B, S + 1]: also for the class token before the first step, one position before it"""
        valid = torch.cat([torch.ones_like(self.valid[..., :1]), self.valid], dim=-1)
        if self.at is None:
            return Steps(valid, torch.arange(-1, self.valid.shape[-1], device=valid.device))
        return Steps(valid, torch.cat([self.at.amin(-1, keepdim=True) - 1, self.at], dim=-1))


def steps_of(config, windows, count):
    """The steps of so many samples each: a step is there if one of its samples is, and has the time of its first."""
    steps = -(-config["length"] // count)
    def grouped(x):
        return filled_to(x, steps * count).unflatten(1, (steps, count))
    valid = grouped(windows.valid)
    there = valid.any(-1)
    if windows.times is None or config["positions"] != "time":
        return Steps(there, None)
    index = torch.arange(count, device=valid.device)
    first = torch.where(valid, index, count).amin(-1, keepdim=True).clamp(max=count - 1)
    of_step = grouped(windows.times).gather(-1, first).squeeze(-1)  # [B, S]
    number = torch.arange(steps, device=valid.device).expand_as(there)
    begin = torch.where(there, number, steps).amin(-1, keepdim=True).clamp(max=steps - 1)
    times = of_step.gather(-1, torch.where(there, number, begin).cummax(-1).values).double() / config["time_step"]
    return Steps(there, times.float().to(wide(windows.values).dtype))


def fourier_columns(at, d, period):
    """[.., S, d]: the lowest modes of a basis of `period` points at real positions, in the order of dft"""
    at = at.unsqueeze(-1)
    angle = 2 * math.pi / period * at * torch.arange(1, (d - 1) // 2 + 1, device=at.device)
    columns = [torch.full_like(at, 0.5 ** 0.5), torch.cos(angle), torch.sin(angle)]
    if d % 2 == 0:
        columns.append(torch.cos(math.pi * d / period * at) * (0.5 ** 0.5 if d == period else 1.0))
    return (2 / d) ** 0.5 * torch.cat(columns, dim=-1)


class DftAtTimes(Sum):
    """dft at the positions of each window."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.factor = self.scale_factor() if "scale" in self.options else 1.0

    def codes_at(self, at):
        d = self.options["dim"]
        return self.factor * fourier_columns(at, d, self.options.get("period") or d)


class SpectralLearnedAtTimes(SpectralLearned):
    """spectral-learned at the positions of each window."""

    def wide_codes(self, steps, offset, positions):
        d, log_g = self.options["dim"], self.log_weights()
        if self.periodic:
            share = torch.softmax(log_g[self.column], 0)
            return self.factor * fourier_columns(positions, d, self.period) * torch.sqrt(share * d)
        waves = torch.cos(self.frequency * (positions.unsqueeze(-1) + 0.5))
        waves = torch.cat([waves[..., :1] * 0.5 ** 0.5, waves[..., 1:]], dim=-1) * torch.exp((log_g - log_g.max()) / 2)
        codes = waves / torch.linalg.vector_norm(waves, dim=-1, keepdim=True)
        return self.factor * functional.pad(codes, (0, d - codes.shape[-1]))


class SpectralAtTimes(SpectralLearnedAtTimes):
    """spectral: a weight for each frequency, and none of them learned."""

    LEARNED = ()

    def __init__(self, name, length, dim, **options):
        super().__init__("spectral-learned", length, dim, learned_spectrum="frequencies", **options)


class TokenTupe(Tupe):
    """tupe with the logits of a class token at position -1: from it to all steps, and from all steps to it."""

    EXTENDS = True

    def of_positions(self, places):
        inner = super().of_positions(places._replace(query=places.query[1:], key=places.key[1:]))  # [H, S, S]
        from_token, to_token = wide(self.token).to(inner.dtype)
        steps, heads = inner.shape[-1], len(inner)
        rows = torch.cat([to_token.view(heads, 1, 1).expand(heads, steps, 1), inner], dim=-1)
        return torch.cat([from_token.view(heads, 1, 1).expand(heads, 1, steps + 1), rows], dim=-2)


AT_TIMES = {"dft": DftAtTimes, "spectral": SpectralAtTimes, "spectral-learned": SpectralLearnedAtTimes}


def input_position(config, arrays, steps):
    """The module that enters the input; None: the encoding does not."""
    name = {"tape+erpe": "tape"}.get(config["encoding"], config["encoding"])
    kind = Waves if name == "t-pe" else MODULES.get(name, Added)
    if name == "none" or issubclass(kind, InAttention):
        return None
    if config["positions"] == "time":
        kind = AT_TIMES.get(name, kind)
    made = kind(name, steps, config["width"], dtype=arrays.dtype, **options_of(config, name))
    return made if kind is Waves else fill(made, name, arrays, config["heads"], "")


def layer_position(config, arrays, steps, layer):
    """The module that enters the attention of a layer; None: the encoding does not."""
    name = {"tape+erpe": "erpe"}.get(config["encoding"], config["encoding"])
    kind, heads, token = MODULES.get(name, Added), config["heads"], config["pooling"] == "token"
    if not issubclass(kind, InAttention):
        return None
    if name == "tupe" and token:
        kind = TokenTupe
    length = steps if name in ("fope", "tupe", "t-pe") else steps + token  # the others see the token as a step
    width = config["width"] if name == "t-pe" else heads * head_width(config)
    made = kind(name, length, width, heads=heads, dtype=arrays.dtype, **options_of(config, name))
    if name == "tupe":
        made.options["dim"] = config["width"]
    if name == "transformer-xl":  # its waves are as wide as the model, heads may not be
        n = (config["width"] + 1) // 2
        made.frequency = torch.tensor([config["rho"] ** (-i / n) for i in range(n)], dtype=arrays.dtype)
    return fill(made, name, arrays, heads, layer)


def head_width(config):
    return config["head_width"] or config["width"] // config["heads"]
