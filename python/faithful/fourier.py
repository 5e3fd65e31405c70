"""The real orthonormal Fourier basis on d points and its transform.

phi_0 = 1/sqrt(d); then sqrt(2/d) cos(2 pi k t / d) and sqrt(2/d) sin(2 pi k t / d) for k = 1 .. (d-1)/2; for even d at
last cos(pi t)/sqrt(d). The DFT encoding of position s is this basis read at s.
"""
from __future__ import annotations

import numpy as np

from . import _core
from ._options import number, numbers_of, real_array, whole

__all__ = ["basis", "density", "frequencies", "inverse", "transform"]


def basis(dim):
    """[d, d]: phi_l(t) in row l and column t. Its rows are orthonormal."""
    return _core.fourier_basis(whole("dim", dim, 1, 2**14))


def frequencies(dim):
    """[d/2 + 1]: those of the basis, 2 pi k / d, in radians per sample."""
    return _core.fourier_frequencies(whole("dim", dim, 1, 2**31))


def transform(values):
    """c_l = sum_t f(t) phi_l(t) along the last axis, in O(d log d) for every length."""
    return _rows("values", values, False)


def inverse(coefficients):
    """f(t) = sum_l c_l phi_l(t) along the last axis: transform undone."""
    return _rows("coefficients", coefficients, True)


def density(frequencies, dim, sigma):
    """[d/2 + 1]: where frequencies (radians per sample) lie among those of the basis, a Gaussian kernel of width sigma;
    adds up to 1."""
    return _core.fourier_density(numbers_of("frequencies", frequencies), whole("dim", dim, 1, 2**31),
                                 _positive("sigma", sigma))


def _positive(name, value):
    if number(name, value) <= 0:
        raise ValueError(f"{name}: expected a positive number, found {value}")
    return float(value)


def _rows(name, values, backwards):
    array = real_array(name, values)
    if array.ndim == 0 or array.shape[-1] == 0:
        raise ValueError(f"{name}: expected at least one value along the last axis, found shape {array.shape}")
    rows = array.reshape(-1, array.shape[-1])
    return np.asarray(_core.fourier_transform(rows, backwards)).reshape(array.shape)
