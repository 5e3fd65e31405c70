import numpy as np
import torch

from .._attention import InAttention
from .._base import interpolated, module_of, offsets


@module_of("deberta")
class Deberta(InAttention):
    """Queries and keys times projected vectors of clipped offsets. forward(): both, [2, 2 clip + 1, d]."""

    LEARNED = ("codes", "key", "query")
    content_share = 1 / 3  # three terms share the logits

    def _values(self):
        start, d = self.start(), self.options["dim"]
        codes, key, query = np.split(start, np.cumsum([len(start) - 2 * d * d, d * d]))
        clip = len(codes) // d // 2
        row = np.clip(np.arange(1 - self.length, self.length), -clip, clip) + clip
        return {"codes": codes.reshape(-1, d), "key": key.reshape(d, d), "query": query.reshape(d, d), "row": row,
                "at": self.positions()}

    def forward(self):
        return torch.stack([torch.matmul(self.codes, self.key.T).flip(0), torch.matmul(self.codes, self.query.T)])

    def vectors(self, of_keys, steps, times):
        """[.., S, S, H, d_h]: those of queries or of keys, for query i and key j"""
        table, heads = self()[of_keys], self.options.get("heads", 8)
        table = table.reshape(len(table), heads, -1)
        if self.whole(times):
            return table[self.row[offsets(self.check_length(steps), self.length, self.row.device)]]
        return interpolated(table, self.offsets(self.check_length(steps), times))

    def key_terms(self, query, times=None):
        return torch.einsum("...hid,...ijhd->...hij", query, self.vectors(0, query.shape[-2], times).to(query.dtype))

    def query_terms(self, key, times=None):
        return torch.einsum("...hjd,...ijhd->...hij", key, self.vectors(1, key.shape[-2], times).to(key.dtype))
