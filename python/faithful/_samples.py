"""X and y as people have them, as the classifier takes them."""
from __future__ import annotations

import warnings

import numpy as np

from ._bases import DataConversionWarning
from ._options import found, real_array

AXES = ("ntc", "nct")


def _is_sparse(X):
    return hasattr(X, "toarray") and hasattr(X, "nnz")


def _is_ragged(X):
    """A list of series (or an array of objects that are series): each an array, or lists of lists of numbers."""
    listed = isinstance(X, (list, tuple)) or (isinstance(X, np.ndarray) and X.dtype == object and X.ndim == 1)
    return listed and len(X) > 0 and np.ndim(X[0]) == 2


def series_of(X, axes):
    """Samples as a list of arrays [T, C] of float32, and the number of columns where X is a table [n, T] (else None).

    X: [n, T, C] (axes "ntc") or [n, C, T] ("nct"); a table [n, T], one channel; a list of [T, C] of unequal lengths.
    """
    if _is_sparse(X):
        raise TypeError("X: expected a dense array, found a sparse one (sparse data is not supported: X.toarray())")
    if axes not in AXES:
        raise ValueError(f"axes: expected ntc or nct, found {axes!r}")
    if _is_ragged(X):
        series = [real_array(f"X[{i}]", one, np.float32) for i, one in enumerate(X)]
    else:
        array = real_array("X", X, np.float32)
        if array.ndim not in (2, 3):
            hint = ". Reshape your data: X.reshape(1, -1) for one sample, X.reshape(-1, 1) for one column"
            raise ValueError("X: expected shape (samples, time, channels), or (samples, time) for one channel, found "
                             f"{found(array)}{hint if array.ndim < 2 else ''}")
        if len(array) == 0:
            raise ValueError(f"X: expected at least one sample, found 0 sample(s) (shape={array.shape})")
        if 0 in array.shape:
            raise ValueError(f"X: expected at least one value a sample, found 0 feature(s) (shape={array.shape}) while a "
                             "minimum of 1 is required.")
        if array.ndim == 2:
            return list(array[:, :, None]), array.shape[1]
        series = list(array)
    if axes == "nct":
        series = [one.T for one in series]
    channels = series[0].shape[-1]
    for i, one in enumerate(series):
        if one.ndim != 2 or one.shape[1] != channels or len(one) == 0:
            raise ValueError(f"X[{i}]: expected shape (time, {channels} channels), found {found(one)} (in order time, "
                             "channels)")
    return series, None


def classes_of(y, samples):
    """(classes, sorted, of the dtype of y; the number of the class of each sample)"""
    if y is None:
        raise ValueError("y: expected the class of every sample, found None (the estimator requires y to be passed, but "
                         "the target y is None)")
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        warnings.warn("A column-vector y was passed when a 1d array was expected: its one column is taken. y.ravel() has "
                      "the shape (samples,)", DataConversionWarning, stacklevel=3)
        array = array.ravel()
    if array.ndim != 1:
        raise ValueError(f"y: expected one class a sample, shape (samples,), found {found(array)}")
    if len(array) != samples:
        raise ValueError(f"y: expected {samples} classes, one a sample of X, found {len(array)} (inconsistent numbers of "
                         "samples)")
    if array.dtype.kind == "f":
        if not np.isfinite(array).all():
            raise ValueError("y: expected classes, found NaN or infinity (Input y contains NaN or infinity)")
        if (array != np.floor(array)).any():
            raise ValueError("y: expected classes, found numbers with a fraction. Unknown label type: continuous")
    classes, numbers = np.unique(array, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y: expected at least two classes, found one class, {classes[0]!r}, in {samples} sample(s)"
                         if samples > 1 else "X: expected two samples or more, found 1 sample")
    return classes, numbers
