"""Where an encoding meets attention. Queries, keys and values are [.., H, S, d_h]."""
from __future__ import annotations

import torch

from ._base import Position


class InAttention(Position):
    """An encoding inside of attention: a subclass overrides the places where it enters. None: nothing is added. times
    [.., S], where given, take the place of the positions that the module was made for; [S, S] is then [.., S, S]."""

    times_in_attention = True  # where the encoding takes real positions
    content_share = 1.0  # logits of the content are divided by sqrt(d_h / content_share)

    def rotated(self, query, key, times=None):
        return query, key

    def key_terms(self, query, times=None):
        """[.., H, S, S], added to q k^T before it is scaled."""
        return None

    def query_terms(self, key, times=None):
        """[.., H, S, S], added to q k^T too."""
        return None

    def signal_bias(self, signal):
        """[.., H, S, S], added to the logits; signal [.., S, d] are the steps that the first layer gets."""
        return None

    def logit_bias(self, steps, times=None):
        """[.., H, S, S], added to the logits."""
        return None

    def weight_bias(self, steps, times=None):
        """[.., H, S, S], added to the attention weights of keys that may be seen, after the softmax."""
        return None

    def value_terms(self, weights, times=None):
        """[.., H, S, d_h], added to the output."""
        return None

    def offsets(self, steps, times=None):
        """[.., S, S]: the position of key j minus that of query i"""
        at = self.at[:steps] if times is None else times
        return at[..., None, :] - at[..., :, None]

    def whole(self, times):
        """Whether positions are 0, 1, 2, .., so that offsets are rows of a table"""
        return times is None and self.options.get("positions") is None


class LogitBias(InAttention):
    """forward(steps): [H, S, S], to be added to the logits; a mask of torch's scaled_dot_product_attention too."""

    def forward(self, steps=None, times=None):
        return self.bias(self.length if steps is None else self.check_length(steps), times)

    def logit_bias(self, steps, times=None):
        return self(steps, times)

    def bias(self, steps, times=None):
        raise NotImplementedError


class WeightBias(InAttention):
    """forward(steps): [H, S, S], to be added to the attention weights, after the softmax."""

    def forward(self, steps=None, times=None):
        return self.bias(self.length if steps is None else self.check_length(steps), times)

    def weight_bias(self, steps, times=None):
        return self(steps, times)


def attention(query, key, value, position=None, mask=None, signal=None, times=None):
    """softmax(q k^T / sqrt(d_h)) v with a position module where it belongs. [.., H, S, d_h] each; mask [.., H or 1, S, S],
    True where a key may be seen; signal [.., S, d], the steps that the first layer gets, for t-pe; times [.., S]: real
    positions of these samples. Modules of the input (added, concatenated) have no place here: they come before."""
    if position is not None and not isinstance(position, InAttention):
        raise TypeError(f"position: expected a module that enters attention, or None, found {type(position).__name__}")
    if times is not None and position is not None and not (position.takes_times and position.times_in_attention):
        raise ValueError(f"times: expected None for {position.name}, which takes none in attention")
    steps, width = query.shape[-2:]

    def plus(x, term):
        return x if term is None else x + term.to(x.dtype)

    if position is not None:
        query, key = position.rotated(query, key, times)
    logits = torch.matmul(query, key.transpose(-2, -1))
    if position is None:
        logits = logits * (1.0 / width) ** 0.5
    else:
        logits = plus(plus(logits, position.key_terms(query, times)), position.query_terms(key, times))
        logits = logits * (position.content_share / width) ** 0.5
        logits = plus(plus(logits, position.logit_bias(steps, times)), position.signal_bias(signal))
    if mask is not None:
        logits = logits.masked_fill(~mask, float("-inf"))
    weights = logits.softmax(dim=-1)
    if position is None:
        return torch.matmul(weights, value)
    added = position.weight_bias(steps, times)
    if added is not None and mask is not None:
        added = added.masked_fill(~mask, 0.0)
    weights = plus(weights, added)
    return plus(torch.matmul(weights, value), position.value_terms(weights, times))
