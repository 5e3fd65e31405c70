"""The encodings of the catalog as arrays."""
from __future__ import annotations

import dataclasses
import typing

import numpy as np

from . import _core
from ._options import encoding_options, found, number, one_of, real_array, text


EncodingName = typing.Literal[tuple(one["name"] for one in _core.encodings())]


@dataclasses.dataclass(frozen=True)
class CatalogEntry:
    """All there is to know about one encoding without building it."""

    name: str
    kind: str
    description: str
    enters: str
    parameters: dict  # name of the argument -> (default, meaning)
    learned: bool
    start: str
    real_positions: bool
    citation: str

    def __repr__(self):
        return f"<{self.name}: {self.description}>"


def encodings():
    """Every encoding, by name, in the order in which docs/encodings.md explains them."""
    entries = {}
    for entry in _core.encodings():
        entries[entry["name"]] = CatalogEntry(**entry)
    return entries


def encode(name, length=None, dim=None, *, dtype=np.float64, **options):
    """The table of an encoding.

    Additive encodings [S, d]; mtan, time2vec [S, time_dim]; rope [S, d/heads], cosines then sines; biases [heads, S, S];
    shaw [2, 2 clip + 1, d/heads], keys then values. Learned encodings are given as training starts.

    options: heads, scale, seed, positions, parameters, and those that single encodings have: rho, period, clip, ..;
    encodings()[name].parameters says which mean something for which encoding.
    """
    wanted = np.dtype(dtype)
    if wanted not in (np.float32, np.float64):
        raise TypeError(f"dtype: expected float32 or float64, found {wanted}")
    values, _ = _core.encode(text("name", name), encoding_options(length, dim, options), wanted == np.float32)
    if name == "none":
        raise ValueError("name: expected an encoding that has a table, found 'none' (it adds nothing to the model)")
    return values


def decode(codes, *, encoding="dft", length=None, scale=1.0, **options):
    """The positions of rows of a DFT or spectral encoding [n, d] (or of one row [d]): those of the nearest codes. They are
    exact for every code, also after noise below half the smallest distance between codes.

    encoding: "dft" or "spectral". length (of spectral; default: the number of rows), scale (a factor) and options (period,
    length_scale, spectrum, smoothness, basis) as they were given to encode."""
    array = real_array("codes", codes)
    if array.ndim not in (1, 2) or array.shape[-1] == 0:
        raise ValueError(f"codes: expected rows of codes, shape (n, d), found {found(array)}")
    one_of("dft", "spectral")("encoding", encoding)
    rows = np.atleast_2d(array)
    factor = number("scale", scale)
    if factor <= 0:
        raise ValueError(f"scale: expected a positive number, found {factor}")
    said = encoding_options(max(len(rows), 1) if length is None else length, rows.shape[1], options)
    positions = _core.decode(encoding, rows, said, factor)
    return positions if array.ndim == 2 else int(positions[0])
