import numpy as np
import torch
from torch.nn import functional

from .._attention import LogitBias
from .._base import module_of
from .._positions import wide


@module_of("fire")
class Fire(LogitBias):
    """A learned network of sign(i - j) psi(|i - j|) / psi(max(L, S - 1)), psi(x) = ln(1 + c x); ln c and ln L are learned."""

    LEARNED = ("log_rates", "first", "first_bias", "second", "second_bias")
    EXACT = ("log_rates",)

    def _values(self):
        start, heads = self.start(), self.options.get("heads", 8)
        hidden = (len(start) - 2 - heads) // (2 + heads)
        rates, w1, b1, w2, b2 = np.split(start, np.cumsum([2, hidden, hidden, heads * hidden]))
        return {"log_rates": rates, "first": w1[:, None], "first_bias": b1, "second": w2.reshape(heads, -1), "second_bias": b2}

    def bias(self, places):
        c, threshold = self.log_rates.exp()
        earlier = -places.offsets()
        x = earlier.sign() * torch.log1p(c * earlier.abs()) / torch.log1p(c * threshold.clamp(min=self.length - 1))
        hidden = functional.relu(x[..., None] * wide(self.first)[:, 0] + wide(self.first_bias))
        return functional.linear(hidden, wide(self.second), wide(self.second_bias)).movedim(-1, -3)
