"""What all position modules share: where steps stand, what is learned, and that both keep their digits."""
from __future__ import annotations

import numpy as np
import torch
from torch import nn

from .. import _core, encode, encodings
from .._options import ENCODING, checked, whole
from ._positions import LOW, Placed

MODULES: dict = {}  # name of an encoding -> its class


def module_of(*names):
    """Decorates the class that stands for the encodings of these names."""
    def register(cls):
        MODULES.update(dict.fromkeys(names, cls))
        return cls
    return register


class Position(Placed, nn.Module):
    """An encoding for `length` positions. A subclass says in _values() what it is made of.

    Positions are whole numbers (int64), or real ones in float32 at least. Tables, and the learned values that positions
    multiply, stay in float32 at least, whatever .to() asks for; what a module returns has the dtype that was asked for."""

    LEARNED = ()  # the values that training moves
    EXACT = ()  # those of them that positions multiply
    EXTENDS = False  # whether the formula goes on beyond `length`

    def __init__(self, name, length, dim=None, *, dtype=None, device=None, **options):
        super().__init__()
        self.name = name
        self.length = whole("length", length, 1)
        self.entry = encodings()[name]
        self.extends = self.EXTENDS
        self.takes_real = self.entry.real_positions
        said = {"length": length, "dim": dim, **options}
        checked(said, ENCODING)
        self.options = {key: value for key, value in said.items() if value is not None}
        self.draw_seed()
        dtype = dtype or torch.get_default_dtype()
        self.register_buffer("like", torch.empty(0, dtype=dtype, device=device), persistent=False)
        for key, value in self._all_values().items():
            learned = key in self.LEARNED
            kept = torch.float32 if dtype in LOW and (key in self.EXACT or not learned) else dtype
            # Copied: nothing outside of the module shares its memory.
            tensor = torch.tensor(value, device=device, dtype=torch.int64 if value.dtype.kind == "i" else kept)
            if learned:
                self.register_parameter(key, nn.Parameter(tensor))
            else:
                self.register_buffer(key, tensor, persistent=False)

    def _values(self):
        """{name: array}, computed by the C++ library."""
        return {}

    def _all_values(self):
        given = self.options.get("positions")
        return self._values() if given is None else {**self._values(), "given": np.asarray(given, dtype=np.float64)}

    def _apply(self, fn, *args, **kwargs):
        """What .to(), .half(), .cuda(), .. do with each tensor: tables and EXACT values get the device, but not fewer digits."""
        kept = {id(buffer) for key, buffer in self._buffers.items() if key != "like"}
        for parameter in (self._parameters[key] for key in self.EXACT if key in self._parameters):
            kept.update((id(parameter), id(parameter.grad)))

        def keep_digits(tensor):
            moved = fn(tensor)
            return tensor.to(moved.device, torch.float32) if id(tensor) in kept and moved.dtype in LOW else moved
        return super()._apply(keep_digits, *args, **kwargs)

    def draw_seed(self):
        """The seed of the start values: the option, else one of torch's own generator, new for each module."""
        self.start_seed = self.options.get("seed", 1)
        if self.LEARNED and "seed" not in self.options:
            self.start_seed = int(torch.empty((), dtype=torch.int64, device="cpu").random_())

    def reset_parameters(self):
        """Draws start values anew, as modules of torch.nn do; the same ones where the option `seed` was given. Tables are
        filled too, which a module on the meta device needs after to_empty()."""
        self.draw_seed()
        with torch.no_grad():
            for key, value in self._all_values().items():
                getattr(self, key).copy_(torch.from_numpy(np.ascontiguousarray(value)))

    def table(self, **other):
        """The encoding's table as C++ builds it, with the start values of this module."""
        options = {**self.options, **other}
        if "seed" in self.entry.parameters:
            options["seed"] = self.start_seed
        return encode(self.name, options.pop("length"), options.pop("dim", None), **options)

    def device(self):
        return self.like.device

    def given_positions(self):
        return self._buffers.get("given")

    def table_frequencies(self):
        """Those that C++ says the table is made of, each once, in radians per position."""
        _, found = _core.encode(self.name, checked(self.options, ENCODING), False)
        return np.asarray(found)

    def start(self):
        """The start values of what is learned, as one row of numbers."""
        return np.asarray(_core.start_parameters(self.name, checked({**self.options, "seed": self.start_seed}, ENCODING)))

    def learned(self):
        """What is learned, as one row of numbers: faithful.encode(..., parameters=...) takes it."""
        return np.concatenate([np.zeros(0), *(p.detach().cpu().double().numpy().ravel() for p in self.parameters())])

    def extra_repr(self):
        return ", ".join([repr(self.name), *(f"{k}={v!r}" for k, v in self.options.items() if np.ndim(v) == 0)])
