"""Encodings inside of attention. Queries, keys and values are [.., H, S, d_h]."""
from __future__ import annotations

import numpy as np
import torch
from torch.nn import functional

from .. import _core
from .._options import one_of
from ._base import Position


def _offsets(steps, length, device):
    """[S, S]: j - i + length - 1, the row of an offset in a table of 2 length - 1."""
    at = torch.arange(steps, device=device)
    return at[None, :] - at[:, None] + (length - 1)


class Rotary(Position):
    """RoPE: rotates pairs of coordinates of queries and keys."""

    def __init__(self, *args, pairing="interleaved", **options):
        super().__init__(*args, **options)
        self.pairing = one_of("interleaved", "halves")("pairing", pairing)

    def _values(self):
        cosines, sines = np.split(self.table(), 2, axis=1)
        return {"cosines": cosines, "sines": sines}  # [S, d_h / 2] each

    def rotate(self, x):
        steps = self.check_length(x.shape[-2])
        cosines, sines = self.cosines[:steps].to(x.dtype), self.sines[:steps].to(x.dtype)
        if 2 * cosines.shape[-1] != x.shape[-1]:
            raise ValueError(f"{self.name}: expected heads of width {2 * cosines.shape[-1]}, found {x.shape[-1]}")
        if self.pairing == "halves":
            a, b = x.chunk(2, dim=-1)
            return torch.cat([a * cosines - b * sines, a * sines + b * cosines], dim=-1)
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack([a * cosines - b * sines, a * sines + b * cosines], dim=-1).flatten(-2)

    def forward(self, query, key):
        return self.rotate(query), self.rotate(key)


class LogitBias(Position):
    """forward(steps): [H, S, S], to be added to the logits; a mask of torch's scaled_dot_product_attention too."""

    content_share = 1.0  # logits of the content are divided by sqrt(d_h / content_share)

    def forward(self, steps=None):
        return self.bias(self.length if steps is None else self.check_length(steps))

    def bias(self, steps):
        raise NotImplementedError

    def distances(self, steps):
        return (self.at[:steps, None] - self.at[None, :steps]).abs()  # [S, S]


class Alibi(LogitBias):
    """-m_h |i - j| with fixed slopes m_h."""

    def _values(self):
        self.table(length=1, positions=None)  # says what is wrong with the options
        return {"slopes": np.asarray(_core.alibi_slopes(self.options.get("heads", 8))), "at": self.positions()}

    def bias(self, steps):
        return -self.slopes[:, None, None] * self.distances(steps)


class Kerple(LogitBias):
    """-r1 ln(1 + r2 |i - j|); the logarithms of r1 and r2 are learned, so that both stay positive."""

    LEARNED = ("log_rates",)

    def _values(self):
        return {"log_rates": np.log(self.start().reshape(2, -1)), "at": self.positions()}

    def bias(self, steps):
        r1, r2 = self.log_rates.exp()[:, :, None, None]
        return -r1 * torch.log1p(r2 * self.distances(steps))


class T5(LogitBias):
    """A learned bias for each of 32 buckets of offsets."""

    LEARNED = ("weight",)

    def _values(self):
        heads = self.options.get("heads", 8)
        return {"weight": self.start().reshape(-1, heads), "bucket": np.asarray(_core.t5_buckets(self.length))}

    def bias(self, steps):
        rows = self.bucket[_offsets(steps, self.length, self.bucket.device)]  # [S, S]
        return self.weight[rows].permute(2, 0, 1)


class Tupe(LogitBias):
    """Inner products of learned positions, projected apart; with tupe_relative also a bias of t5."""

    LEARNED = ("codes", "query", "key", "weight")
    content_share = 0.5  # content and position parts share the logits

    def _values(self):
        start, d, heads = self.start(), self.options["dim"], self.options.get("heads", 8)
        cuts = np.cumsum([self.length * d, d * d, d * d])
        codes, query, key, weight = np.split(start, cuts)
        values = {"codes": codes.reshape(-1, d), "query": query.reshape(d, d), "key": key.reshape(d, d)}
        if self.options.get("tupe_relative"):
            values["weight"] = weight.reshape(-1, heads)
            values["bucket"] = np.asarray(_core.t5_buckets(self.length))
        return values

    def bias(self, steps):
        d, heads = self.options["dim"], self.options.get("heads", 8)
        normed = functional.layer_norm(self.codes[:steps], (d,), eps=1e-5)
        q, k = (torch.matmul(normed, w).view(steps, heads, -1).transpose(0, 1) for w in (self.query, self.key))
        bias = torch.matmul(q, k.transpose(1, 2)) / (2 * d / heads) ** 0.5
        if self.options.get("tupe_relative"):
            rows = self.bucket[_offsets(steps, self.length, self.bucket.device)]
            bias = bias + self.weight[rows].permute(2, 0, 1)
        return bias


class WeightBias(Position):
    """forward(steps): [H, S, S], to be added to the attention weights, after the softmax."""

    def forward(self, steps=None):
        return self.bias(self.length if steps is None else self.check_length(steps))


class Erpe(WeightBias):
    """A learned weight for every offset i - j."""

    LEARNED = ("weight",)

    def _values(self):
        return {"weight": self.start().reshape(2 * self.length - 1, -1)}

    def bias(self, steps):
        return self.weight[_offsets(steps, self.length, self.weight.device).T].permute(2, 0, 1)


class Shaw(Position):
    """A learned vector for every clipped offset, added to keys and values. forward(steps): both, [S, S, d_h]."""

    LEARNED = ("keys", "values")

    def _values(self):
        keys, values = self.table()
        clip = self.options.get("clip", 16)
        return {"keys": keys, "values": values, "row": np.asarray(_core.shaw_rows(self.length, clip))}

    def forward(self, steps=None):
        steps = self.length if steps is None else self.check_length(steps)
        rows = self.row[_offsets(steps, self.length, self.row.device)]
        return self.keys[rows], self.values[rows]


def attention(query, key, value, position=None, mask=None):
    """softmax(q k^T / sqrt(d_h)) v with a position module where it belongs. [.., H, S, d_h] each; mask [.., S, S], True
    where a key may be seen. Modules of the input (added, concatenated) have no place here: they come before."""
    if not isinstance(position, (type(None), Rotary, LogitBias, WeightBias, Shaw)):
        raise TypeError(f"position: expected a module that enters attention, or None, found {type(position).__name__}")
    steps, width = query.shape[-2:]
    if isinstance(position, Rotary):
        query, key = position(query, key)
    logits = torch.matmul(query, key.transpose(-2, -1))
    if isinstance(position, Shaw):
        relative_keys, relative_values = (one.to(query.dtype) for one in position(steps))
        logits = logits + torch.einsum("...id,ijd->...ij", query, relative_keys)
    logits = logits * (getattr(position, "content_share", 1.0) / width) ** 0.5
    if isinstance(position, LogitBias):
        logits = logits + position(steps).to(logits.dtype)
    if mask is not None:
        logits = logits.masked_fill(~mask, float("-inf"))
    weights = logits.softmax(dim=-1)
    if isinstance(position, WeightBias):
        weights = weights + position(steps).to(weights.dtype)
    out = torch.matmul(weights, value)
    if isinstance(position, Shaw):
        out = out + torch.einsum("...ij,ijd->...id", weights, relative_values)
    return out
