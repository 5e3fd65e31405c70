import numpy as np
import torch

from .._attention import InAttention
from .._base import module_of, offsets


@module_of("shaw")
class Shaw(InAttention):
    """A learned vector for every clipped offset, added to keys and values. forward(steps): both, [S, S, d_h]."""

    LEARNED = ("keys", "values")

    def _values(self):
        keys, values = self.table()
        clip = len(keys) // 2
        return {"keys": keys, "values": values, "row": np.clip(np.arange(1 - self.length, self.length), -clip, clip) + clip}

    def rows(self, steps):
        return self.row[offsets(steps, self.length, self.row.device)]  # [S, S]

    def forward(self, steps=None):
        rows = self.rows(self.length if steps is None else self.check_length(steps))
        return self.keys[rows], self.values[rows]

    def key_terms(self, query):
        rows = self.rows(self.check_length(query.shape[-2]))
        return torch.einsum("...id,ijd->...ij", query, self.keys[rows].to(query.dtype))

    def value_terms(self, weights):
        return torch.einsum("...ij,ijd->...id", weights, self.values[self.rows(weights.shape[-1])].to(weights.dtype))
