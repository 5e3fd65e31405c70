"""Sensor data as arrays: the readers, splits without leaks, and the simulated elevator.

    pump = faithful.data.load("pump.csv", time="time", label="broken")
    pump[0].values                       # [T, C], float32, the reader's own memory: nothing is copied
    parts = pump.split("blocked", window=100)
    parts.train.X, parts.train.y         # [n, 100, C], scaled by the training part; [n]
"""
from __future__ import annotations

import dataclasses
import json
import typing

import numpy as np

from . import _core
from ._labels import labels_of, ordered, texts_of
from ._options import checked, checks_of, found, number, one_of, path, real_array, text, texts, threads
from ._samples import is_frame, names_of_list, warn_of_digits

__all__ = ["Dataset", "Series", "Span", "Split", "Windows", "elevator", "elevator_faults", "from_arrays", "load"]

_READ = {**checks_of(_core.read_settings()), "ignore": texts}
_SPLIT = checks_of(_core.split_settings())
_ELEVATOR = {**checks_of(_core.elevator_settings()),
             "faults": lambda name, value: [one_of(*elevator_faults())(name, one) for one in texts(name, value)]}


class Span(typing.NamedTuple):
    """A labelled stretch of a timeline: positions begin .. end - 1."""

    begin: int
    end: int
    channels: list  # at fault, from 0; empty: not known
    kind: str


@dataclasses.dataclass(frozen=True, repr=False)
class Series:
    """One timeline. The arrays are the data set's own memory."""

    name: str
    part: str  # "train", "test" or ""
    values: np.ndarray  # [T, C] float32
    times: np.ndarray | None  # [T] datetime64[ns]
    labels: np.ndarray | None  # [T] uint8, 1: anomalous
    label: str | None  # class of the whole series
    spans: list

    def __len__(self):
        return len(self.values)

    def __repr__(self):
        return f"<Series {self.name!r}: {self.values.shape[0]} x {self.values.shape[1]}, label {self.label!r}>"


@dataclasses.dataclass(frozen=True, repr=False)
class Windows:
    """The windows of one part, cut and scaled."""

    X: np.ndarray  # [n, S, C] float32, 0 where padded
    y: np.ndarray  # [n], number of the class; -1: no label
    mask: np.ndarray  # [n, S] uint8, 0 where padded
    series: np.ndarray  # [n], number of the series it was cut from
    begin: np.ndarray  # [n], its first sample there

    def __len__(self):
        return len(self.X)

    def __repr__(self):
        return f"<Windows {self.X.shape}>"


@dataclasses.dataclass(frozen=True)
class Split:
    """Training, validation and test windows; the scaler has seen the training part alone."""

    train: Windows
    validation: Windows
    test: Windows
    classes: list
    proof: dict  # that no sample is in two parts, by the numbers


class Dataset:
    """Series of the same channels, with their labels. Made by load(), elevator() and from_arrays()."""

    def __init__(self, core):
        self._core = core
        classes = core.classes
        self.series = [
            Series(one.name, one.part, one.values, one.times.view("datetime64[ns]") if len(one.times) else None,
                   one.labels if len(one.labels) else None, classes[one.label] if one.label >= 0 else None,
                   [Span(*span) for span in one.spans])
            for one in core.series
        ]

    name = property(lambda self: self._core.name)
    channels = property(lambda self: self._core.channels)
    classes = property(lambda self: self._core.classes)
    rate = property(lambda self: self._core.rate)
    source = property(lambda self: self._core.source)
    format = property(lambda self: self._core.format)
    notes = property(lambda self: self._core.notes)

    def __len__(self):
        return len(self.series)

    def __iter__(self):
        return iter(self.series)

    def __getitem__(self, number):
        return self.series[number]

    def __repr__(self):
        return f"<Dataset {self.name!r}: {len(self)} series, {len(self.channels)} channels, classes {self.classes}>"

    def part(self, name):
        """The series of "train" or "test" alone."""
        return Dataset(self._core.part(one_of("train", "test")("part", name)))

    def arrays(self):
        """(X, y): X [n, T, C], or a list of [T, C] where lengths differ; y [n] the classes of the series, None without
        labels. What TimeSeriesTransformer.fit takes."""
        values = [one.values for one in self.series]
        if len({len(one) for one in values}) == 1:
            values = np.stack(values)
        labels = [one.label for one in self.series]
        return values, None if None in labels else np.array(labels)

    def labelled_arrays(self):
        """(X [n, T, C], y [n]): the same, always with labels and always one array. Series without a label, or of unequal
        lengths, are refused."""
        X, y = self.arrays()
        if y is None:
            raise ValueError(f"{self.name}: expected a label for every series, found none for "
                             f"{next(one.name for one in self.series if one.label is None)!r} (see arrays())")
        if not isinstance(X, np.ndarray):
            raise ValueError(f"{self.name}: expected series of one length, found {min(map(len, X))} to {max(map(len, X))} "
                             "samples (arrays() gives a list)")
        return X, y

    def split(self, split="blocked", window=100, stride=50, *, n_jobs=-1, **options):
        """Splits, scales and cuts, in that order. split: blocked (contiguous blocks with gaps: no leak), series (whole
        ones), given (the set's own parts) or random (leaks). window 0: every series whole.

        options: label_rule (any, last, majority), train, validation (shares), seed, scaler (standard, min-max, robust,
        none), scaling (common, series, window), unlabelled (leave-out, normal), folds, fold, refit.
        """
        said = checked({"split": split, "window": window, "stride": stride, **options}, _SPLIT)
        made = _core.split(self._core, said, threads(n_jobs))
        parts = {name: Windows(**made[name]) for name in ("train", "validation", "test")}
        return Split(**parts, classes=self.classes, proof=json.loads(made["proof"]))

    def save(self, file):
        """Writes .npz (all of it), .csv, .ts or .h5. Returns what the format cannot hold, a line each."""
        return _core.save_dataset(self._core, path("file", file))


