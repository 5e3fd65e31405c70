import torch

from .._base import module_of
from .._input import Beside


@module_of("mtan", "time2vec")
class Concatenated(Beside):
    """A line and sines over t from 0 to 1, concatenated to the input. [.., S, width + time_dim]"""

    LEARNED = ("frequency", "phase")

    def _values(self):
        frequency, phase = self.start().reshape(2, -1)
        at = self.positions()
        span = at.max() - at.min()
        return {"frequency": frequency, "phase": phase, "at": (at - at.min()) / (span if span > 0 else 1)}

    def features(self, steps):
        """[steps, time_dim]"""
        waves = self.at[:steps, None] * self.frequency + self.phase
        return torch.cat([waves[:, :1], torch.sin(waves[:, 1:])], dim=-1)
