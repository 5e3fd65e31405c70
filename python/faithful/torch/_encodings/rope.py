import math

import numpy as np
import torch

from ..._options import one_of
from .._attention import InAttention
from .._base import module_of


class Turning(InAttention):
    """Multiplies pairs of coordinates of queries and keys by complex numbers, factors(steps, times): real
    and imaginary parts, [S, d_h / 2], or [.., 1, S, d_h / 2] at times."""

    def __init__(self, *args, pairing="interleaved", **options):
        super().__init__(*args, **options)
        self.pairing = one_of("interleaved", "halves")("pairing", pairing)

    def head_width(self):
        return self.options["dim"] // self.options.get("heads", 8)

    def factors(self, steps, times=None):
        raise NotImplementedError

    def rotate(self, x, times=None):
        cosines, sines = (factor.to(x.dtype) for factor in self.factors(self.check_length(x.shape[-2]), times))
        if 2 * cosines.shape[-1] != x.shape[-1]:
            raise ValueError(f"{self.name}: expected heads of width {2 * cosines.shape[-1]}, found {x.shape[-1]}")
        if self.pairing == "halves":
            a, b = x.chunk(2, dim=-1)
            return torch.cat([a * cosines - b * sines, a * sines + b * cosines], dim=-1)
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack([a * cosines - b * sines, a * sines + b * cosines], dim=-1).flatten(-2)

    def forward(self, query, key, times=None):
        return self.rotate(query, times), self.rotate(key, times)

    def rotated(self, query, key, times=None):
        return self(query, key, times)


@module_of("rope")
class Rotary(Turning):
    """Rotates pairs of coordinates of queries and keys."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        if self.options.get("rope_scaling") == "yarn":  # its temperature multiplies the logits
            self.content_share = (0.1 * math.log(self.options.get("rope_factor", 1)) + 1) ** 4

    def _values(self):
        cosines, sines = np.split(self.table(), 2, axis=1)
        near = 2.0 ** -10  # a position whose angles are below a turn
        frequency = np.arctan2(*np.split(self.table(length=1, positions=[near]), 2, axis=1)[::-1])[0] / near
        return {"cosines": cosines, "sines": sines, "frequency": frequency}  # [S, d_h / 2] twice, [d_h / 2]

    def factors(self, steps, times=None):
        if times is None:
            return self.cosines[:steps], self.sines[:steps]
        angle = (times[..., None] * self.frequency).unsqueeze(-3)
        return torch.cos(angle), torch.sin(angle)
