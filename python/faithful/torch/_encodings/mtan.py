import numpy as np
import torch

from .._base import module_of
from .._input import Beside
from .._positions import real


@module_of("mtan", "time2vec")
class Concatenated(Beside):
    """A line and sines over t from 0 to 1, concatenated to the input. [.., S, width + time_dim]"""

    LEARNED = ("frequency", "phase")
    EXACT = LEARNED
    EXTENDS = True

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        at = np.asarray(self.options.get("positions", [0, self.length - 1]), dtype=np.float64)
        self.first, self.span = float(at.min()), float(at.max() - at.min()) or 1.0  # t is 0 to 1 over these

    def _values(self):
        frequency, phase = self.start().reshape(2, -1)
        return {"frequency": frequency, "phase": phase}

    def features_at(self, at):
        waves = ((real(at, self.frequency) - self.first) / self.span)[..., None] * self.frequency + self.phase
        return torch.cat([waves[..., :1], torch.sin(waves[..., 1:])], dim=-1)
