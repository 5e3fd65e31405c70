import numpy as np
import torch
from torch.nn import functional

from .._base import module_of
from .._input import Sum
from .._positions import wide


@module_of("fourier-features")
class FourierFeatures(Sum):
    """A learned network of cos(w s) and sin(w s) with learned frequencies w."""

    LEARNED = ("frequency", "first", "first_bias", "second", "second_bias")
    EXACT = ("frequency",)
    EXTENDS = True

    def _values(self):
        start, d = self.start(), self.options["dim"]
        n = -(-d // 4)
        hidden = (len(start) - n - d) // (2 * n + 1 + d)
        w, w1, b1, w2, b2 = np.split(start, np.cumsum([n, hidden * 2 * n, hidden, d * hidden]))
        return {"frequency": w, "first": w1.reshape(hidden, -1), "first_bias": b1,
                "second": self.scale_factor() * w2.reshape(d, -1), "second_bias": b2}

    def codes_at(self, at):
        angle = at[..., None] * self.frequency
        waves = torch.cat([torch.cos(angle), torch.sin(angle)], dim=-1) / (2 * len(self.frequency)) ** 0.5
        first, first_bias, second, second_bias = (
            wide(x).to(waves.dtype) for x in (self.first, self.first_bias, self.second, self.second_bias))
        return functional.linear(functional.gelu(functional.linear(waves, first, first_bias)), second, second_bias)
