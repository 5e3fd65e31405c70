import numpy as np
import torch

from .._attention import LogitBias
from .._base import module_of


@module_of("kerple")
class Kerple(LogitBias):
    """-r1 ln(1 + r2 |i - j|); the logarithms of r1 and r2 are learned, so that both stay positive."""

    LEARNED = ("log_rates",)
    EXACT = ("log_rates",)

    def _values(self):
        """As the authors' code starts: r1 from U(0, 2), r2 from U(0, 1), both at least 0.01."""
        rates = np.random.default_rng(self.start_seed).uniform(size=(2, self.options.get("heads", 8))) * [[2.0], [1.0]]
        return {"log_rates": np.log(np.maximum(rates, 0.01))}

    def learned(self):
        return np.exp(super().learned())

    def bias(self, places):
        r1, r2 = self.log_rates.exp()[:, :, None, None]
        return -r1 * torch.log1p(r2 * places.offsets().unsqueeze(-3).abs())
