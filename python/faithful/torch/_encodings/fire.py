import numpy as np
import torch
from torch.nn import functional

from .._attention import LogitBias
from .._base import module_of


@module_of("fire")
class Fire(LogitBias):
    """A learned network of sign(i - j) psi(|i - j|) / psi(max(L, S - 1)), psi(x) = ln(1 + c x); ln c and ln L are learned."""

    LEARNED = ("log_rates", "first", "first_bias", "second", "second_bias")

    def _values(self):
        start, heads = self.start(), self.options.get("heads", 8)
        hidden = (len(start) - 2 - heads) // (2 + heads)
        rates, w1, b1, w2, b2 = np.split(start, np.cumsum([2, hidden, hidden, heads * hidden]))
        return {"log_rates": rates, "first": w1[:, None], "first_bias": b1, "second": w2.reshape(heads, -1),
                "second_bias": b2, "at": self.positions()}

    def bias(self, steps, times=None):
        c, threshold = self.log_rates.exp()
        earlier = -self.offsets(steps, times)
        x = earlier.sign() * torch.log1p(c * earlier.abs()) / torch.log1p(c * threshold.clamp(min=self.length - 1))
        hidden = functional.relu(functional.linear(x[..., None], self.first, self.first_bias))
        return functional.linear(hidden, self.second, self.second_bias).movedim(-1, -3)
