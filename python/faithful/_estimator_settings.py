"""The parameters of TimeSeriesTransformer: names, defaults and words. Those of model and training are the library's."""
from __future__ import annotations

import inspect
import textwrap

from . import _core

# The library's table of settings, but for those that presets and data fix: arrays have no times.
MODEL = {one["name"]: one for one in _core.model_settings() if one["group"] and one["name"] not in ("form", "positions")}
TRAIN = {one["name"]: one for one in _core.train_settings() if one["group"]}

# (name, default, type in words, what it does) of the parameters that are the estimator's own.
_FIRST = [("encoding", None, "str", "positional encoding, a name of `faithful.encodings()`"),
          ("preset", "standard", "{%s}" % ", ".join(_core.presets()), "values of all options of model and training")]
_OWN = [
    ("scaler", "standard", "{standard, min-max, robust, none}", "of the channels, fitted on the samples that train"),
    ("scaling", "common", "{common, window}", "whose statistics scale: those of all training series (common), or of each "
     "series its own (window)"),
    ("validation", None, "float, int or None", "what calibrates the probabilities and, for presets that choose one, the "
     "epoch. A share (0.15): so much of the samples validates, the rest trains. A whole number (5): folds validate, then "
     "all samples train, as the program does for a set with a test part of its own. None: nothing validates"),
    ("threshold", 0.5, "float or str", "of two classes, the second from this probability on; or a rule of faithful.fit; "
     "\"validation\": that of the best F1 on what validates"),
    ("class_weight", None, "dict, \"balanced\" or None", "weights of the classes in the loss: {class: weight}, or "
     "\"balanced\", which is class_weights=\"auto\". None: as class_weights says"),
    ("missing", "error", "{error, interpolate, mask}", "missing values in X: NaN, None, or masked (numpy.ma). error: "
     "refused. interpolate: a straight line between the neighbours in time, the nearest value at the ends. mask: missing "
     "readings do not count for the scaler, the model sees the mean of their channel, and steps at the end without any "
     "reading are padding"),
    ("axes", "auto", "{auto, ntc, nct}", "order of the axes of X: n samples, t time, c channels. auto: ntc, and X with more "
     "channels than samples in time is refused, for it may be nct, the order of aeon"),
    ("random_state", 1, "int, RandomState, Generator or None", "seed of start values, batches, dropout and the split: the "
     "same number gives the same bits. None: a new seed for each fit"),
    ("n_jobs", None, "int or None", "threads. None: one, or what joblib's parallel_config says. -1: all, -2: all but one. "
     "The result does not depend on them"),
    ("verbose", False, "bool", "shows a bar while it trains"),
]


def _of_library():
    """(name, default, type, words): options are by default the preset's, those of encodings what the library has."""
    for one in (*MODEL.values(), *TRAIN.values()):
        if one["name"] == "encoding":
            continue
        mine = one["group"] == "Position"
        kind = "{%s}" % ", ".join(one["choices"]) if one["choices"] else type(one["default"]).__name__
        kind = "str or float" if one["name"] == "scale" else kind
        words = one["help"]
        if one["applies_to"]:
            words += f" (applies to {one['applies_to']})"
        yield one["name"], one["default"] if mine else None, kind, words


def parameters(left_out=(), **defaults):
    """(name, default, type, words) of all, in the order of the signature. defaults: others than those of the table."""
    return [(name, defaults.get(name, default), *words) for name, default, *words in (*_FIRST, *_of_library(), *_OWN)
            if name not in left_out]


def signature(**changes):
    kinds = inspect.Parameter
    first = [kinds("self", kinds.POSITIONAL_OR_KEYWORD), kinds("encoding", kinds.POSITIONAL_OR_KEYWORD, default=None)]
    return inspect.Signature(first + [kinds(name, kinds.KEYWORD_ONLY, default=default)
                                      for name, default, _, _ in parameters(**changes) if name != "encoding"])


def docstring(head, tail, **changes):
    """One entry for each parameter, as NumPy's convention has them."""
    lines = [head.strip(), "", "Parameters", "----------"]
    for name, default, kind, words in parameters(**changes):
        preset = default is None and (name in MODEL or name in TRAIN)
        shown = "the preset's" if preset else repr(default)
        lines.append(f"{name} : {kind}, default {shown}")
        lines += textwrap.wrap(words, 116, initial_indent="    ", subsequent_indent="    ")
    return "\n".join([*lines, "", tail.strip(), ""])
