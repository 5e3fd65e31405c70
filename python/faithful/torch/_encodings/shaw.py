import numpy as np
import torch

from .._attention import InAttention
from .._base import interpolated, module_of, offsets


@module_of("shaw")
class Shaw(InAttention):
    """A learned vector for every clipped offset, added to keys and values. forward(steps): both, [S, S, d_h]."""

    LEARNED = ("keys", "values")

    def _values(self):
        keys, values = self.table()
        clip = len(keys) // 2
        return {"keys": keys, "values": values, "row": np.clip(np.arange(1 - self.length, self.length), -clip, clip) + clip,
                "at": self.positions()}

    def vectors(self, table, steps, times=None):
        """[.., S, S, d_h]"""
        if self.whole(times):
            return table[self.row[offsets(steps, self.length, self.row.device)]]
        return interpolated(table, self.offsets(steps, times))

    def forward(self, steps=None, times=None):
        steps = self.length if steps is None else self.check_length(steps)
        return self.vectors(self.keys, steps, times), self.vectors(self.values, steps, times)

    def key_terms(self, query, times=None):
        vectors = self.vectors(self.keys, self.check_length(query.shape[-2]), times)
        return torch.einsum("...hid,...ijd->...hij", query, vectors.to(query.dtype))

    def value_terms(self, weights, times=None):
        vectors = self.vectors(self.values, weights.shape[-1], times)
        return torch.einsum("...hij,...ijd->...hid", weights, vectors.to(weights.dtype))
