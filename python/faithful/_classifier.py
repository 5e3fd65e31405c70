"""A scikit-learn classifier on the training of the program: the same options, the same bits, the same model file."""
from __future__ import annotations

import inspect
import json

import numpy as np

from . import _core
from ._bases import BaseEstimator, ClassifierMixin, NotFittedError
from ._model import rule_of, warn_of_leaks
from ._options import checked, checks_of, number, path, text, threads, whole, yes_no
from ._samples import classes_of, series_of
from .data import numbered_channels

# The library's table of settings, but for those that presets and data fix: arrays have no times.
_MODEL = {one["name"]: one for one in _core.model_settings() if one["group"] and one["name"] not in ("form", "positions")}
_TRAIN = {one["name"]: one for one in _core.train_settings() if one["group"]}


def _signature():
    """Of the estimator: options of model and training are by default the preset's, everything else what the library has."""
    defaults = {"preset": "standard"}
    defaults.update({name: None if one["group"] == "Model" else one["default"] for name, one in _MODEL.items()})
    defaults.update(dict.fromkeys(_TRAIN))
    defaults.update(scaler="standard", scaling="common", validation=None, threshold=0.5, axes="ntc",
                    random_state=1, n_jobs=None, verbose=False)
    first = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
             inspect.Parameter("encoding", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)]
    del defaults["encoding"]
    return inspect.Signature(first + [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value)
                                      for name, value in defaults.items()])


