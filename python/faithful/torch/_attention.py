"""Where an encoding meets attention. Queries, keys and values are [.., H, S, d_h]."""
from __future__ import annotations

import torch

from ._base import Position


class InAttention(Position):
    """An encoding inside of attention: a subclass overrides the places where it enters. None: nothing is added."""

    content_share = 1.0  # logits of the content are divided by sqrt(d_h / content_share)

    def rotated(self, query, key):
        return query, key

    def key_terms(self, query):
        """[.., H, S, S], added to q k^T before it is scaled."""
        return None

    def logit_bias(self, steps):
        """[H, S, S], added to the logits."""
        return None

    def weight_bias(self, steps):
        """[H, S, S], added to the attention weights, after the softmax."""
        return None

    def value_terms(self, weights):
        """[.., H, S, d_h], added to the output."""
        return None


class LogitBias(InAttention):
    """forward(steps): [H, S, S], to be added to the logits; a mask of torch's scaled_dot_product_attention too."""

    def forward(self, steps=None):
        return self.bias(self.length if steps is None else self.check_length(steps))

    def logit_bias(self, steps):
        return self(steps)

    def bias(self, steps):
        raise NotImplementedError

    def distances(self, steps):
        return (self.at[:steps, None] - self.at[None, :steps]).abs()  # [S, S]


class WeightBias(InAttention):
    """forward(steps): [H, S, S], to be added to the attention weights, after the softmax."""

    def forward(self, steps=None):
        return self.bias(self.length if steps is None else self.check_length(steps))

    def weight_bias(self, steps):
        return self(steps)


def attention(query, key, value, position=None, mask=None):
    """softmax(q k^T / sqrt(d_h)) v with a position module where it belongs. [.., H, S, d_h] each; mask [.., S, S], True
    where a key may be seen. Modules of the input (added, concatenated) have no place here: they come before."""
    if position is not None and not isinstance(position, InAttention):
        raise TypeError(f"position: expected a module that enters attention, or None, found {type(position).__name__}")
    steps, width = query.shape[-2:]

    def plus(x, term):
        return x if term is None else x + term.to(x.dtype)

    if position is not None:
        query, key = position.rotated(query, key)
    logits = torch.matmul(query, key.transpose(-2, -1))
    if position is None:
        logits = logits * (1.0 / width) ** 0.5
    else:
        logits = plus(logits, position.key_terms(query)) * (position.content_share / width) ** 0.5
        logits = plus(logits, position.logit_bias(steps))
    if mask is not None:
        logits = logits.masked_fill(~mask, float("-inf"))
    weights = logits.softmax(dim=-1)
    if position is None:
        return torch.matmul(weights, value)
    weights = plus(weights, position.weight_bias(steps))
    return plus(torch.matmul(weights, value), position.value_terms(weights))
