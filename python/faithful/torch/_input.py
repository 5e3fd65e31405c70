"""Where an encoding meets the input: added to it, or concatenated to it. x is [.., S, width]."""
from __future__ import annotations

import torch

from ._base import Position


class Sum(Position):
    """Codes, added to the input."""

    def codes(self, steps):
        """[steps, d]"""
        raise NotImplementedError

    def scale_factor(self):
        """What the codes at the start are multiplied by, as options["scale"] asks."""
        scaled, plain = self.table(), self.table(scale="as-defined")
        place = plain.argmax()
        return float(scaled.flat[place] / plain.flat[place])

    def forward(self, x):
        codes = self.codes(self.check_length(x.shape[-2]))
        if x.shape[-1] != codes.shape[-1]:
            raise ValueError(f"{self.name}: expected width {codes.shape[-1]}, found {x.shape[-1]}")
        return x + codes.to(x.dtype)


class Added(Sum):
    """A fixed table, added: every additive encoding that learns nothing."""

    def _values(self):
        return {"codes_table": self.table()}

    def codes(self, steps):
        return self.codes_table[:steps]


class FromSignal(Position):
    """Codes that are computed from the input itself, and added to it. There is no table."""

    def codes_of(self, x):
        """[.., S, d], from x [.., S, d] with zeros at padding"""
        raise NotImplementedError

    def forward(self, x, mask=None):
        """mask [.., S]: True where a step is there, False where it is padding; None: all are there."""
        self.check(x)
        return x + self.codes_of(x if mask is None else x * mask.unsqueeze(-1).to(x.dtype))

    def check(self, x):
        self.check_length(x.shape[-2])
        if x.shape[-1] != self.options["dim"]:
            raise ValueError(f"{self.name}: expected width {self.options['dim']}, found {x.shape[-1]}")


class Beside(Position):
    """Features, concatenated to the input: [.., S, width + features]."""

    def features(self, steps):
        """[steps, features]"""
        raise NotImplementedError

    def forward(self, x):
        features = self.features(self.check_length(x.shape[-2])).to(x.dtype)
        return torch.cat([x, features.expand(*x.shape[:-1], -1)], dim=-1)
