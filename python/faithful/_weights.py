"""Weights of samples and of classes in the loss, as scikit-learn has them."""
from __future__ import annotations

import numpy as np

from ._options import found, number, real_array


def sample_weights_of(sample_weight, samples):
    """[n], at least 0; ones where none are given."""
    if sample_weight is None:
        return np.ones(samples)
    weights = real_array("sample_weight", sample_weight)
    if weights.ndim == 0:
        weights = np.full(samples, float(weights))
    if weights.shape != (samples,):
        raise ValueError(f"sample_weight: expected shape ({samples},), a weight a sample of X, found {found(weights)} "
                         "(Sample weights must be 1D array or scalar)")
    if (weights < 0).any():
        raise ValueError(f"sample_weight: expected numbers of at least 0, found {weights.min():g}")
    if not weights.any():
        raise ValueError("sample_weight: expected a weight above 0, found zero for every sample")
    return weights


def class_weights_of(class_weight, classes):
    """[K]: what each class counts. Ones where the training itself balances classes, or nothing is said."""
    if class_weight is None or (isinstance(class_weight, str) and class_weight == "balanced"):
        return np.ones(len(classes))
    if not isinstance(class_weight, dict):
        raise ValueError(f"class_weight: expected a dict, \"balanced\" or None, found {found(class_weight)}")
    known = classes.tolist()
    for label in class_weight:
        if label not in known:
            raise ValueError(f"class_weight: expected classes of y, {known[:5]}, found {found(label)}")
    weights = np.array([number("class_weight", class_weight.get(one, 1.0)) for one in known])
    if (weights < 0).any():
        raise ValueError(f"class_weight: expected numbers of at least 0, found {weights.min():g}")
    return weights
