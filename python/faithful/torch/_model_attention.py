"""How a layer of a trained model attends, and what of an encoding enters before the first layer."""
from __future__ import annotations

from typing import NamedTuple, Optional

import torch
from torch import Tensor, nn
from torch.nn import functional

from ._attend import attention
from ._input import Beside, FromSignal
from ._model_positions import Steps, input_position, layer_position


class Context(NamedTuple):
    """What every layer of one pass sees."""

    steps: Steps  # of the rows of h, the class token among them
    codes: Optional[Tensor] = None  # [.., N, d], added to what queries and keys are made from
    signal: Optional[Tensor] = None  # [.., N, d]: what the first layer gets
    features: Optional[Tensor] = None  # [.., N, time_dim]: queries and keys are made from these


class InputPosition(nn.Module):
    """The encoding at the input: steps h [.., S, d] with their codes."""

    def __init__(self, config, arrays, steps):
        super().__init__()
        self.position = input_position(config, arrays, steps)
        self.in_queries = config["encoding"] == "t-pe"
        self.beside = isinstance(self.position, Beside)
        self.replaces_queries = self.beside and config["encoding"] == "mtan" and config["mtan"] == "attention"
        if "encoding.decay" in arrays:
            self.register_buffer("decay", arrays.tensor("encoding.decay"))

    def codes(self, count, at):
        """[.., S, d]"""
        codes = self.position.wide_codes(count, 0, at)
        return codes * self.decay if hasattr(self, "decay") else codes

    def features(self, count, at):
        """[.., S, time_dim]; times of a window go from 0 to 1"""
        if at is not None:
            low, high = at.amin(-1, keepdim=True), at.amax(-1, keepdim=True)
            span = torch.where(high > low, high - low, torch.ones_like(low))
            at = self.position.first + (at - low) / span * self.position.span
        return self.position.features(count, positions=at)

    def append(self, h, steps):
        """h with the features that some encodings put beside it"""
        if not self.beside or self.replaces_queries:
            return h
        return torch.cat([h, self.features(h.shape[-2], steps.at).to(h.dtype).expand(*h.shape[:-1], -1)], dim=-1)

    def forward(self, h, steps, token=False):
        """h with its codes, and the context of the layers"""
        rows, count = steps.with_token() if token else steps, h.shape[-2]
        if self.replaces_queries:
            return h, Context(rows, features=self.features(count, steps.at).to(h.dtype))
        if self.position is None or self.beside:
            return h, Context(rows)
        if isinstance(self.position, FromSignal):
            return self.position(h, steps.valid), Context(rows)
        codes = self.codes(count, steps.at).to(h.dtype)
        h = h + codes
        if not self.in_queries:
            return h, Context(rows)
        def below_token(x):
            return functional.pad(x, (0, 0, 1, 0)) if token else x
        return h, Context(rows, below_token(codes), below_token(h))


class SelfAttention(nn.Module):
    """h [.., N, d] -> [.., N, H d_h], the heads side by side. `layer` begins the names of the encoding's arrays."""

    def __init__(self, config, arrays, name, layer=None, steps=0):
        super().__init__()
        self.heads = config["heads"]
        self.qkv = arrays.affine(name + "qkv")
        self.position = None if layer is None else layer_position(config, arrays, steps, layer)
        self.by_number = config["encoding"] == "spe"  # whose processes count rows from 0, the token's
        self.time = arrays.affine(layer + "time") if layer is not None and layer + "time.weight" in arrays else None

    def forward(self, h, context):
        valid, at = context.steps
        query, key, value = self.projected(h, context)
        out = attention(query, key, value, self.position, signal=context.signal, positions=None if self.by_number else at,
                        padding=valid)
        return out.transpose(-2, -3).flatten(-2)

    def projected(self, h, context):
        found = self.qkv(h)
        if self.time is not None:
            parts = [*self.time(context.features).chunk(2, dim=-1), found]
        else:
            parts = found.chunk(3, dim=-1)
            if context.codes is not None and context.codes.shape[-1] == h.shape[-1]:
                parts = [*self.qkv(h + context.codes).chunk(3, dim=-1)[:2], parts[2]]
        return [one.unflatten(-1, (self.heads, -1)).transpose(-2, -3) for one in parts]


class FeedForward(nn.Module):
    """second(activation(first(x))); inner: whether dropout follows the activation too"""

    def __init__(self, config, arrays, name, inner=True):
        super().__init__()
        self.first, self.second = arrays.affine(name + "first"), arrays.affine(name + "second")
        self.activation = functional.gelu if config["activation"] == "gelu" else functional.relu
        self.dropout, self.inner = nn.Dropout(config["dropout"]), inner

    def forward(self, x):
        x = self.activation(self.first(x))
        return self.dropout(self.second(self.dropout(x) if self.inner else x))
