import math

import numpy as np
import torch

from ..._options import one_of
from .._attention import Turned
from .._base import module_of


class Turning(Turned):
    """Multiplies pairs of coordinates of queries and keys by complex numbers, factors(at): real and imaginary parts,
    [.., S, d_h / 2]."""

    def __init__(self, *args, pairing="interleaved", **options):
        super().__init__(*args, **options)
        self.pairing = one_of("interleaved", "halves")("pairing", pairing)

    def head_width(self):
        return self.options["dim"] // self.options.get("heads", 8)

    def factors(self, at):
        raise NotImplementedError

    def codes(self, steps, offset=0, positions=None):
        return torch.cat(self.factors(self.place(steps, offset, positions)), dim=-1).to(self.like.dtype)

    def rotate(self, x, positions=None, offset=0):
        """x [.., H, S, d_h]: queries or keys"""
        return self.turned(x, self.place(x.shape[-2], offset, positions))

    def turned(self, x, at):
        if x.shape[-1] != self.head_width():
            raise ValueError(f"{self.name}: expected heads of width {self.head_width()}, found {x.shape[-1]}")
        cosines, sines = (factor.unsqueeze(-3).to(x.dtype) for factor in self.factors(at))
        if self.pairing == "halves":
            a, b = x.chunk(2, dim=-1)
            return torch.cat([a * cosines - b * sines, a * sines + b * cosines], dim=-1)
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack([a * cosines - b * sines, a * sines + b * cosines], dim=-1).flatten(-2)

    def rotated(self, query, key, places):
        return self.turned(query, places.query), self.turned(key, places.key)


@module_of("rope")
class Rotary(Turning):
    """Rotates pairs of coordinates of queries and keys. With rope_scaling="yarn" both are also multiplied by its
    temperature, so that every attention has the right logits."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        yarn = self.options.get("rope_scaling") == "yarn"
        self.temperature = 0.1 * math.log(self.options.get("rope_factor", 1)) + 1 if yarn else 1.0

    def _values(self):
        near = 2.0 ** -10  # a position whose angles are below a turn
        cosines, sines = np.split(self.table(length=1, positions=[near]), 2, axis=1)
        return {"frequency": np.arctan2(sines, cosines)[0] / near}  # [d_h / 2]

    def factors(self, at):
        angle = at[..., None] * self.frequency
        return torch.cos(angle), torch.sin(angle)

    def turned(self, x, at):
        return self.temperature * super().turned(x, at)
