import torch

from .._attention import InAttention, clipped
from .._base import module_of
from .._positions import Call


@module_of("shaw")
class Shaw(InAttention):
    """A learned vector for every clipped offset, added to keys and values. forward(queries, keys): both, [Q, K, d_h]."""

    LEARNED = ("keys", "values")
    EXTENDS = True

    def _values(self):
        keys, values = self.table()
        return {"keys": keys, "values": values}

    def forward(self, queries=None, keys=None, *, positions=None, key_positions=None, offset=0, key_offset=None):
        places = self.places_of(queries, keys, Call(positions, key_positions, offset, key_offset))
        return clipped(self.keys, places), clipped(self.values, places)

    def key_terms(self, query, places):
        vectors = clipped(self.keys, places).to(query.dtype)  # [.., Q, K, d_h]
        return torch.matmul(query.transpose(-2, -3), vectors.transpose(-2, -1)).transpose(-2, -3)

    def value_terms(self, weights, places):
        vectors = clipped(self.values, places).to(weights.dtype)
        return torch.matmul(weights.transpose(-2, -3), vectors).transpose(-2, -3)
