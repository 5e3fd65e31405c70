"""The one place where positions are made: those of the steps of an input, and those of queries and keys."""
from __future__ import annotations

from typing import NamedTuple, Optional

import torch
from torch import Tensor

LOW = (torch.bfloat16, torch.float16)  # too few digits for positions: bfloat16 has no odd number above 256


def wide(x):
    """x in float32 at least."""
    return x.float() if x.dtype in LOW else x


def real(at, like):
    """Positions as real numbers, in the dtype of `like` where they are whole."""
    return at if at.is_floating_point() else at.to(like.dtype)


def values_known(x):
    """Whether the values of x may be looked at: no compiler follows, and no device has to be waited for."""
    compiling = getattr(getattr(torch, "compiler", None), "is_compiling", lambda: False)
    return x.device.type == "cpu" and not compiling() and not torch.jit.is_tracing()


class Placed:
    """Where steps stand: every position is made here. A module of torch takes `name`, `length`, `extends` and `takes_real` from
    its encoding."""

    def device(self):
        raise NotImplementedError

    def given_positions(self):
        """[length]: those that the constructor was given, or None"""
        return None

    def place(self, steps, offset=0, positions=None):
        """[steps], or [.., steps] where positions are: where these steps stand. Every position is made here: offset,
        offset + 1, ..; those that the constructor was given; or those of this call."""
        if positions is not None:
            return self.check_positions(positions, steps)
        given = self.given_positions()
        if given is not None or not self.extends:
            self.check_length(offset + steps, offset)
        if given is not None:
            return given[offset:offset + steps]
        return torch.arange(offset, offset + steps, device=self.device())

    def check_positions(self, positions: Tensor, steps: int):
        """positions, as int64 where they are whole"""
        if not torch.jit.is_scripting():
            self.refuse_positions(positions, steps)
        return positions if positions.is_floating_point() else positions.long()

    def refuse_positions(self, positions, steps):
        if positions.shape[-1] != steps:
            raise ValueError(f"positions: expected {steps} positions, one for each step, found {positions.shape[-1]}")
        if positions.dtype in LOW:
            raise ValueError(f"positions: expected whole numbers, float32 or float64, found {positions.dtype}, which rounds them")
        if positions.is_floating_point() and not self.takes_real:
            raise ValueError(f"positions: expected whole numbers for {self.name}, which takes no real ones in a call, "
                             f"found {positions.dtype}")
        if not self.extends and not positions.is_floating_point() and values_known(positions) and positions.numel():
            self.check_length(int(positions.max()) + 1, int(positions.min()))

    def check_length(self, end: int, first: int = 0):
        if end > self.length:
            raise ValueError(f"{self.name}: expected at most {self.length} positions, found {end}. Its values are for positions "
                             f"below {self.length}: make the module with a greater length")
        if first < 0:
            raise ValueError(f"{self.name}: expected positions from 0 on, found {first}")


class Anywhere(Placed):
    """Positions for an attention without encoding."""

    name, length, extends, takes_real = "attention", 0, True, True

    def __init__(self, device):
        self.on = device

    def device(self):
        return self.on


class Places(NamedTuple):
    """Where the queries and the keys of one attention stand. Whole positions are int64."""

    query: Tensor  # [.., Q]
    key: Tensor  # [.., K]
    reach: Optional[int]  # the greatest distance of whole positions; None: real ones, or not known before they are computed

    @property
    def whole(self):
        """Whether offsets are whole, so that they are rows of a table."""
        return not (self.query.is_floating_point() or self.key.is_floating_point())

    def offsets(self):
        """[.., Q, K]: the position of key j minus that of query i"""
        return self.key[..., None, :] - self.query[..., :, None]


class Call(NamedTuple):
    """What a call says of positions: those of queries, those of keys, and the first of each where they count on."""

    positions: Optional[Tensor] = None  # [.., Q]
    key_positions: Optional[Tensor] = None  # [.., K]; None: those of the queries
    offset: int = 0
    key_offset: Optional[int] = None  # None: offset where Q = K, else 0: those of a cache

    def places(self, position, query, key):
        """Those of query [.., Q, d_h] and key [.., K, d_h], made by the position module, or freely where there is none."""
        return self.places_of(Anywhere(query.device) if position is None else position, query.shape[-2], key.shape[-2])

    def places_of(self, position, queries, keys):
        first, key_positions = self.first_key(queries, keys), self.key_positions
        if key_positions is None and self.positions is not None:
            if queries != keys:
                raise ValueError(f"key_positions: expected the positions of the {keys} keys, for there are {queries} queries")
            key_positions = self.positions
        at, key_at = position.place(queries, self.offset, self.positions), position.place(keys, first, key_positions)
        reach = None
        if self.positions is None and key_positions is None:
            reach = max(first + keys - 1 - self.offset, self.offset + queries - 1 - first)
        elif values_known(at) and not (at.is_floating_point() or key_at.is_floating_point()) and at.numel() and key_at.numel():
            reach = max(int((key_at.amax(-1) - at.amin(-1)).max()), int((at.amax(-1) - key_at.amin(-1)).max()))
        return Places(at, key_at, reach)

    def first_key(self, queries, keys):
        if self.key_offset is not None:
            return self.key_offset
        return self.offset if queries == keys else 0
