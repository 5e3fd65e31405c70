"""The classifier for aeon: its base class, its tags, its order of axes (samples, channels, time).

    from faithful.aeon import TimeSeriesTransformerClassifier
"""
from __future__ import annotations

from aeon.classification.base import BaseClassifier

from ._adapter import Adapted, document, test_params

__all__ = ["TimeSeriesTransformerClassifier"]


class TimeSeriesTransformerClassifier(Adapted, BaseClassifier):
    __doc__ = document("aeon")

    _tags = {
        "X_inner_type": ["np-list", "numpy3D"],
        "capability:multivariate": True,
        "capability:unequal_length": True,
        "capability:multithreading": True,
        "algorithm_type": "deeplearning",
    }

    @classmethod
    def _get_test_params(cls, parameter_set="default"):
        return test_params()
