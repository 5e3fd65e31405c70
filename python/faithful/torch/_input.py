"""Where an encoding meets the input: added to it, or concatenated to it. x is [.., S, width]."""
from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor

from ._base import Position
from ._positions import real


class Sum(Position):
    """Codes, added to the input."""

    def codes_at(self, at):
        """[.., S, d], for positions at [.., S]"""
        raise NotImplementedError

    def codes(self, steps, offset=0, positions=None):
        """[steps, d], or [.., steps, d] where positions are [.., steps]"""
        return self.wide_codes(steps, offset, positions).to(self.like.dtype)

    def wide_codes(self, steps, offset, positions):
        return self.codes_at(self.place(steps, offset, positions))

    def scale_factor(self):
        """What the codes at the start are multiplied by, as options["scale"] asks."""
        scaled, plain = self.table(), self.table(scale="as-defined")
        place = plain.argmax()
        return float(scaled.flat[place] / plain.flat[place])

    def forward(self, x, positions: Optional[Tensor] = None, offset: int = 0):
        codes = self.wide_codes(x.shape[-2], offset, positions)
        if x.shape[-1] != codes.shape[-1]:
            raise ValueError(f"{self.name}: expected width {codes.shape[-1]}, found {x.shape[-1]}")
        return x + codes.to(x.dtype)


class Table(Sum):
    """Rows of a table [length, d], fixed or learned. Where the constructor was given real positions, it is the table of
    theirs, and a call still counts rows."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.takes_real = False

    def rows(self):
        """[length, d]"""
        raise NotImplementedError

    def wide_codes(self, steps: int, offset: int, positions: Optional[Tensor]):
        if positions is not None:
            return self.rows()[self.check_positions(positions, steps)]
        self.check_length(offset + steps, offset)
        return self.rows()[offset:offset + steps]


class Added(Table):
    """A fixed table, added: every additive encoding that learns nothing."""

    def _values(self):
        return {"codes_table": self.table()}

    def rows(self):
        return self.codes_table


class Waves(Added):
    """Sines and cosines of any position, in the layout of the table."""

    EXTENDS = True

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.takes_real = self.entry.real_positions
        self.factor = self.scale_factor()

    def _values(self):
        return {**super()._values(), "frequency": self.table_frequencies()}

    def wide_codes(self, steps, offset, positions):
        if positions is None and (self.given_positions() is not None or offset + steps <= self.length):
            return super().wide_codes(steps, offset, positions)  # to the last bit that of the library
        return self.codes_at(self.place(steps, offset, positions))

    def codes_at(self, at):
        angle = (real(at, self.frequency)[..., None] + self.options.get("first_position", 0.0)) * self.frequency
        sines, cosines = torch.sin(angle), torch.cos(angle[..., :self.options["dim"] // 2])
        if self.options.get("layout") == "halves":
            return self.factor * torch.cat([sines, cosines], dim=-1)
        pairs = torch.stack([sines[..., :cosines.shape[-1]], cosines], dim=-1).flatten(-2)
        return self.factor * torch.cat([pairs, sines[..., cosines.shape[-1]:]], dim=-1)


class FromSignal(Position):
    """Codes that are computed from the input itself, and added to it. There is no table, and there are no positions."""

    EXTENDS = True

    def codes_of(self, x):
        """[.., S, d], from x [.., S, d] with zeros at padding"""
        raise NotImplementedError

    def forward(self, x, mask=None):
        """mask [.., S]: True where a step is there, False where it is padding; None: all are there."""
        self.check(x)
        return x + self.codes_of(self.without_padding(x, mask))

    def without_padding(self, x, mask):
        return x if mask is None else x.masked_fill(~mask.bool().unsqueeze(-1), 0.0)  # also where padding holds NaN

    def check(self, x):
        if x.shape[-1] != self.options["dim"]:
            raise ValueError(f"{self.name}: expected width {self.options['dim']}, found {x.shape[-1]}")


class Beside(Position):
    """Features, concatenated to the input: [.., S, width + features]."""

    def features_at(self, at):
        """[.., S, features], for positions at [.., S]"""
        raise NotImplementedError

    def features(self, steps, offset=0, positions=None):
        """[steps, features], or [.., steps, features]"""
        return self.features_at(self.place(steps, offset, positions)).to(self.like.dtype)

    def forward(self, x, positions=None, offset=0):
        features = self.features_at(self.place(x.shape[-2], offset, positions)).to(x.dtype)
        return torch.cat([x, features.expand(*x.shape[:-1], -1)], dim=-1)
