"""Positional encodings for Transformers: built, measured, trained and compared.

    encode, decode, encodings   the tables of the catalog, as arrays
    analyze                     how faithful an encoding or a table of yours is
    fourier                     the real Fourier basis and its transform
    data                        readers, splits without leaks, the simulated elevator
    fit, load_model             trained models of windows or whole series
    evaluate, predict, diagnose how good a model is, what it predicts, which sensor raised an alarm
    TimeSeriesTransformer       a scikit-learn classifier of time series
    choose, compare             which encoding suits a data set, and which differ on the same seeds
    torch                       the encodings as modules of PyTorch
    faithful.aeon, .sktime      the classifier for pipelines of these libraries; import them by name

Everything is imported when it is first used; only NumPy is needed, scikit-learn, PyTorch and matplotlib where you call
for them.
"""
import importlib

from ._core import version as __version__

_HOMES = {
    "encode": "_encoding",
    "decode": "_encoding",
    "encodings": "_encoding",
    "CatalogEntry": "_encoding",
    "EncodingName": "_encoding",
    "analyze": "_analysis",
    "Analysis": "_analysis",
    "fit": "_model",
    "load_model": "_model",
    "Model": "_model",
    "predict": "_model",
    "Predictions": "_model",
    "evaluate": "_evaluation",
    "Evaluation": "_evaluation",
    "diagnose": "_diagnosis",
    "Diagnosis": "_diagnosis",
    "Alarm": "_diagnosis",
    "choose": "_study",
    "Choice": "_study",
    "compare": "_study",
    "Comparison": "_study",
    "TimeSeriesTransformer": "_classifier",
}
_MODULES = ("data", "fourier", "torch")

__all__ = ["__version__", *_HOMES, *_MODULES]


def __getattr__(name):
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _HOMES:
        found = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = found
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted(__all__)
