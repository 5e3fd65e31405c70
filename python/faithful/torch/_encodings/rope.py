import numpy as np
import torch

from ..._options import one_of
from .._attention import InAttention
from .._base import module_of


@module_of("rope")
class Rotary(InAttention):
    """Rotates pairs of coordinates of queries and keys."""

    def __init__(self, *args, pairing="interleaved", **options):
        super().__init__(*args, **options)
        self.pairing = one_of("interleaved", "halves")("pairing", pairing)

    def _values(self):
        cosines, sines = np.split(self.table(), 2, axis=1)
        return {"cosines": cosines, "sines": sines}  # [S, d_h / 2] each

    def rotate(self, x):
        steps = self.check_length(x.shape[-2])
        cosines, sines = self.cosines[:steps].to(x.dtype), self.sines[:steps].to(x.dtype)
        if 2 * cosines.shape[-1] != x.shape[-1]:
            raise ValueError(f"{self.name}: expected heads of width {2 * cosines.shape[-1]}, found {x.shape[-1]}")
        if self.pairing == "halves":
            a, b = x.chunk(2, dim=-1)
            return torch.cat([a * cosines - b * sines, a * sines + b * cosines], dim=-1)
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack([a * cosines - b * sines, a * sines + b * cosines], dim=-1).flatten(-2)

    def forward(self, query, key):
        return self.rotate(query), self.rotate(key)

    def rotated(self, query, key):
        return self(query, key)
