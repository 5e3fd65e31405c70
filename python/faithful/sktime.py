"""The classifier for sktime: its base class and its tags.

    from faithful.sktime import TimeSeriesTransformerClassifier
"""
from __future__ import annotations

from sktime.classification.base import BaseClassifier

from ._adapter import Adapted, document, test_params

__all__ = ["TimeSeriesTransformerClassifier"]


class TimeSeriesTransformerClassifier(Adapted, BaseClassifier):
    __doc__ = document("sktime")

    _tags = {
        "X_inner_mtype": "df-list",
        "capability:multivariate": True,
        "capability:unequal_length": True,
        "capability:multithreading": True,
        "capability:predict_proba": True,
        "capability:random_state": True,
        "property:randomness": "derandomized",
        "classifier_type": "deeplearning",
        "authors": ["faithful"],
    }

    @classmethod
    def get_test_params(cls, parameter_set="default"):
        """Settings for the estimator checks."""
        return test_params()
