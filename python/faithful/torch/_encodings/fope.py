import numpy as np
import torch
from torch.nn import functional

from .._base import module_of
from .._positions import wide
from .rope import Turning


@module_of("fope")
class Fope(Turning):
    """Multiplies pairs of coordinates by learned Fourier series of the frequencies that turn once in `length`."""

    LEARNED = ("coefficients",)

    def _values(self):
        start = self.start()
        n = round(len(start) ** 0.5)
        frequency = self.options.get("rho", 1e4) ** (-2 * np.arange(n) / self.head_width())
        return {"coefficients": start.reshape(n, n), "frequency": frequency}

    def factors(self, at):
        pad, angle = self.head_width() // 2 - len(self.coefficients), at[..., None] * self.frequency
        coefficients = wide(self.coefficients).to(angle.dtype)
        series = [torch.matmul(wave(angle), coefficients.T) for wave in (torch.cos, torch.sin)]
        return functional.pad(series[0], (0, pad), value=1.0), functional.pad(series[1], (0, pad))