class TimeSeriesTransformer(ClassifierMixin, BaseEstimator):
    """A Transformer that classifies time series, with any positional encoding of the catalog.

    X is (samples, time, channels), with axes="nct" (samples, channels, time), a table (samples, time) of one channel, or
    a list of series (time, channels) of unequal length. y is the class of each sample.

    preset                "standard", "small", "base", "large", "plain", "paper" or "dfstrans": the values of all options
                          of model and training
    encoding              a name of the catalog; None: the preset's
    filters .. head_hidden  one option of the model; None: the preset's value. docs/options.md describes each
    epochs .. cutout      one option of the training, as `faithful train` takes it; None: the preset's value
    scaler                of the channels, fitted on what trains: standard, min-max, robust, none
    scaling               whose statistics: common (of all training series) or window (each series by its own)
    validation            what calibrates the probabilities and, for presets that choose one, the epoch. A share (0.15):
                          so much of the samples validates, the rest trains. A whole number (5): folds validate, then all
                          samples train, as the program does for a set with a test part of its own. None: nothing.
    threshold             of two classes, the second from this probability on; or a rule of faithful.fit; "validation":
                          that of the best F1 there
    random_state          of start values, batches, dropout and the split: the same number, the same bits
    n_jobs                threads; None: all. The result does not depend on them
    verbose               shows a bar

    After fit: classes_, n_features_in_ (columns of a table, else channels), length_ (samples of the longest series),
    history_ (a dict for each epoch), record_ (all that the model file says).
    """

    def __init__(self, *args, **params):
        said = inspect.signature(type(self).__init__).bind(self, *args, **params)
        said.apply_defaults()
        for name in list(said.arguments)[1:]:
            setattr(self, name, said.arguments[name])

    __init__.__signature__ = _signature()

    def fit(self, X, y):
        """Trains a model of whole series. Ctrl-C stops it after the step."""
        series, columns = series_of(X, self.axes)
        classes, numbers = classes_of(y, len(series))
        options = self._fit_options(len(series), max(len(one) for one in series))
        dataset = _core.dataset_of(series, numbers.tolist(), {
            "channels": numbered_channels(series[0].shape[1]), "classes": [str(one) for one in classes],
            "parts": ["train"] * len(series)})
        threshold = "auto" if len(classes) != 2 else "best-f1" if self.threshold == "validation" else rule_of(self.threshold)
        warn_of_leaks(dataset, options, self.n_jobs)
        model, _ = _core.fit(dataset, options, threshold, threads(self.n_jobs), yes_no("verbose", self.verbose))
        names = _column_names(X)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self._take(model, classes, columns)
        return self

    def predict_proba(self, X):
        """[n, K] float32: the probability of each class, in the order of classes_."""
        return self._model_of_fit().probabilities(self._samples(X), threads(self.n_jobs))

    def predict(self, X):
        """[n]: the most probable class; of two classes the second where its probability is at least the threshold."""
        model = self._model_of_fit()
        return self.classes_[model.classes_of(self.predict_proba(X))]

    def decision_function(self, X):
        """[n], above 0 where predict says the second of two classes: log odds against the threshold. Of more classes
        [n, K], log probabilities."""
        probabilities = self.predict_proba(X).astype(np.float64)
        tiny = np.finfo(np.float32).tiny
        if len(self.classes_) > 2:
            return np.log(np.maximum(probabilities, tiny))
        log_odds = lambda p: np.log(np.maximum(p, tiny)) - np.log(np.maximum(1 - p, tiny))  # noqa: E731
        return log_odds(probabilities[:, 1]) - log_odds(self._model.threshold)

    def save(self, file):
        """Writes the model file, which `faithful predict` and load() read. Classes are kept as text."""
        self._model_of_fit().save(path("file", file))

    @classmethod
    def load(cls, file, **params):
        """The estimator of a model file, of save() or of the program. Its classes are texts, or whole numbers where all
        of them are. params: such as n_jobs."""
        model = _core.load_model(path("file", file))
        config = json.loads(model.json).get("config")
        if config is None:
            raise ValueError(f"{file}: expected a model of a Transformer, found another kind (use faithful.load_model)")
        form = config.get("form", "encoder")
        other = "encoder" if form == "dfstrans" else "dfstrans"
        known = {name: config[name] for name, one in _MODEL.items() if name in config and one["applies_to"] != other}
        preset = "dfstrans" if form == "dfstrans" else "standard"
        estimator = cls(**{"preset": preset, **known, "threshold": model.threshold, **params})
        estimator._take(model, _classes_of_texts(model.classes), None)
        return estimator

    def _fit_options(self, samples, longest):
        params = self.get_params(deep=False)
        train = checked({name: params[name] for name in _TRAIN}, checks_of(_TRAIN.values()))
        seed = _seed(self.random_state)
        split = {"window": 0, "seed": seed, "scaler": self.scaler, "scaling": self.scaling,
                 **_split_options(self.validation, samples)}
        model = checked({name: params[name] for name in _MODEL}, checks_of(_MODEL.values()))
        if self.segment is None:  # a preset's may be longer than the shortest series there are
            model["segment"] = min(_core.preset(text("preset", self.preset))["segment"], longest)
        return {"preset": self.preset, "model": model, "train": {**train, "seed": seed}, "split": split, "baselines": False}

    def _take(self, model, classes, columns):
        self._model = model
        self.classes_ = classes
        self.length_ = model.length
        self.n_channels_ = len(model.channels)
        self._table = columns is not None
        self.n_features_in_ = columns if columns is not None else self.n_channels_
        self.record_ = json.loads(model.json)
        self.history_ = self.record_["record"].get("history", [])

    def _model_of_fit(self):
        if not hasattr(self, "_model"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first")
        return self._model

    def _samples(self, X):
        series, columns = series_of(X, self.axes)
        channels = series[0].shape[1]
        if (self._table and columns != self.n_features_in_) or channels != self.n_channels_:
            seen = columns if columns is not None else channels
            raise ValueError(f"X has {seen} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                             "features as input")
        longest = max(len(one) for one in series)
        if longest > self.length_:
            raise ValueError(f"X: expected at most the {self.length_} samples of the longest series in training, found "
                             f"{longest}")
        _check_columns(self, X)
        return _core.dataset_of(series, [], {"channels": self._model.channels})

    def _more_tags(self):  # scikit-learn up to 1.5
        return {"X_types": ["2darray", "3darray"]}

    def __sklearn_tags__(self):  # from 1.6 on
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
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


def _column_names(X):
    names = getattr(X, "columns", None)
    if names is None or not all(isinstance(one, str) for one in names):
        return None
    return np.array(list(names), dtype=object)


def _check_columns(estimator, X):
    names, known = _column_names(X), getattr(estimator, "feature_names_in_", None)
    if names is not None and known is not None and list(names) != list(known):
        raise ValueError(f"X: expected the columns of training, {list(known)[:5]}, found {list(names)[:5]}")


def _classes_of_texts(texts):
    try:
        numbers = [int(one) for one in texts]
    except ValueError:
        return np.array(texts)
    return np.array(numbers) if [str(one) for one in numbers] == list(texts) else np.array(texts)
