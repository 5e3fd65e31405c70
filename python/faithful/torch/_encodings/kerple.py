import numpy as np
import torch

from .._attention import LogitBias
from .._base import module_of


@module_of("kerple")
class Kerple(LogitBias):
    """-r1 ln(1 + r2 |i - j|); the logarithms of r1 and r2 are learned, so that both stay positive."""

    LEARNED = ("log_rates",)

    def _values(self):
        return {"log_rates": np.log(self.start().reshape(2, -1)), "at": self.positions()}

    def learned(self):
        return np.exp(super().learned())

    def bias(self, steps, times=None):
        r1, r2 = self.log_rates.exp()[:, :, None, None]
        return -r1 * torch.log1p(r2 * self.offsets(steps, times).unsqueeze(-3).abs())
