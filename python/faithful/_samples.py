"""X as people have it, as the classifier takes it: a list of series [T, C]."""
from __future__ import annotations

import datetime
import json
import math
import numbers
import typing
import warnings

import numpy as np

from ._options import found, missing_in, one_of, real_array, unmasked

AXES = ("auto", "ntc", "nct")
MISSING = ("error", "interpolate", "mask")
_REMEDY = 'is it (samples, channels, time), as in aeon? Then say axes="nct"'


def _is_sparse(X):
    return hasattr(X, "toarray") and hasattr(X, "nnz")


def is_frame(X):
    return hasattr(X, "columns") and hasattr(X, "iloc")


def _is_ragged(X):
    """A list of series (or an array of objects that are series): each an array, or lists of lists of numbers."""
    listed = isinstance(X, (list, tuple)) or (isinstance(X, np.ndarray) and X.dtype == object and X.ndim == 1)
    return listed and len(X) > 0 and _axes_of(X[0]) == 2


def _axes_of(one):
    try:
        return np.ndim(unmasked(one))
    except ValueError:  # rows of unequal lengths, which real_array refuses with their place
        return 2


def _nested(X):
    """The series [T, C] of a DataFrame whose cells are series (sktime's nested_univ) or whose rows have two indices,
    (sample, time) (pd-multiindex). None: it is neither."""
    if not is_frame(X) or len(X) == 0 or X.shape[1] == 0:
        return None
    if getattr(X.index, "nlevels", 1) == 2:
        _check_times_of_samples(X.index)
        return [rows.to_numpy() for _, rows in X.groupby(level=0, sort=False)]
    if np.ndim(X.iloc[0, 0]) != 1:
        return None
    samples = []
    for i in range(len(X)):
        row = list(X.iloc[i])
        for j, cell in enumerate(row):
            check_times(f"X.iloc[{i}, {j}]", getattr(cell, "index", None))
        cells = [np.asarray(unmasked(cell)) for cell in row]
        if any(np.shape(cell) != (len(cells[0]),) for cell in cells):
            raise ValueError(f"X: expected cells of row {i} with series of one length, found shapes "
                             f"{', '.join(str(np.shape(cell)) for cell in cells[:4])}")
        samples.append(np.column_stack(cells))
    return samples


def names_of(place, frame):
    """The names of its columns. None where it has none: numbers are no names, as in scikit-learn."""
    columns = list(getattr(frame, "columns", ()))
    other = next((one for one in columns if not isinstance(one, str)), None)
    named = next((one for one in columns if isinstance(one, str)), None)
    if named is not None and other is not None:
        raise TypeError(f"{place}: expected texts as names of all columns, or of none, found {named!r} and {other!r}")
    return None if named is None else [str(one) for one in columns]


def names_of_list(X, known=None):
    """The names of the columns of a list of series, where all are DataFrames with names. Those that have names have the
    same, in one order: the known ones of the training, else those of the first. Times in their rows never decrease."""
    whose, wanted, complete = "training", known, True
    for i, one in enumerate(X):
        check_times(f"X[{i}]", getattr(one, "index", None))
        names = names_of(f"X[{i}]", one)
        complete = complete and names is not None
        if wanted is None and names is not None:
            whose, wanted = f"X[{i}]", names
        check_names(f"X[{i}]", names, whose, wanted)
    return list(wanted) if complete and wanted is not None else None


def check_names(place, names, whose, wanted):
    """names, wanted: None where there are none."""
    if names is None or wanted is None or list(names) == list(wanted):
        return
    wanted = list(wanted)
    at = next((i for i, (one, other) in enumerate(zip(wanted, names)) if one != other), min(len(wanted), len(names)))
    start = max(0, at - 4)  # five are shown, and the first that differs is one of them
    where = f" from column {start} on" if start else ""
    order = ", the same in another order" if sorted(names) == sorted(wanted) else ""
    raise ValueError(f"{place}: expected the columns of {whose}{where}, {wanted[start:start + 5]}, found "
                     f"{names[start:start + 5]}{order}")


def check_times(place, index):
    """That the times of an index (of pandas) never decrease. Numbers and texts are no times."""
    if getattr(index, "is_monotonic_increasing", True):  # as the method `index` of a list
        return
    times = _times_of(index)
    decrease = None if times is None else _first_decrease(times)
    if decrease is not None:
        earlier, later = decrease
        raise ValueError(f"{place}: expected times that never decrease, found {index[later]} after {index[earlier]} at position "
                         f"{later} of the index (sort it by time)")


def _check_times_of_samples(index):
    """The same for an index (sample, time): within each sample, and numbers are times too."""
    samples, names, when = np.asarray(index.codes[0]), index.get_level_values(0), index.get_level_values(1)
    if (samples < 0).any():
        raise ValueError(f"X: expected the sample of each row as the first level of the index, found {names[np.argmin(samples)]} "
                         f"at row {np.argmin(samples)}")
    times = _times_of(when, or_numbers=True)
    decrease = None if times is None else _first_decrease(times, samples)
    if decrease is not None:
        earlier, later = decrease
        raise ValueError(f"X: expected times that never decrease within a series, found {when[later]} after {when[earlier]} in "
                         f"series {names[later]}, at row {later} of X (sort the rows of each series by time)")


def _times_of(index, or_numbers=False):
    """An index as an array whose times can be compared. None: it holds no times."""
    if getattr(index, "tz", None) is not None:
        index = index.tz_convert(None)  # else an object for each
    values = np.asarray(index)
    if values.dtype.kind in "mM" or (or_numbers and values.dtype.kind in "iuf"):
        return values
    if values.dtype != object:
        return None
    there = values[~missing_in(values)]
    return values if len(there) and all(_is_time(one, or_numbers) for one in there) else None


