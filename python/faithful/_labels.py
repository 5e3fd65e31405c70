"""Classes as people have them: told apart, ordered, and written into a model file so that the same values come back."""
from __future__ import annotations

import warnings

import numpy as np

from . import _core
from ._bases import DataConversionWarning
from ._options import found

_PLAIN = {"bool": bool, "int": int, "float": float, "str": str, "NoneType": lambda value: None}


def _labels_array(y):
    """y as an array. NumPy makes texts of [1, "a"]: a list of several kinds stays what it is."""
    array = np.asarray(y)
    if array.dtype.kind in "US" and isinstance(y, (list, tuple)) and not all(isinstance(one, (str, bytes)) for one in y):
        array = np.empty(len(y), dtype=object)
        array[:] = y
    return array.astype(object) if array.dtype.kind == "T" else array  # texts of NumPy 2


def _check_kind(array):
    if array.dtype.kind not in "biufUSO":
        raise ValueError(f"y: expected classes that are numbers, texts or truth values, found dtype {array.dtype}. Unknown "
                         "label type")
    numbers = array if array.dtype.kind == "f" else None
    if array.dtype == object and all(isinstance(one, (float, np.floating)) for one in array):
        numbers = array.astype(float)
    if numbers is None:
        missing = [i for i, one in enumerate(array) if array.dtype == object and _is_missing(one)]
        if missing:
            raise ValueError(f"y: expected the class of every sample, found a missing value (NaN) at {missing[0]} and "
                             f"{len(missing) - 1} more places")
        return
    if not np.isfinite(numbers).all():
        raise ValueError("y: expected classes, found NaN or infinity (Input y contains NaN or infinity)")
    if (numbers != np.floor(numbers)).any():
        raise ValueError("y: expected classes, found numbers with a fraction. Unknown label type: continuous")


def _is_missing(one):
    """NaN or NaT, which differ from themselves, or pandas.NA, which has no truth value."""
    try:
        return bool(one != one)
    except (TypeError, ValueError):
        return True


def _unique(array):
    """(classes, number of the class of each) in order of value; of several kinds by their text and then their type."""
    try:
        return np.unique(array, return_inverse=True)
    except TypeError:  # kinds that cannot be compared
        order = sorted({(str(one), type(one).__name__): one for one in array}.items())
        known = {key: i for i, (key, _) in enumerate(order)}
        classes = np.empty(len(order), dtype=object)
        classes[:] = [one for _, one in order]
        return classes, np.array([known[str(one), type(one).__name__] for one in array])


def classes_of(y, samples):
    """(classes, sorted, of the dtype of y; the number of the class of each sample)"""
    if y is None:
        raise ValueError("y: expected the class of every sample, found None (the estimator requires y to be passed, but "
                         "the target y is None)")
    array = _labels_array(y)
    if array.ndim == 2 and array.shape[1] == 1:
        warnings.warn("A column-vector y was passed when a 1d array was expected: its one column is taken. y.ravel() has "
                      "the shape (samples,)", DataConversionWarning, stacklevel=3)
        array = array.ravel()
    if array.ndim != 1:
        raise ValueError(f"y: expected one class a sample, shape (samples,), found {found(array)}")
    if len(array) != samples:
        raise ValueError(f"y: expected {samples} classes, one a sample of X, found {len(array)} (inconsistent numbers of "
                         "samples)")
    _check_kind(array)
    return _unique(array)


def check_two(classes, samples):
    if len(classes) < 2:
        raise ValueError(f"y: expected at least two classes, found one class, {classes[:1].tolist()[0]!r}, in {samples} sample(s)"
                         if samples > 1 else "X: expected two samples or more, found 1 sample")


def class_names(classes):
    """The texts of a model file, each once: 1 and "1" are two classes."""
    texts = [one.decode("latin-1") if isinstance(one, bytes) else str(one) for one in classes]
    return [f"{text} ({type(one).__name__})" if texts.count(text) > 1 else text for text, one in zip(texts, classes)]


def program_order(classes):
    """[K]: where the program has each class, which orders names that are numbers by number."""
    names = class_names(classes)
    if "" in names:
        raise ValueError("y: expected classes with a name, found an empty text")
    order = _core.ordered_classes(names)
    return np.array([order.index(name) for name in names])


def label_to_json(label):
    """[name of the type, value]"""
    plain = label.item() if isinstance(label, np.generic) else label
    if isinstance(plain, bytes):
        return ["bytes", plain.decode("latin-1")]
    kind = type(plain).__name__
    if kind not in _PLAIN:
        raise TypeError(f"y: expected classes that are numbers, texts, truth values or None, found {found(plain)}")
    return [kind, plain]


def label_from_json(said):
    kind, value = said
    return value.encode("latin-1") if kind == "bytes" else _PLAIN[kind](value)


def classes_to_json(classes):
    """What a model file keeps, so that load() gives the same array."""
    return {"dtype": classes.dtype.str, "values": [label_to_json(one) for one in classes]}


def classes_from_json(said):
    values = [label_from_json(one) for one in said["values"]]
    if said["dtype"] == "|O":
        classes = np.empty(len(values), dtype=object)
        classes[:] = values
        return classes
    return np.array(values, dtype=said["dtype"])
