import numpy as np
import torch
from torch.nn import functional

from .._attention import LogitBias
from .._base import module_of, offsets
from .t5 import buckets


@module_of("tupe")
class Tupe(LogitBias):
    """Inner products of learned positions, projected apart; with tupe_relative also a bias of t5."""

    LEARNED = ("codes", "query", "key", "weight")
    content_share = 0.5  # content and position parts share the logits

    def _values(self):
        start, d, heads = self.start(), self.options["dim"], self.options.get("heads", 8)
        cuts = np.cumsum([self.length * d, d * d, d * d])
        codes, query, key, weight = np.split(start, cuts)
        values = {"codes": codes.reshape(-1, d), "query": query.reshape(d, d), "key": key.reshape(d, d)}
        if self.options.get("tupe_relative"):
            values["weight"] = weight.reshape(-1, heads)
            values["bucket"] = buckets(self.length)
        return values

    def bias(self, steps, times=None):
        d, heads = self.options["dim"], self.options.get("heads", 8)
        normed = functional.layer_norm(self.codes[:steps], (d,), eps=1e-5)
        q, k = (torch.matmul(normed, w).view(steps, heads, -1).transpose(0, 1) for w in (self.query, self.key))
        bias = torch.matmul(q, k.transpose(1, 2)) / (2 * d / heads) ** 0.5
        if self.options.get("tupe_relative"):
            rows = self.bucket[offsets(steps, self.length, self.bucket.device)]
            bias = bias + self.weight[rows].permute(2, 0, 1)
        return bias
