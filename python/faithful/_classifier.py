"""A scikit-learn classifier on the training of the program: the same options, the same bits, the same model file."""
from __future__ import annotations

import inspect
import json

import numpy as np

from . import _core
from ._bases import BaseEstimator, ClassifierMixin, NotFittedError
from ._estimator_record import NAME, from_program, from_record, to_record, with_arrays, without_arrays
from ._estimator_settings import MODEL, TRAIN, docstring, signature
from ._labels import check_two, class_names, classes_of, program_order
from ._model import Model, rule_of, warn_of_leaks
from ._options import checked, checks_of, number, path, text, threads, whole, yes_no
from ._samples import check_channels, check_not_one_series, series_of, warn_of_digits
from ._weights import class_weights_of, sample_weights_of
from .data import numbered_channels

_HEAD = """A Transformer that classifies time series, with any positional encoding of the catalog.

X is (samples, time, channels), with axes="nct" (samples, channels, time), a table (samples, time) of one channel, a
list of arrays or DataFrames (time, channels) of unequal length, or a nested DataFrame. y is the class of each sample.
"""
_TAIL = """Attributes
----------
classes_ : array of the classes, sorted
n_features_in_ : columns of a table, else channels
feature_names_in_ : names of the columns, where X is a DataFrame or a list of them
n_channels_ : channels
length_ : samples in time of the longest series
history_ : a dict for each epoch
record_ : all that the model file says
"""
_STOCHASTIC = "batches and start values follow the order of the samples: a sample twice is not a sample of weight 2"


