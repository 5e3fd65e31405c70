"""Classes as people have them: told apart, ordered, and written into a model file so that the same values come back."""
from __future__ import annotations

import warnings

import numpy as np

from . import _core
from ._options import found, missing_in, text, unmasked

_PLAIN = {"bool": bool, "int": int, "float": float, "str": str,
          "NoneType": lambda value: None}  # in files of earlier versions


def _labels_array(y):
    """y as an array. NumPy makes texts of [1, "a"]: a list of several kinds stays what it is."""
    y = unmasked(y)
    array = np.asarray(y)
    if (array.dtype.kind in "US" and array.ndim == 1 and isinstance(y, (list, tuple))
            and not all(isinstance(one, (str, bytes)) for one in y)):
        array = np.empty(len(y), dtype=object)
        array[:] = y
    return array.astype(object) if array.dtype.kind == "T" else array  # texts of NumPy 2


def _check_kind(array):
    if array.dtype.kind not in "biufUSO":
        raise ValueError(f"y: expected classes that are numbers, texts or truth values, found dtype {array.dtype}. Unknown "
                         "label type")
    if array.dtype == object and all(isinstance(one, (float, np.floating)) for one in array):
        array = array.astype(float)
    if array.dtype.kind != "f":
        return
    if np.isinf(array).any():
        raise ValueError("y: expected classes, found infinity (Input y contains infinity)")
    if (array != np.floor(array)).any():
        raise ValueError("y: expected classes, found numbers with a fraction. Unknown label type: continuous")


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


def labels_of(y, count, each):
    """y as an array [count] without missing values. each: what has a label, in words."""
    array = _labels_array(y)
    if array.ndim != 1 or array.dtype.kind == "V":
        raise ValueError(f"y: expected one label for each {each}, shape ({count},), found "
                         f"{found(array if array.ndim else array.item())}")
    if len(array) != count:
        raise ValueError(f"y: expected {count} labels, one for each {each}, found {len(array)} (inconsistent numbers "
                         "of samples)")
    missing = np.flatnonzero(missing_in(array))
    if len(missing):
        raise ValueError(f"y: expected a label for each {each}, found a missing value (NaN, None or masked) at "
                         f"{missing[0]} and {len(missing) - 1} more places")
    return array


def classes_of(y, samples):
    """(classes, sorted, of the dtype of y; the number of the class of each sample)"""
    if y is None:
        raise ValueError("y: expected the class of every sample, found None (the estimator requires y to be passed, but "
                         "the target y is None)")
    array = _labels_array(y)
    if array.ndim == 2 and array.shape[1] == 1:
        from ._bases import DataConversionWarning  # here: data sets do without scikit-learn
        warnings.warn("A column-vector y was passed when a 1d array was expected: its one column is taken. y.ravel() has "
                      "the shape (samples,)", DataConversionWarning, stacklevel=3)
        array = array.ravel()
    array = labels_of(array, samples, "sample")
    _check_kind(array)
    return _unique(array)


def check_two(classes, samples):
    if len(classes) < 2:
        raise ValueError(f"y: expected at least two classes, found one class, {classes[:1].tolist()[0]!r}, in {samples} sample(s)"
                         if samples > 1 else "X: expected two samples or more, found 1 sample")


def texts_of(labels):
    return [one.decode("latin-1") if isinstance(one, bytes) else str(one) for one in labels]


def class_names(classes):
    """The texts of a model file, each once: 1 and "1" are two classes."""
    texts = texts_of(classes)
    return [f"{name} ({type(one).__name__})" if texts.count(name) > 1 else name for name, one in zip(texts, classes)]


def ordered(names):
    """The classes of these names, each once, in the order of the program: names that are numbers by number."""
    if "" in names:
        raise ValueError("y: expected classes with a name, found an empty text")
    return _core.ordered_classes([text("y", one) for one in names])


def program_order(classes):
    """[K]: where the program has each class."""
    names = class_names(classes)
    order = ordered(names)
    return np.array([order.index(name) for name in names])


def label_to_json(label):
    """[name of the type, value]"""
    plain = label.item() if isinstance(label, np.generic) else label
    if isinstance(plain, bytes):
        return ["bytes", plain.decode("latin-1")]
    kind = type(plain).__name__
    if kind not in _PLAIN:
        raise TypeError(f"y: expected classes that are numbers, texts or truth values, found {found(plain)}")
    return [kind, str(plain) if kind == "int" and abs(plain) >= 2**63 else plain]  # JSON would round it


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