def load(file, *, model=None, **options):
    """Reads a file or folder: CSV, NumPy, .ts, .arff, HDF5, SMD, telemanom.

    model: a model of faithful.fit or faithful.load_model. What the options do not say is then read as its training data
    was: columns of time, label, series and part, ignored columns. The data set has the model's channels.

    options: format, part (train, test), missing (error, interpolate, zero, keep, auto), label, label_of (point, series),
    positive, time, time_unit (s, ms, us, ns, days), time_format, series, part_column, ignore, separator, decimal, header
    (auto, yes, no), values, axes, channels, spacecraft, data_dir; docs/options.md describes each.
    """
    said = checked(options, _READ)
    if model is None:
        return Dataset(_core.load_dataset(path("file", file), said))
    if not hasattr(model, "_core"):
        raise TypeError(f"model: expected a Model (faithful.fit or faithful.load_model), found {found(model)}")
    return Dataset(_core.load_for_model(path("file", file), model._core, said, True))


def elevator(trips=1000, *, n_jobs=-1, **options):
    """Simulates trips of a lift, some with a fault: one series of class normal or anomalous each.

    options: anomalies (percent), test_trips, test_anomalies, seed, samples, channels, faults (see elevator_faults).
    """
    return Dataset(_core.elevator(checked({"trips": trips, **options}, _ELEVATOR), threads(n_jobs)))


def elevator_faults():
    """{name: what is broken, and how it shows}"""
    return dict(_core.elevator_faults())


def from_arrays(X, y=None, *, channels=None, classes=None, parts=None, name="arrays", rate=0.0):
    """A data set of your arrays: X [n, T, C] or a list of [T, C]; y [n], the class of each. channels: their names; by
    default those of the columns, where all of X are DataFrames with the same names. classes: their order; by default that
    of the program: by number where all are numbers, else by letters, normal before anomalous. parts: "train" or "test" for
    each. Missing values (NaN, None, masked by numpy.ma) are refused. A channel that needs more digits than single
    precision has is a warning. Copies: a data set owns its numbers."""
    series, names = _series_of(X)
    width = series[0].shape[1]
    said = {"name": text("name", name), "rate": number("rate", rate), "classes": [],
            "parts": [] if parts is None else texts("parts", parts),
            "channels": texts("channels", channels if channels is not None else names or numbered_channels(width))}
    _check_count("channels", said["channels"], width, "names, one for each channel")
    _check_each_once("channels", said["channels"])
    _check_count("parts", said["parts"], len(series) if said["parts"] else 0, "parts, one for each series")
    numbers = []
    if y is not None:
        said["classes"], numbers = _numbered_classes(y, classes, len(series))
    made = Dataset(_core.dataset_of(series, numbers, said))
    warn_of_digits(series, said["channels"])
    return made


def _series_of(X):
    """Arrays [T, C] of the same channels, and the names of their columns, or None."""
    wanted = "X: expected an array (series, time, channels) or a list of arrays or DataFrames (time, channels), found "
    if is_frame(X):
        raise TypeError(f"{wanted}{found(X)} (for one series, pass [X])")
    try:
        samples = list(X)
    except TypeError:
        raise TypeError(wanted + found(X)) from None
    names = names_of_list(samples)
    series = [real_array(f"X[{i}]", one, np.float32) for i, one in enumerate(samples)]
    if not series:
        raise ValueError("X: expected at least one series, found none")
    wanted = f"{series[0].shape[1]} channels" if series[0].ndim == 2 else "channels"
    for i, one in enumerate(series):
        if one.ndim != 2 or 0 in one.shape or one.shape[1] != series[0].shape[1]:
            raise ValueError(f"X[{i}]: expected shape (time, {wanted}), found {found(one)}")
    return series, names


def _check_count(name, values, count, what):
    if len(values) != count:
        raise ValueError(f"{name}: expected {count} {what}, found {len(values)}")


def _check_each_once(name, values):
    twice = [one for one in values if values.count(one) > 1] if len(set(values)) < len(values) else []
    if twice:
        raise ValueError(f"{name}: expected each name once, found {twice[0]!r} {twice.count(twice[0])} times")


def _numbered_classes(y, classes, count):
    """(names of the classes, number of the class of each series). A text y is a label for each letter."""
    names = texts_of(labels_of(list(y) if isinstance(y, str) else y, count, "series"))
    known = ordered(names) if classes is None else texts("classes", classes)
    _check_each_once("classes", known)
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise ValueError(f"y: expected classes {', '.join(known)}, found {unknown[0]!r}")
    return known, [known.index(one) for one in names]


def numbered_channels(count):
    return [f"channel_{i + 1}" for i in range(count)]
