"""What is asked of arguments before they cross over to C++. Each complaint says what was wanted and what was found."""
from __future__ import annotations

import difflib
import math
import numbers
import os
import sys

import numpy as np

from . import _core


def found(value):
    """A value in a complaint: short, with its type where that is the point."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}, dtype {value.dtype}"
    if hasattr(value, "columns") and hasattr(value, "shape"):
        return f"a {type(value).__name__} of shape {tuple(value.shape)}"
    return f"{_brief(repr, value)} ({type(value).__name__})"


def _brief(form, value):
    """str or repr of a value in at most 40 characters."""
    try:
        text = " ".join(form(value).split())
    except ValueError:  # Python writes no whole number of more than 4300 digits
        return "a number of thousands of digits"
    return text if len(text) <= 40 else text[:37] + "..."


def whole(name, value, least=0, most=2**63 - 1):
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name}: expected a whole number, found {found(value)}")
    if not least <= value <= most:
        raise ValueError(f"{name}: expected a whole number from {least} to {most}, found {_brief(str, value)}")
    return int(value)


def number(name, value):
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name}: expected a number, found {found(value)}")
    if not math.isfinite(_as_float(value)):
        raise ValueError(f"{name}: expected a finite number, found {_brief(str, value)}")
    return float(value)


def _as_float(value):
    """Infinite where a number is beyond all floats."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def between(name, value, least, most):
    if not least <= number(name, value) <= most:
        raise ValueError(f"{name}: expected a number from {least} to {most}, found {value}")
    return float(value)


def yes_no(name, value):
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}: expected True or False, found {found(value)}")
    return bool(value)


def text(name, value):
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a text, found {found(value)}")
    try:
        value.encode()
    except UnicodeEncodeError as problem:
        raise ValueError(f"{name}: expected a text that UTF-8 can encode, found {found(value)} with a lone surrogate "
                         f"at character {problem.start}") from None
    return value


def one_of(*choices):
    def check(name, value):
        if text(name, value) not in choices:
            raise ValueError(f"{name}: expected {', '.join(choices[:-1])} or {choices[-1]}, found {value!r}")
        return value
    return check


def scale(name, value):
    """as-defined, unit, matched, or a factor, as a text or a number."""
    return text(name, value) if isinstance(value, str) else repr(number(name, value))


def numbers_of(name, value):
    """A list of finite numbers."""
    array = real_array(name, value)
    if array.ndim != 1:
        raise ValueError(f"{name}: expected one axis, found shape {array.shape}")
    return array.tolist()


def positions_of(name, value):
    return [whole(name, one) for one in np.atleast_1d(value).tolist()]


def texts(name, value):
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise TypeError(f"{name}: expected a list of texts, found {found(value)}")
    return [text(name, one) for one in value]


def path(name, value):
    try:
        file = os.fspath(value)
    except TypeError:
        raise TypeError(f"{name}: expected a path, found {found(value)}") from None
    return file if isinstance(file, bytes) else text(name, file)


def seed(name, value):
    return whole(name, value, 0, 2**64 - 1)


def is_missing(one):
    """None, a masked value, NaN and NaT, which differ from themselves, or pandas.NA, which has no truth value."""
    if one is None or one is np.ma.masked:
        return True
    try:
        return bool(one != one)
    except ValueError:  # an array
        return False
    except TypeError:
        return True


def missing_in(array):
    """[..] bool: where an array has a missing value."""
    if array.dtype != object:
        return array != array
    return np.asarray(np.frompyfunc(is_missing, 1, 1)(array), dtype=bool)


def unmasked(value):
    """An array or lists, with NaN (or NaT) for every masked value of numpy.ma. np.asarray forgets masks."""
    if isinstance(value, np.ma.MaskedArray):
        return _filled(value)
    if not isinstance(value, (list, tuple)):
        return value
    deeper = any(issubclass(kind, (list, tuple, np.ma.MaskedArray)) for kind in set(map(type, value)))
    return [unmasked(one) for one in value] if deeper else value


def _filled(value):
    array, mask = np.asarray(value), np.ma.getmaskarray(value)
    kind = array.dtype.kind
    if kind == "V" or not mask.any():
        return array
    array = array.astype(object) if kind in "UST" else array
    return np.where(mask, {"M": np.datetime64("NaT"), "m": np.timedelta64("NaT")}.get(kind, np.nan), array)[()]


