"""The one place where masks enter attention."""
from __future__ import annotations

import torch

HIDDEN = -1e4  # an additive mask of this or less hides a key, as -inf does


def seen_keys(mask, padding, causal, places):
    """(seen, added): a boolean mask [.., Q, K] of all that hides keys, or None; and what an additive mask adds, or None."""
    seen, added = None, None

    def both(a, b):
        return b if a is None else a & b
    if mask is not None:
        if mask.dtype == torch.bool:
            seen = mask
        elif mask.is_floating_point():
            seen = mask > HIDDEN
            added = mask.masked_fill(~seen, 0.0)
        else:
            raise TypeError(f"mask: expected a boolean mask (True: seen) or one of floating-point numbers, which is added to the "
                            f"logits, found {mask.dtype}")
    if padding is not None:
        if padding.dtype != torch.bool:
            raise TypeError(f"padding: expected a boolean mask [.., K], True where a key is there, found {padding.dtype}")
        seen = both(seen, padding[..., None, None, :])
    if causal:
        earlier = places.key[..., None, :] <= places.query[..., :, None]
        seen = both(seen, earlier.unsqueeze(-3))
    return seen, added


def softmax_of_seen(logits, seen):
    """The softmax over keys that are seen. The others have weight 0 and gradient 0, also in a row that sees none."""
    if seen is None:
        return logits.softmax(dim=-1)
    hidden = ~seen
    weights = logits.masked_fill(hidden, float("-inf")).masked_fill(hidden.all(dim=-1, keepdim=True), 0.0).softmax(dim=-1)
    return weights.masked_fill(hidden, 0.0)
