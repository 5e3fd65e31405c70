"""The classes that an estimator of scikit-learn stands on, or, where scikit-learn is not installed, as little of them as
the classifier needs to work alone."""
from __future__ import annotations

import inspect

import numpy

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.exceptions import DataConversionWarning, NotFittedError
except ImportError:
    DataConversionWarning = UserWarning

    class NotFittedError(ValueError, AttributeError):
        """predict before fit."""

    class ClassifierMixin:
        def score(self, X, y, sample_weight=None):
            """The share of samples whose class is right."""
            return float(numpy.average(self.predict(X) == y, weights=sample_weight))

    class BaseEstimator:
        def get_params(self, deep=True):
            return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

        def set_params(self, **params):
            for name, value in params.items():
                if name not in self.get_params():
                    raise ValueError(f"{name}: expected the name of a parameter, found none of that name")
                setattr(self, name, value)
            return self

        def __repr__(self):
            defaults = inspect.signature(type(self)).parameters
            said = [f"{k}={v!r}" for k, v in self.get_params().items() if v != defaults[k].default]
            return f"{type(self).__name__}({', '.join(said)})"

__all__ = ["BaseEstimator", "ClassifierMixin", "DataConversionWarning", "NotFittedError"]
