import torch

from .._base import module_of
from .._input import Sum


@module_of("learned-frequency")
class LearnedFrequency(Sum):
    """sqrt(1/d) cos(w s + b) with learned w and b."""

    LEARNED = ("frequency", "phase")
    EXACT = LEARNED
    EXTENDS = True

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.factor = self.scale_factor() / self.options["dim"] ** 0.5

    def _values(self):
        frequency, phase = self.start().reshape(2, -1)
        return {"frequency": frequency, "phase": phase}

    def codes_at(self, at):
        return self.factor * torch.cos(at[..., None] * self.frequency + self.phase)