def _is_time(one, or_number):
    """Moments, days and periods have a year."""
    return hasattr(one, "year") or isinstance(one, datetime.timedelta) or (or_number and isinstance(one, numbers.Real))


def _first_decrease(times, samples=None):
    """(earlier, later): two rows of one sample where time decreases; missing times are passed over. Or None."""
    rows = np.arange(len(times)) if samples is None else np.argsort(samples, kind="stable")
    rows = rows[~missing_in(times[rows])]
    try:
        back = np.asarray(times[rows[1:]] < times[rows[:-1]], dtype=bool)
    except (TypeError, ValueError):  # dates and moments, or periods of several lengths
        return None
    if samples is not None:
        back &= samples[rows[1:]] == samples[rows[:-1]]
    at = np.flatnonzero(back)
    return (int(rows[at[0]]), int(rows[at[0] + 1])) if len(at) else None


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


class Samples(typing.NamedTuple):
    series: list  # arrays [T, C] of float32
    columns: int | None  # of a table [n, T]
    names: list | None  # of the columns of DataFrames


def series_of(X, axes="auto", missing="error", channels=None, known=None):
    """Samples, in the forms that X may have.

    X: [n, T, C] (axes "ntc") or [n, C, T] ("nct"); a table [n, T], one channel; a list of [T, C] of unequal lengths; a
    nested DataFrame. channels, known: the number of them in training, and the names of columns, where there are any.
    """
    one_of(*AXES)("axes", axes)
    may_miss = one_of(*MISSING)("missing", missing) != "error"
    if _is_sparse(X):
        raise TypeError("X: expected a dense array, found a sparse one (sparse data is not supported: X.toarray())")
    names = names_of("X", X)
    check_names("X", names, "training", known)
    columns, nested = None, _nested(X)
    if nested is not None or _is_ragged(X):
        if nested is None:
            names = names_of_list(X, known)
        series = [real_array(f"X[{i}]", one, np.float32, may_miss) for i, one in enumerate(X if nested is None else nested)]
    else:
        _check_times_of_table(X)
        array = _array_of(X, may_miss)
        columns = array.shape[1] if array.ndim == 2 else None
        series = list(array if columns is None else array[:, :, None])
    if columns is None:
        if axes == "nct" and nested is None:
            series = [one.T for one in series]
        _check_series(series, axes if nested is None else "ntc", channels)
    return Samples(_shown(series) if missing == "mask" else series, columns, names)


def _check_times_of_table(X):
    """Steps in time are the columns of a DataFrame, or the rows of each Series in a list."""
    check_times("X.columns", getattr(X, "columns", None))
    for i, one in enumerate(X if isinstance(X, (list, tuple)) else ()):
        check_times(f"X[{i}]", getattr(one, "index", None))


def warn_of_digits(series, channels, said=frozenset(), stacklevel=3):
    """Warns of channels that need more digits than single precision has, and gives their names. said: not again. The rule
    and the words are those of the readers: add_notes_of_digits in faithful/data/read.cpp."""
    coarse = {channel: line for channel, line in _lines_of_digits(series, channels).items() if channel not in said}
    for line in coarse.values():
        warnings.warn(line, stacklevel=stacklevel)
    return frozenset(coarse)


def _lines_of_digits(series, channels):
    """{channel: the warning}"""
    lines = {}
    for c, (low, high) in _narrow_channels(series).items():
        extent, most, step = high - low, max(abs(low), abs(high)), _step(low, high)
        if extent < 0 or extent >= 64 * step or (extent == 0 and most < 2**24):  # below 0: there are no values
            continue
        lines[channels[c]] = (f"channel {json.dumps(channels[c], ensure_ascii=False)} has values from {_number_text(low)} to "
                              f"{_number_text(high)}, and single precision keeps only multiples of {_text(step)} there: "
                              "subtract a constant from it first, else small differences are lost")
    return lines


def _narrow_channels(series):
    """{number: (lowest, highest value)} of the channels that may span few steps of single precision. Others span twice as
    many as the rule asks for somewhere: then all of their values do, and the rest need not be looked at."""
    extents = {c: (math.inf, -math.inf) for c in range(series[0].shape[1])}
    for block in _blocks(series):
        for c, (low, high) in list(extents.items()):
            low = min(low, float(np.fmin.reduce(block[:, c])))  # NaN, where all are missing, is not below
            high = max(high, float(np.fmax.reduce(block[:, c])))
            extents[c] = low, high
            if high - low >= 128 * _step(low, high):
                del extents[c]
        if not extents:
            break
    return extents


def _blocks(series, rows=2**16):
    """The series one below the other, in blocks: many short ones are slow one by one."""
    block, held = [], 0
    for i, one in enumerate(series):
        block.append(one)
        held += len(one)
        if held >= rows or i + 1 == len(series):
            yield np.concatenate(block) if len(block) > 1 else one
            block, held = [], 0


def _step(low, high):
    """Between numbers of single precision next to the larger of the two."""
    return math.ldexp(1, max(math.frexp(max(abs(low), abs(high)))[1] - 1, -100) - 23)


def _number_text(value):
    """A number of single precision, in as many digits as tell it from others."""
    return _text(float(str(np.float32(value))))


def _text(value):
    return repr(value)[:-2] if repr(value).endswith(".0") else repr(value)


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
