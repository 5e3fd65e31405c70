"""Attention with a position module."""
from __future__ import annotations

import torch
from torch.nn import functional

from ._attention import InAttention
from ._masks import seen_keys, softmax_of_seen
from ._positions import Call, wide


def attention(query, key, value, position=None, mask=None, signal=None, positions=None, *, key_positions=None, offset=0,
              key_offset=None, padding=None, causal=False, dropout=0.0):
    """softmax(q k^T / sqrt(d_h)) v with a position module where it belongs: query [.., H, Q, d_h], key and value
    [.., H, K, d_h]. Modules of the input (added, concatenated) have no place here: they come before.

    mask: [.., H or 1, Q, K], boolean (True: seen), or numbers that are added to the logits (-10,000 or less: hidden).
    padding: [.., K], True where a key is there. causal: keys at later positions are hidden. A hidden key changes nothing.
    A query that sees no key gets zeros.

    positions, key_positions: [.., Q] and [.., K], whole or real. Without them query i stands at offset + i, and key j at
    key_offset + j. key_offset is by default that of the queries where there are as many keys, else 0: keys of a cache.
    signal: for t-pe, [.., S, d], the steps that the first layer gets; a pair where queries and keys have other steps.
    dropout: the share of weights that are set to 0, in training."""
    if position is not None and not isinstance(position, InAttention):
        raise TypeError(f"position: expected a module that enters attention, or None, found {type(position).__name__}")
    places = Call(positions, key_positions, offset, key_offset).places(position, query, key)
    seen, added = seen_keys(mask, padding, causal, places)
    if padding is not None:  # 0 times what padding holds is 0, even for infinity and NaN
        gone = ~padding[..., None, :, None]
        key, value = key.masked_fill(gone, 0.0), value.masked_fill(gone, 0.0)
    logits = plus(logits_of(query, key, position, places, signal), added)
    weights = softmax_of_seen(logits, seen)
    if position is not None:
        more = for_heads_of(weights, position, position.weight_bias(places))
        weights = plus(weights, more if more is None or seen is None else more.masked_fill(~seen, 0.0))
    weights = (functional.dropout(weights, dropout) if dropout else weights).to(value.dtype)
    out = torch.matmul(weights, value)
    return out if position is None else plus(out, position.value_terms(weights, places))


def logits_of(query, key, position, places, signal):
    """[.., H, Q, K], in float32 at least: positions keep their digits up to the softmax"""
    width = query.shape[-1]
    if position is None:
        return wide(torch.matmul(query, key.transpose(-2, -1))) * (1.0 / width) ** 0.5
    turned_query, turned_key = position.rotated(query, key, places)
    logits = wide(torch.matmul(turned_query, turned_key.transpose(-2, -1)))
    logits = plus(plus(logits, position.key_terms(query, places)), position.query_terms(key, places))
    logits = logits * (position.content_share / width) ** 0.5
    return plus(plus(logits, for_heads_of(logits, position, position.logit_bias(places))), position.signal_bias(signal))


def for_heads_of(x, position, bias):
    """The bias [.., H, Q, K] that is to be added to x [.., H, Q, K]."""
    if bias is not None and bias.dim() > 2 and bias.shape[-3] not in (1, x.shape[-3]):
        raise ValueError(f"{position.name}: expected heads={x.shape[-3]} as in query, found {bias.shape[-3]}")
    return bias


def plus(x, term):
    return x if term is None else x + term.to(x.dtype)
