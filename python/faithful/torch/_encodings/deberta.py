import numpy as np
import torch

from .._attention import InAttention, clipped
from .._base import module_of


@module_of("deberta")
class Deberta(InAttention):
    """Queries and keys times projected vectors of clipped offsets. forward(): both, [2, 2 clip + 1, d]."""

    LEARNED = ("codes", "key", "query")
    EXTENDS = True
    content_share = 1 / 3  # three terms share the logits

    def _values(self):
        start, d = self.start(), self.options["dim"]
        codes, key, query = np.split(start, np.cumsum([len(start) - 2 * d * d, d * d]))
        return {"codes": codes.reshape(-1, d), "key": key.reshape(d, d), "query": query.reshape(d, d)}

    def forward(self):
        return torch.stack([torch.matmul(self.codes, self.key.T).flip(0), torch.matmul(self.codes, self.query.T)])

    def vectors(self, of_keys, places, dtype):
        """[.., H, Q, K, d_h]: those of queries or of keys, for query i and key j"""
        table = self()[of_keys]
        return clipped(table.reshape(len(table), self.options.get("heads", 8), -1), places).movedim(-2, -4).to(dtype)

    def key_terms(self, query, places):
        vectors = self.vectors(0, places, query.dtype)
        return torch.matmul(query.unsqueeze(-2), vectors.transpose(-2, -1)).squeeze(-2)

    def query_terms(self, key, places):
        return (self.vectors(1, places, key.dtype) * key.unsqueeze(-3)).sum(-1)
