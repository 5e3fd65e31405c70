"""Where an encoding meets attention. Queries are [.., H, Q, d_h], keys and values [.., H, K, d_h]."""
from __future__ import annotations

from ._base import Position
from ._positions import Call


class InAttention(Position):
    """An encoding inside of attention: a subclass overrides the places where it enters. None: nothing is added. What is
    added is in float32 at least; attention casts its result."""

    needs_signal = False  # whether attention needs the steps that the first layer gets
    content_share = 1.0  # logits of the content are divided by sqrt(d_h / content_share)

    def rotated(self, query, key, places):
        return query, key

    def key_terms(self, query, places):
        """[.., H, Q, K], added to q k^T before it is scaled; query as it was before `rotated`."""
        return None

    def query_terms(self, key, places):
        """[.., H, Q, K], added to q k^T too."""
        return None

    def signal_bias(self, signal):
        """[.., H, Q, K], added to the logits; signal [.., S, d] are the steps that the first layer gets."""
        return None

    def logit_bias(self, places):
        """[.., H, Q, K], added to the logits."""
        return None

    def weight_bias(self, places):
        """[.., H, Q, K], added to the attention weights of keys that may be seen, after the softmax."""
        return None

    def value_terms(self, weights, places):
        """[.., H, Q, d_h], added to the output."""
        return None

    def places_of(self, queries, keys, call):
        """Those of so many queries and keys; by default `length`, and as many keys as queries"""
        queries = self.length - call.offset if queries is None else queries
        return call.places_of(self, queries, queries if keys is None else keys)

    def table_rows(self, places):
        """[.., Q, K]: j - i + length - 1, the row of a whole offset in a table of 2 length - 1"""
        if places.reach is not None and places.reach >= self.length:
            raise ValueError(f"{self.name}: expected queries and keys at most {self.length - 1} positions apart, found "
                             f"{places.reach}. Its values are for those distances: make the module with a greater length")
        return places.offsets() + (self.length - 1)


class Turned(InAttention):
    """forward(query, key): both, with their positions in them. Positions as `attention` takes them."""

    EXTENDS = True

    def forward(self, query, key, positions=None, *, key_positions=None, offset=0, key_offset=None):
        return self.rotated(query, key, Call(positions, key_positions, offset, key_offset).places(self, query, key))


class Bias(InAttention):
    """forward(queries, keys): [H, Q, K], or [.., H, Q, K] where positions are [.., Q]."""

    EXTENDS = True
    MISSING = ""  # what an attention with this bias alone would lack

    def forward(self, queries=None, keys=None, *, positions=None, key_positions=None, offset=0, key_offset=None, part=False):
        """queries and keys: how many; by default `length`, and as many keys as queries. Positions as `attention` takes them.
        part=True: you add the rest of the encoding yourself, where this bias is only a part of it."""
        if self.MISSING and not part:
            raise ValueError(f"{self.name}: this bias is not the whole encoding, {self.MISSING}. Call faithful.torch.attention, "
                             "which does it; or pass part=True and do it yourself")
        return self.bias(self.places_of(queries, keys, Call(positions, key_positions, offset, key_offset))).to(self.like.dtype)

    def bias(self, places):
        raise NotImplementedError


class LogitBias(Bias):
    """A bias that is added to the logits; also a mask of torch's scaled_dot_product_attention."""

    def logit_bias(self, places):
        return self.bias(places)


class WeightBias(Bias):
    """A bias that is added to the attention weights, after the softmax."""

    def weight_bias(self, places):
        return self.bias(places)


def interpolated(table, offset):
    """[.., Q, K, ...]: rows of table [2 clip + 1, ...] at real offsets, clipped, and on the line between two of them"""
    clip = len(table) // 2
    place = offset.clamp(-clip, clip) + clip
    low = place.floor()
    share = (place - low).reshape(*place.shape, *[1] * (table.dim() - 1)).to(table.dtype)
    low = low.long()
    return table[low] + share * (table[(low + 1).clamp(max=2 * clip)] - table[low])


def clipped(table, places):
    """[.., Q, K, ...]: rows of table [2 clip + 1, ...] at offsets, clipped"""
    clip = len(table) // 2
    if places.whole:
        return table[places.offsets().clamp(-clip, clip) + clip]
    return interpolated(table, places.offsets())
