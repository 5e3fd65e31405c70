import numpy as np
import torch

from ... import encode
from .._base import module_of
from .._input import Table


@module_of("spectral-learned")
class SpectralLearned(Table):
    """spectral with a learned length scale, or a learned weight for each frequency."""

    LEARNED = ("log_length_scale", "log_spectrum")
    EXACT = LEARNED

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.factor = self.scale_factor()

    def _values(self):
        # With equal weights the codes are the rows of the basis, up to the norm of each.
        options = {key: value for key, value in self.options.items() if key in ("dim", "period", "basis", "positions")}
        basis = encode("spectral", self.length, spectrum="flat", **options)
        column, frequency = self._frequencies()
        learned = "log_spectrum" if self.options.get("learned_spectrum") == "frequencies" else "log_length_scale"
        return {learned: self.start(), "basis": basis, "column": column, "frequency": frequency}

    def _frequencies(self):
        """The number of the frequency of each column, and the frequencies."""
        extent = max(self.length, int(np.floor(np.max(self.options.get("positions", self.length - 1)))) + 1)
        d, given, wanted = self.options["dim"], self.options.get("period", 0), self.options.get("basis", "auto")
        period = given or 2 * extent
        self.periodic = d >= period if wanted == "auto" else wanted == "periodic"
        if self.periodic:
            period = given or max(period, d)
            pairs = np.arange(1, (d - 1) // 2 + 1)
            column = np.concatenate([[0], pairs, pairs, [d // 2] * (d % 2 == 0)]).astype(np.int64)
        else:
            column = np.minimum(np.arange(d), min(d, period // 2) - 1)  # further columns are zero
        return column, 2 * np.pi * np.arange(column.max() + 1) / period

    def log_weights(self):
        """ln g of each frequency, up to a constant."""
        if "log_spectrum" in self._parameters:
            return self.log_spectrum
        scale, spectrum = torch.exp(self.log_length_scale), self.options.get("spectrum", "exponential")
        if spectrum == "exponential":
            r = torch.exp(-1 / scale)
            return -torch.log((1 - r) ** 2 + 4 * r * torch.sin(self.frequency / 2) ** 2)
        square = (self.frequency * scale) ** 2
        if spectrum == "gaussian":
            return -square / 2
        nu = self.options.get("smoothness", 1.5)
        return -(nu + 0.5) * torch.log1p(square / (2 * nu))

    def rows(self):
        log_g = self.log_weights()[self.column]
        if self.periodic:
            share = torch.softmax(log_g, 0)
            return self.factor * self.basis * torch.sqrt(share * len(share))
        rows = self.basis * torch.exp((log_g - log_g.max()) / 2)
        return self.factor * rows / torch.linalg.vector_norm(rows, dim=-1, keepdim=True)
