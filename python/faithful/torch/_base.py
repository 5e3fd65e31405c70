"""What all position modules share."""
from __future__ import annotations

import numpy as np
import torch
from torch import nn

from .. import _core, encode, encodings
from .._options import ENCODING, checked, whole

MODULES: dict = {}  # name of an encoding -> its class


def module_of(*names):
    """Decorates the class that stands for the encodings of these names."""
    def register(cls):
        MODULES.update(dict.fromkeys(names, cls))
        return cls
    return register


def offsets(steps, length, device):
    """[S, S]: j - i + length - 1, the row of an offset in a table of 2 length - 1."""
    at = torch.arange(steps, device=device)
    return at[None, :] - at[:, None] + (length - 1)


def interpolated(table, offset):
    """[.., S, S, ...]: rows of table [2 clip + 1, ...] at real offsets, clipped, and on the line between two of them"""
    clip = len(table) // 2
    place = offset.clamp(-clip, clip) + clip
    low = place.floor()
    share = (place - low).reshape(*place.shape, *[1] * (table.dim() - 1)).to(table.dtype)
    low = low.long()
    return table[low] + share * (table[(low + 1).clamp(max=2 * clip)] - table[low])


class Position(nn.Module):
    """An encoding for at most `length` positions. A subclass says in _values() what it is made of; LEARNED names those of
    them that training moves."""

    LEARNED: tuple = ()

    def __init__(self, name, length, dim=None, *, dtype=None, device=None, **options):
        super().__init__()
        self.name = name
        self.length = whole("length", length, 1)
        self.takes_times = encodings()[name].real_positions
        said = {"length": length, "dim": dim, **options}
        checked(said, ENCODING)
        self.options = {key: value for key, value in said.items() if value is not None}
        for key, value in self._values().items():
            # Copied: nothing outside of the module shares its memory.
            tensor = torch.tensor(value, device=device,
                                  dtype=torch.int64 if value.dtype.kind == "i" else dtype or torch.get_default_dtype())
            if key in self.LEARNED:
                self.register_parameter(key, nn.Parameter(tensor))
            else:
                self.register_buffer(key, tensor, persistent=False)

    def _values(self):
        """{name: array}, computed by the C++ library."""
        return {}

    def reset_parameters(self):
        """Everything as the constructor made it; what a module on the meta device needs after to_empty()."""
        with torch.no_grad():
            for key, value in self._values().items():
                getattr(self, key).copy_(torch.from_numpy(np.ascontiguousarray(value)))

    def table(self, **other):
        """The encoding's table as C++ builds it."""
        options = {**self.options, **other}
        return encode(self.name, options.pop("length"), options.pop("dim", None), **options)

    def start(self):
        """The start values of what is learned, as one row of numbers."""
        return np.asarray(_core.start_parameters(self.name, checked(self.options, ENCODING)))

    def learned(self):
        """What is learned, as one row of numbers: faithful.encode(..., parameters=...) takes it."""
        return np.concatenate([np.zeros(0), *(p.detach().cpu().double().numpy().ravel() for p in self.parameters())])

    def positions(self):
        """[S]: 0, 1, 2, .. or the real-valued ones that were given."""
        return np.asarray(self.options.get("positions", np.arange(self.length)), dtype=np.float64)

    def check_length(self, steps):
        if steps > self.length:
            raise ValueError(f"{self.name}: expected at most {self.length} positions, found {steps}")
        return steps

    def extra_repr(self):
        return ", ".join([repr(self.name), *(f"{k}={v!r}" for k, v in self.options.items() if np.ndim(v) == 0)])