def real_array(name, value, dtype=np.float64, may_miss=False):
    """An array of finite real numbers; no copy where it is one already. may_miss: NaN may be among them. Masked values,
    None and pandas.NA are NaN."""
    if value is None or value is np.ma.masked:
        raise TypeError(f"{name}: expected an array of numbers, found {value!r}")
    try:
        array = np.asarray(unmasked(value))
    except ValueError as problem:  # rows of unequal lengths
        raise ValueError(f"{name}: expected an array of numbers, found {found(value)}: {problem}") from None
    if array.dtype == object:
        array = np.where(missing_in(array), np.nan, array)
    if array.dtype.kind == "c":
        raise ValueError(f"{name}: expected real numbers, found dtype {array.dtype}. Complex data not supported")
    if array.dtype.kind not in "biufO":
        raise TypeError(f"{name}: expected numbers, found dtype {array.dtype}")
    with np.errstate(over="ignore", invalid="ignore"):  # too large for the dtype: infinite, which is said below
        try:
            array = _cast(array, dtype)
        except (TypeError, ValueError) as problem:  # of an array of objects
            raise type(problem)(f"{name}: expected numbers, found {found(value)}: {problem}") from None
        total = array.sum(dtype=np.float64)
    if not np.isfinite(total):  # rarely the sum alone is beyond all bounds
        bad = np.argwhere(np.isinf(array) if may_miss else ~np.isfinite(array))
        if len(bad):
            place = tuple(int(i) for i in bad[0])
            what = "NaN" if np.isnan(array[place]) else f"infinity or a value too large for {np.dtype(dtype)}"
            raise ValueError(f"{name}: expected finite numbers, found {what} at {place} and {len(bad) - 1} more places "
                             "(Input contains NaN or infinity)")
    return array


def _cast(array, dtype):
    try:
        return np.asarray(array, dtype=dtype)
    except OverflowError:  # a whole number of Python beyond all floats
        return np.asarray(np.frompyfunc(_as_float, 1, 1)(array), dtype=dtype)


def threads(value):
    """n_jobs as scikit-learn means it. None: one thread, or what joblib's parallel_config says. -1: all that this process
    may use, -2: all but one. joblib is asked where the program has loaded it."""
    joblib = sys.modules.get("joblib")
    if value is None:
        return joblib.effective_n_jobs(None) if joblib else 1
    count = whole("n_jobs", value, -1024, 1024)
    if count == 0:
        raise ValueError("n_jobs: expected a number of threads, or a negative number (-1: all), found 0")
    return count if count > 0 else max(1, _allowed_threads(joblib) + 1 + count)


def _allowed_threads(joblib):
    """All that this process may use. joblib limits its workers by OMP_NUM_THREADS."""
    limits = [_core.default_threads()]
    if joblib:
        limits.append(joblib.effective_n_jobs(-1))
    said = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if said.isdigit() and int(said) > 0:
        limits.append(int(said))
    return min(limits)


def checked(said, known):
    """{name: value} of the arguments that were given (None: not given), each by its check."""
    out = {}
    for name, value in said.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else "known: " + ", ".join(known)
            raise TypeError(f"{name}: expected the name of an option, found none of that name ({hint})")
        if value is not None:
            out[name] = known[name](name, value)
    return out


def checks_of(settings):
    """{name: check} of settings that the library describes: the kind of value; the library checks the rest."""
    kinds = {bool: yes_no, int: whole, float: number, str: text}
    special = {"seed": seed, "scale": scale, "data_dir": path}
    return {one["name"]: special.get(one["name"], kinds[type(one["default"])]) for one in settings}


ENCODING = {
    "length": lambda name, value: whole(name, value, 1),
    "dim": lambda name, value: whole(name, value, 1),
    "heads": lambda name, value: whole(name, value, 1),
    "scale": scale,
    "seed": seed,
    "positions": numbers_of,
    "parameters": numbers_of,
    **checks_of(_core.encoding_settings()),
}


def encoding_options(length, dim, options):
    said = checked({"length": length, "dim": dim, **options}, ENCODING)
    if "positions" in said:
        said.setdefault("length", len(said["positions"]))
    return said
