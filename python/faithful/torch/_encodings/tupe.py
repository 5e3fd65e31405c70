import numpy as np
import torch
from torch.nn import functional

from .._attention import LogitBias
from .._base import module_of
from .._positions import wide
from .t5 import bucket_of_distance, buckets


@module_of("tupe")
class Tupe(LogitBias):
    """Inner products of learned positions, projected apart; with tupe_relative also a bias of t5."""

    LEARNED = ("codes", "query", "key", "weight")
    EXTENDS = False
    MISSING = "for content logits q k^T have to be divided by sqrt(2 d_h) instead of sqrt(d_h)"
    content_share = 0.5  # content and position parts share the logits

    def _values(self):
        start, d, heads = self.start(), self.options["dim"], self.options.get("heads", 8)
        cuts = np.cumsum([self.length * d, d * d, d * d])
        codes, query, key, weight = np.split(start, cuts)
        values = {"codes": codes.reshape(-1, d), "query": query.reshape(d, d), "key": key.reshape(d, d)}
        if self.options.get("tupe_relative"):
            values["weight"] = weight.reshape(-1, heads)
            values["bucket"] = bucket_of_distance()
        return values

    def projected(self, at, weight):
        """[.., H, S, d_h]"""
        d, heads = self.options["dim"], self.options.get("heads", 8)
        normed = functional.layer_norm(wide(self.codes[at]), (d,), eps=1e-5)
        return torch.matmul(normed, wide(weight)).unflatten(-1, (heads, -1)).transpose(-2, -3)

    def bias(self, places):
        q, k = self.projected(places.query, self.query), self.projected(places.key, self.key)
        bias = torch.matmul(q, k.transpose(-2, -1)) / (2 * q.shape[-1]) ** 0.5
        if self.options.get("tupe_relative"):
            bias = bias + self.weight[buckets(places.offsets(), self.bucket)].movedim(-1, -3)
        return bias
