"""What the classifiers for aeon and sktime share: the parameters of TimeSeriesTransformer, and how its model is kept."""
from __future__ import annotations

import inspect

import numpy as np

from ._classifier import TimeSeriesTransformer
from ._estimator_settings import docstring, signature
from ._options import unmasked

# The base class gives X in one order. aeon wants one thread by default, and said as 1.
_CHANGES = {"left_out": ("axes",), "n_jobs": 1}

HEAD = """TimeSeriesTransformer for {library}: a Transformer that classifies time series, with any positional encoding.

X and y are what classifiers of {library} take. Series may have several channels and unequal lengths; those to predict
have at most the length of the longest in training.
"""
TAIL = """Attributes
----------
classes_ : array of the classes
model_ : the fitted faithful.TimeSeriesTransformer

Examples
--------
>>> from faithful.{library} import TimeSeriesTransformerClassifier
>>> TimeSeriesTransformerClassifier(encoding="rope", epochs=2).get_params()["encoding"]
'rope'
"""


def document(library):
    return docstring(HEAD.format(library=library), TAIL.format(library=library), **_CHANGES)


class Adapted:
    """Goes before the base class of the library."""

    def __init__(self, *args, **params):
        said = inspect.signature(type(self).__init__).bind(self, *args, **params)
        said.apply_defaults()
        for name in list(said.arguments)[1:]:
            setattr(self, name, said.arguments[name])
        super().__init__()
        if self.missing != "error":
            self.set_tags(**{"capability:missing_values": True})

    __init__.__signature__ = signature(**_CHANGES)

    def _fit(self, X, y):
        params = {name: getattr(self, name) for name in list(inspect.signature(type(self).__init__).parameters)[1:]}
        self.model_ = TimeSeriesTransformer(**params, axes="ntc").fit(_series(X), y)
        return self

    def _predict(self, X):
        return self.model_.predict(_series(X))

    def _predict_proba(self, X):
        return self.model_.predict_proba(_series(X)).astype(np.float64)


def _series(X):
    """[T, C] of each sample: of an array [n, C, T], of a list of arrays [C, T], or of frames [T, C]."""
    return [_frame(one) if hasattr(one, "columns") else np.asarray(unmasked(one)).T for one in X]


def _frame(one):
    """As an array, where the names of its columns are those that sktime gives to arrays: they say nothing."""
    return np.asarray(one) if list(one.columns) == [f"var_{i}" for i in range(len(one.columns))] else one


def test_params():
    """Models that train in a moment, for the estimator checks of a library."""
    small = {"preset": "plain", "width": 8, "heads": 2, "layers": 1, "epochs": 2}
    return [small, {**small, "encoding": "rope", "validation": 2, "scaler": "robust"}]