class TimeSeriesTransformer(ClassifierMixin, BaseEstimator):
    __doc__ = docstring(_HEAD, _TAIL)
    _coarse = frozenset()  # channels with too many digits that were said

    def __init__(self, *args, **params):
        said = inspect.signature(type(self).__init__).bind(self, *args, **params)
        said.apply_defaults()
        for name in list(said.arguments)[1:]:
            setattr(self, name, said.arguments[name])

    __init__.__signature__ = signature()

    def fit(self, X, y, sample_weight=None):
        """Trains a model of whole series. Ctrl-C stops it after the step.

        sample_weight: of each sample in the loss of the training, at least 0. A sample of weight 0 is left out. Weights
        are divided by their mean. A channel that needs more digits than single precision has is a warning.
        """
        series, columns, names = series_of(X, self.axes, self.missing)
        classes, numbers = classes_of(y, len(series))
        weights = sample_weights_of(sample_weight, len(series)) * class_weights_of(self.class_weight, classes)[numbers]
        if (weights == 0).any():
            series, numbers = [one for one, weight in zip(series, weights) if weight > 0], numbers[weights > 0]
            kept, numbers = np.unique(numbers, return_inverse=True)
            classes, weights = classes[kept], weights[weights > 0]
        check_two(classes, len(series))
        seed = _seed(self.random_state)
        options = self._fit_options(seed, len(series), max(len(one) for one in series))
        order = program_order(classes)  # of the model: the same bits as the program's
        channels = _channels_of(names if columns is None else None, series[0].shape[1])
        coarse = warn_of_digits(series, channels, stacklevel=3)
        dataset = _core.dataset_of(series, order[numbers].tolist(), {
            "channels": channels, "classes": [class_names(classes)[k] for k in np.argsort(order)],
            "parts": ["train"] * len(series), **self._how_missing(),
            **({"weights": (weights / weights.mean()).tolist()} if np.ptp(weights) > 0 else {})})
        threshold = "auto" if len(classes) != 2 else "best-f1" if self.threshold == "validation" else rule_of(self.threshold)
        warn_of_leaks(dataset, options, self.n_jobs)
        model, _ = _core.fit(dataset, options, threshold, threads(self.n_jobs), yes_no("verbose", self.verbose))
        model.note(NAME, json.dumps(to_record(self.get_params(deep=False), seed, classes, columns, names)))
        self._take(model, classes, columns, names)
        self._coarse = coarse
        return self

    def predict_proba(self, X):
        """[n, K] float32: the probability of each class, in the order of classes_."""
        return self._probabilities(X)[:, self._order]

    def predict(self, X):
        """[n]: the most probable class; of two classes the second where its probability is at least the threshold."""
        found = self._model_of_fit().classes_of(self._probabilities(X))
        return self.classes_[np.argsort(self._order)[found]]

    def decision_function(self, X):
        """[n], above 0 where predict says the second of two classes: log odds against the threshold. Of more classes
        [n, K], log probabilities."""
        probabilities = self._probabilities(X).astype(np.float64)
        tiny = np.finfo(np.float32).tiny
        if len(self.classes_) > 2:
            return np.log(np.maximum(probabilities, tiny))[:, self._order]
        log_odds = lambda p: np.log(np.maximum(p, tiny)) - np.log(np.maximum(1 - p, tiny))  # noqa: E731
        sign = 1 if self._order[1] == 1 else -1
        return sign * (log_odds(probabilities[:, 1]) - log_odds(self._model.threshold))

    def save(self, file):
        """Writes the model file, which `faithful predict` and load() read. It keeps the settings and the classes."""
        self._model_of_fit().save(path("file", file))

    def to_torch(self, *, dtype=None, device=None):
        """The fitted model as a torch.nn.Module: see Model.to_torch(). Its classes are in the order of module.classes."""
        return Model(self._model_of_fit()).to_torch(dtype=dtype, device=device)

    @classmethod
    def load(cls, file, **params):
        """The estimator of a model file. Of save(): with its settings and its classes, so that clone(loaded).fit(X, y)
        gives the same model again. Of the program: classes are texts, and settings those of the training. params
        override settings, such as n_jobs, which the file does not keep."""
        model = _core.load_model(path("file", file))
        said = json.loads(model.json)
        if said.get("config") is None:
            raise ValueError(f"{file}: expected a model of a Transformer, found another kind (use faithful.load_model)")
        settings, classes, columns, names = from_program(said), np.array(model.classes), None, None
        if NAME in said["record"]:
            settings, classes, columns, names = from_record(said["record"][NAME])
        estimator = cls(**{**settings, **params})
        estimator._take(model, classes, columns, names)
        return estimator

    def _fit_options(self, seed, samples, longest):
        params = self.get_params(deep=False)
        train = checked({name: params[name] for name in TRAIN}, checks_of(TRAIN.values()))
        if self.class_weight is not None:
            if self.class_weights is not None:
                raise ValueError("class_weight: expected without class_weights, found both")
            train["class_weights"] = "auto" if isinstance(self.class_weight, str) else "none"
        split = {"window": 0, "seed": seed, "scaler": self.scaler, "scaling": self.scaling,
                 **_split_options(self.validation, samples)}
        model = checked({name: params[name] for name in MODEL}, checks_of(MODEL.values()))
        if self.preset in ("best", "fast"):
            raise ValueError(f"preset: expected {', '.join(_core.presets())}, found {self.preset!r}, which may be another model "
                             f"than a Transformer (call faithful.fit(data, preset={self.preset!r}))")
        if self.segment is None:  # a preset's may be longer than the shortest series there are
            model["segment"] = min(_core.preset(text("preset", self.preset))["segment"], longest)
        return {"preset": self.preset, "model": model, "train": {**train, "seed": seed}, "split": split, "baselines": False}

    def _how_missing(self):
        return {} if self.missing == "error" else {"missing": {"mask": "keep"}.get(self.missing, self.missing)}

    def _take(self, model, classes, columns, names):
        self._model = model
        self.classes_ = classes
        self._order = np.array([model.classes.index(name) for name in class_names(classes)])  # classes_ in the model
        self.length_ = model.length
        self.n_channels_ = len(model.channels)
        self._table = columns is not None
        self.n_features_in_ = columns if columns is not None else self.n_channels_
        self.record_ = json.loads(model.json)
        self.history_ = self.record_["record"].get("history", [])
        if names is not None:
            self.feature_names_in_ = np.array(list(names), dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _model_of_fit(self):
        if not hasattr(self, "_model"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first")
        return self._model

    def _probabilities(self, X):
        """[n, K], in the order of the model."""
        return self._model_of_fit().probabilities(self._samples(X), threads(self.n_jobs))

    def _samples(self, X):
        model = self._model_of_fit()
        series, columns, _ = series_of(X, self.axes, self.missing, self.n_channels_, getattr(self, "feature_names_in_", None))
        if self._table and columns is not None and columns != self.n_features_in_:
            raise ValueError(f"X has {columns} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                             "features as input")
        if not self._table and columns is not None:
            check_not_one_series(np.shape(X), self.n_channels_, self.length_)
        check_channels(series[0].shape, self.n_channels_)
        longest = max(len(one) for one in series)
        if longest > self.length_:
            raise ValueError(f"X: expected at most the {self.length_} samples of the longest series in training, found "
                             f"{longest}")
        coarse = warn_of_digits(series, model.channels, self._coarse, stacklevel=5)  # of predict(), which calls two functions
        if coarse:
            self._coarse |= coarse
        return _core.dataset_of(series, [], {"channels": model.channels, **self._how_missing()})

    def __getstate__(self):
        return without_arrays(self.__dict__)

    def __setstate__(self, state):
        self.__dict__.update(with_arrays(state))

    def _more_tags(self):  # scikit-learn up to 1.5
        return {"X_types": ["2darray", "3darray"], "allow_nan": self.missing != "error", "_xfail_checks": {
            "check_sample_weights_invariance": _STOCHASTIC}}

    def __sklearn_tags__(self):  # from 1.6 on
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        tags.input_tags.allow_nan = self.missing != "error"
        return tags


def _split_options(validation, samples):
    if validation is None:
        return {"split": "series", "train": 1.0, "validation": 0.0}
    if isinstance(validation, (int, np.integer)) and not isinstance(validation, bool):
        folds = whole("validation", validation, 2)
        if samples < folds:
            raise ValueError(f"X: expected at least {folds} samples for {folds} folds (validation), found {samples}")
        return {"split": "given", "folds": folds, "needs_test": False}
    share = number("validation", validation)
    if not 0 < share < 1:
        raise ValueError(f"validation: expected a share between 0 and 1, a number of folds or None, found {validation}")
    return {"split": "series", "train": 1.0 - share, "validation": share}


def _seed(random_state):
    """The seed of a number, of a generator of NumPy, or a fresh one (None)."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    return whole("random_state", random_state, 0, 2**64 - 1)


def _channels_of(names, count):
    """The names of the columns, where each has another one."""
    return numbered_channels(count) if names is None or len(set(names)) < count else [text("X", one) for one in names]
