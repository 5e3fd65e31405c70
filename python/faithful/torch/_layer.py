"""torch.nn.TransformerEncoderLayer with a position module inside of its attention."""
from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from ._attend import attention
from ._attention import InAttention


class TransformerEncoderLayer(nn.TransformerEncoderLayer):
    """A drop-in for torch.nn.TransformerEncoderLayer: the same arguments, masks and weights, and `position`, a module that
    enters attention (None: nothing). Weights of a layer of torch load with strict=False."""

    def __init__(self, d_model, nhead, *args, position=None, **options):
        super().__init__(d_model, nhead, *args, **options)
        self.position = checked_position(position, nhead)
        self.activation_relu_or_gelu = 0  # torch's fused layer, which this would allow, knows no positions

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        mine = self.self_attn
        x = x if mine.batch_first or x.dim() == 2 else x.transpose(0, 1)  # [B, S, d], or [S, d]
        both = functional.linear(x, mine.in_proj_weight, mine.in_proj_bias).chunk(3, dim=-1)
        query, key, value = (one.unflatten(-1, (mine.num_heads, -1)).transpose(-2, -3) for one in both)  # [B, H, S, d_h]
        mask = added_mask(attn_mask, key_padding_mask, query)
        out = attention(query, key, value, self.position, mask, causal=is_causal and attn_mask is None,
                        dropout=mine.dropout if self.training else 0.0)
        out = mine.out_proj(out.transpose(-2, -3).flatten(-2))
        return self.dropout1(out if mine.batch_first or x.dim() == 2 else out.transpose(0, 1))


def checked_position(position, heads):
    if position is None:
        return None
    if not isinstance(position, InAttention):
        raise TypeError(f"position: expected a module that enters attention, found {type(position).__name__}. {position.name} "
                        "enters the input: call it before the first layer, and leave position out")
    if position.needs_signal:
        raise ValueError(f"position: expected an encoding of positions alone, found {position.name}, which also needs the input of "
                         "the first layer: call faithful.torch.attention in a layer of yours")
    found = position.options.get("heads", 8)
    if found != heads:
        raise ValueError(f"position: expected heads={heads} as in this layer, found {found}")
    return position


def added_mask(attn_mask, key_padding_mask, query):
    """Both masks of torch as one that is added, or None. Boolean ones of torch are True where a key is hidden."""
    def added(mask):
        return mask if mask.is_floating_point() else torch.zeros_like(mask, dtype=query.dtype).masked_fill(mask, float("-inf"))
    mask = None if attn_mask is None else added(attn_mask)
    if mask is not None and mask.dim() == 3 and query.dim() == 4:
        mask = mask.unflatten(0, query.shape[:2])  # [B H, S, S]
    if key_padding_mask is None:
        return mask
    padding = added(key_padding_mask)[..., None, None, :]
    return padding if mask is None else mask + padding
