"""X as people have it, as the classifier takes it: a list of series [T, C]."""
from __future__ import annotations

import numpy as np

from ._options import found, one_of, real_array, unmasked

AXES = ("auto", "ntc", "nct")
MISSING = ("error", "interpolate", "mask")
_REMEDY = 'is it (samples, channels, time), as in aeon? Then say axes="nct"'


def _is_sparse(X):
    return hasattr(X, "toarray") and hasattr(X, "nnz")


def _is_frame(X):
    return hasattr(X, "columns") and hasattr(X, "iloc")


def _is_ragged(X):
    """A list of series (or an array of objects that are series): each an array, or lists of lists of numbers."""
    listed = isinstance(X, (list, tuple)) or (isinstance(X, np.ndarray) and X.dtype == object and X.ndim == 1)
    return listed and len(X) > 0 and np.ndim(unmasked(X[0])) == 2


def _nested(X):
    """The series [T, C] of a DataFrame whose cells are series (sktime's nested_univ) or whose rows have two indices,
    (sample, time) (pd-multiindex). None: it is neither."""
    if not _is_frame(X) or len(X) == 0 or X.shape[1] == 0:
        return None
    if getattr(X.index, "nlevels", 1) == 2:
        return [rows.to_numpy() for _, rows in X.groupby(level=0, sort=False)]
    if np.ndim(X.iloc[0, 0]) != 1:
        return None
    samples = []
    for i in range(len(X)):
        cells = [np.asarray(unmasked(cell)) for cell in X.iloc[i]]
        if any(np.shape(cell) != (len(cells[0]),) for cell in cells):
            raise ValueError(f"X: expected cells of row {i} with series of one length, found shapes "
                             f"{', '.join(str(np.shape(cell)) for cell in cells[:4])}")
        samples.append(np.column_stack(cells))
    return samples


def _array_of(X, may_miss):
    """X as one array of two or three axes."""
    array = real_array("X", X, np.float32, may_miss)
    if array.ndim not in (2, 3):
        hint = ". Reshape your data: X.reshape(1, -1) for one sample, X.reshape(-1, 1) for one column"
        raise ValueError("X: expected shape (samples, time, channels), or (samples, time) for one channel, found "
                         f"{found(array)}{hint if array.ndim < 2 else ''}")
    if len(array) == 0:
        raise ValueError(f"X: expected at least one sample, found 0 sample(s) (shape={array.shape})")
    if 0 in array.shape:
        raise ValueError(f"X: expected at least one value a sample, found 0 feature(s) (shape={array.shape}) while a "
                         "minimum of 1 is required.")
    return array


def _check_series(series, axes, channels):
    """That all have the same channels; "auto": that time is the longer axis, or that channels are those of training."""
    first = series[0].shape[-1]
    turned = axes == "auto" and len({one.shape[:1] for one in series}) == 1
    for i, one in enumerate(series):
        if one.ndim != 2 or one.shape[1] != first or len(one) == 0:
            raise ValueError(f"X[{i}]: expected shape (time, {first} channels), found {found(one)} (in order time, "
                             f"channels{'; ' + _REMEDY if turned else ''})")
    if axes == "auto" and first != channels and first > max(len(one) for one in series):
        raise ValueError(f"X: expected (samples, time, channels), found {first} channels of at most "
                         f"{max(len(one) for one in series)} samples in time; {_REMEDY}. Else say axes=\"ntc\"")


def _shown(series):
    """Without the steps at the end that have no reading: those are padding."""
    out = []
    for i, one in enumerate(series):
        seen = np.flatnonzero(~np.isnan(one).all(axis=1))
        if len(seen) == 0:
            raise ValueError(f"X[{i}]: expected at least one reading, found NaN alone (Input contains NaN)")
        out.append(one[:seen[-1] + 1])
    return out


def series_of(X, axes="auto", missing="error", channels=None):
    """Samples as a list of arrays [T, C] of float32, and the number of columns where X is a table [n, T] (else None).

    X: [n, T, C] (axes "ntc") or [n, C, T] ("nct"); a table [n, T], one channel; a list of [T, C] of unequal lengths; a
    nested DataFrame. channels: of training, where they are known.
    """
    one_of(*AXES)("axes", axes)
    may_miss = one_of(*MISSING)("missing", missing) != "error"
    if _is_sparse(X):
        raise TypeError("X: expected a dense array, found a sparse one (sparse data is not supported: X.toarray())")
    columns, nested = None, _nested(X)
    if nested is not None or _is_ragged(X):
        series = [real_array(f"X[{i}]", one, np.float32, may_miss) for i, one in enumerate(X if nested is None else nested)]
    else:
        array = _array_of(X, may_miss)
        columns = array.shape[1] if array.ndim == 2 else None
        series = list(array if columns is None else array[:, :, None])
    if columns is None:
        if axes == "nct" and nested is None:
            series = [one.T for one in series]
        _check_series(series, axes if nested is None else "ntc", channels)
    return (_shown(series) if missing == "mask" else series), columns


def check_not_one_series(shape, channels, length):
    """A table for a model of series [T, C] is often one series that lacks the axis of samples."""
    if channels > 1 or (shape[1] == 1 and length > 1):
        one = 1 in (channels, *shape) or channels in shape
        raise ValueError(f"X: expected shape (samples, time, {channels} channel{'s' * (channels > 1)}), found {shape}, which "
                         f"has two axes{'. For one series, pass X[None]' if one else ''}")


def check_channels(shape, channels):
    """shape: (time, channels) of the first series."""
    if shape[1] != channels:
        hint = f" ({_REMEDY})" if shape[0] == channels else ""
        raise ValueError(f"X: expected {channels} channels, as in training, found {shape[1]}{hint}")
