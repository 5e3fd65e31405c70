"""Encodings of the input: added to it, or set beside it. x is [.., S, width]."""
from __future__ import annotations

import torch

from ._base import Position


class Nothing(Position):
    """The control without any position."""

    def forward(self, x):
        return x


class _Sum(Position):
    def codes(self, steps):
        """[steps, d]"""
        raise NotImplementedError

    def forward(self, x):
        codes = self.codes(self.check_length(x.shape[-2]))
        if x.shape[-1] != codes.shape[-1]:
            raise ValueError(f"{self.name}: expected width {codes.shape[-1]}, found {x.shape[-1]}")
        return x + codes.to(x.dtype)


class Added(_Sum):
    """A fixed table, added: sinusoidal, dft, tape, onehot, haar."""

    def _values(self):
        return {"codes_table": self.table()}

    def codes(self, steps):
        return self.codes_table[:steps]


class LearnedTable(_Sum):
    """A free vector for every position."""

    LEARNED = ("weight",)

    def _values(self):
        return {"weight": self.table()}

    def codes(self, steps):
        return self.weight[:steps]


class LearnedFrequency(_Sum):
    """sqrt(1/d) cos(w s + b) with learned w and b."""

    LEARNED = ("frequency", "phase")

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        scaled, plain = self.table(), self.table(scale="as-defined")
        place = plain.argmax()
        self.factor = float(scaled.flat[place] / plain.flat[place]) / self.options["dim"] ** 0.5

    def _values(self):
        frequency, phase = self.start().reshape(2, -1)
        return {"frequency": frequency, "phase": phase, "at": self.positions()}

    def codes(self, steps):
        return self.factor * torch.cos(self.at[:steps, None] * self.frequency + self.phase)


class Concatenated(Position):
    """A line and sines over t from 0 to 1, set beside the input: mtan, time2vec. [.., S, width + time_dim]"""

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

    def forward(self, x):
        features = self.features(self.check_length(x.shape[-2])).to(x.dtype)
        return torch.cat([x, features.expand(*x.shape[:-1], -1)], dim=-1)
