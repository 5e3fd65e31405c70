"""From data sets to trained models and predictions: what `faithful train` and `faithful predict` do."""
from __future__ import annotations

import dataclasses
import json
import os
import warnings

import numpy as np

from . import _core
from ._options import between, checked, checks_of, found, number, one_of, path, seed as seed_of, text, threads, whole, yes_no
from .data import Dataset

_PARTS = {
    "model": checks_of(one for one in _core.model_settings() if one["group"] and one["name"] != "form"),
    "split": checks_of(one for one in _core.split_settings() if one["group"]),
    "train": checks_of(one for one in _core.train_settings() if one["group"]),
}
_FIT = {name: check for part in _PARTS.values() for name, check in part.items()}


class Model:
    """A trained model. fit() and load_model() make one; evaluate(), predict() and diagnose() take it."""

    def __init__(self, core, notes=()):
        self._core = core
        self.notes = list(notes)  # of the training, for the user

    classes = property(lambda self: self._core.classes)  # of two, the second is the positive one
    channels = property(lambda self: self._core.channels)
    length = property(lambda self: self._core.length)  # samples of a window, or of the longest series
    threshold = property(lambda self: self._core.threshold)  # of two classes: the second from this probability on
    record = property(lambda self: json.loads(self._core.json)["record"])  # data, split, history, test scores

    def to_dict(self):
        """All but the weights, as `faithful show --json` prints it."""
        return json.loads(self._core.json)

    def save(self, file):
        """Writes the model file, which load_model() and the program read."""
        self._core.save(path("file", file))

    def to_torch(self, *, dtype=None, device=None):
        """The model as a torch.nn.Module, to go on with in PyTorch: a faithful.torch.Classifier, in eval mode. It takes windows
        [B, S, C] and gives logits [B, K], whose softmax gives the probabilities of predict(). Not for models of kernels."""
        from .torch import Classifier
        return Classifier(self, dtype=dtype, device=device)

    def __repr__(self):
        return (f"<Model: {len(self.channels)} channels, up to {self.length} samples, "
                f"classes {', '.join(self.classes)}>")


def load_model(file):
    """Reads a model file: of Model.save(), of TimeSeriesTransformer.save() or of `faithful train`."""
    return Model(_core.load_model(path("file", file)))


def fit(data, encoding=None, *, model=None, preset=None, ensemble=None, seed=1, threshold="auto", baselines=True, n_jobs=-1, verbose=False, **options):
    """Trains a classifier of windows or of whole series, as `faithful train` does: the same bits for the same seed.

    data: a data set with labels. model: "auto" (the best of the next, on held-out data), "encoder" (a Transformer),
    "kernels" (random convolutions), "linear", or "dfstrans". preset: "best", "fast", or one of the Transformer. Without
    both, and without options of the Transformer, model is "auto". ensemble: number of Transformers. options: those of windows, model, position and training, such as window, stride,
    split, scaler, scaling, width, epochs, learning_rate; docs/options.md describes each. Without window and split both
    follow the data; model.notes says what was chosen, and why. threshold: of two classes, a number, "f1" (the largest
    smoothed F1 on validation), "false-alarms=N/day" or "false-alarms=N/1000samples"; "auto": 0.5 where each series has
    one label, else "f1". The test part is scored once: model.record["test"], beside model.record["baselines"].
    A column that gives the labels away is a warning.
    """
    data_of(data)
    said = {**options_of({"encoding": encoding, **options}, seed_of("seed", seed)), "baselines": yes_no("baselines", baselines)}
    if model is not None:
        said["model_kind"] = one_of(*_core.model_words())("model", model)
    if preset is not None:
        said["preset"] = text("preset", preset)
    if ensemble is not None:
        said["ensemble"] = whole("ensemble", ensemble, 1)
    warn_of_leaks(data_of(data), said, n_jobs)
    core, notes = _core.fit(data_of(data), said, rule_of(threshold), threads(n_jobs), yes_no("verbose", verbose))
    return Model(core, notes)


def options_of(options, seed):
    """{"model", "split", "train"}: the options of each, checked, and the seed of the last two (None: not said)."""
    said = checked(options, _FIT)
    parts = {part: {name: said[name] for name in names if name in said} for part, names in _PARTS.items()}
    if seed is not None:
        parts["split"]["seed"] = parts["train"]["seed"] = seed
    return parts


def warn_of_leaks(core, said, n_jobs):
    """Warns the caller of fit() of channels that give the labels away."""
    for line in _core.leak_warnings(core, said, threads(n_jobs)):
        warnings.warn(line, stacklevel=3)


@dataclasses.dataclass(frozen=True, repr=False)
class Predictions:
    """What a model predicts for each window, in the order of the data."""

    series: np.ndarray  # [n], name of the series
    begin: np.ndarray  # [n], first sample
    end: np.ndarray  # [n], one after the last sample
    start_time: np.ndarray | None  # [n] datetime64[ns], of the first sample; None where the data has no times
    end_time: np.ndarray | None  # [n], of the last sample
    probabilities: np.ndarray  # [n, K] float32
    predicted: np.ndarray  # [n], name of the class; "invalid" where the score is not a finite number
    status: np.ndarray  # [n], "ok", "out_of_range" (a reading far outside of what training has seen) or "invalid"
    reason: np.ndarray  # [n], which reading, where the status is not "ok"
    classes: list
    notes: list  # for the user, a line each
    sets: list | None = None  # [n], tuples of names, most probable first; () where invalid; None without a coverage

    @property
    def scores(self):
        """[n]: the probability of the second of two classes."""
        if len(self.classes) != 2:
            raise ValueError(f"scores: expected a model of two classes, found {len(self.classes)}; see probabilities")
        return self.probabilities[:, 1]

    def __len__(self):
        return len(self.begin)

    def to_dict(self):
        """{column: list}, with the columns that `faithful predict` writes."""
        out = {"series": self.series.tolist(), "begin": self.begin.tolist(), "end": self.end.tolist()}
        if self.start_time is not None:
            out["start_time"] = self.start_time.astype(str).tolist()
            out["end_time"] = self.end_time.astype(str).tolist()
        if len(self.classes) == 2:
            out["score"] = self.scores.tolist()
        else:
            out.update({f"p({name})": column.tolist() for name, column in zip(self.classes, self.probabilities.T)})
        out["class"] = self.predicted.tolist()
        if self.sets is not None:
            out["set"] = ["|".join(name.replace("\\", r"\\").replace("|", r"\|") for name in one) for one in self.sets]
        return {**out, "status": self.status.tolist(), "reason": self.reason.tolist()}

    def __repr__(self):
        counts = [(name, int((self.predicted == name).sum())) for name in [*self.classes, "invalid"]]
        return f"{len(self)} windows: " + ", ".join(f"{count} {name}" for name, count in counts if count)


def predict(model, data, *, scale_as=None, threshold=None, coverage=None, n_jobs=-1):
    """A class and its probability for each window (or each whole series) of a data set; labels are not needed.

    model: a Model, a fitted TimeSeriesTransformer or a model file. data: a data set, or a file, which is read as the
    training data was: the same columns of time, label and so on. Channels are matched by name. scale_as: scale as
    this series of the training; by default by the statistics of all training data. threshold: as in fit(); by default
    the model's own. coverage: of a model of whole series, also a set of classes for each, which has the true class with
    this probability if new series are like those of the training (conformal prediction; Predictions.sets).
    """
    core = model_of(model)
    if coverage is not None:
        coverage = between("coverage", coverage, 0.001, 0.999)
    data = data_for(core, data, labels=False)
    one = _core.predict(core, data._core, changes_of(scale_as, threshold), coverage, threads(n_jobs))
    classes = core.classes
    sets = None if coverage is None else [tuple(classes[k] for k in numbers) for numbers in one["sets"]]
    first, last = _times(data, one)
    return Predictions(names_of(one), one["begin"], one["end"], first, last, one["probabilities"],
                       np.array([*classes, "invalid"])[one["predicted"]],  # -1: the last
                       np.array(one["status"], dtype=object), np.array(one["reason"], dtype=object), classes,
                       one["notes"], sets)


def model_of(model):
    """The compiled model of a Model, of a fitted estimator, or of a file."""
    if isinstance(model, Model):
        return model._core
    if hasattr(model, "_model_of_fit"):
        return model._model_of_fit()
    if isinstance(model, (str, os.PathLike)):
        return _core.load_model(path("model", model))
    raise TypeError(f"model: expected a Model, a fitted TimeSeriesTransformer or a model file, found {found(model)}")


def rule_of(threshold):
    """How a threshold is chosen, as a text that the library reads."""
    return text("threshold", threshold) if isinstance(threshold, str) else repr(number("threshold", threshold))


def changes_of(scale_as, threshold):
    """What a call changes about its model."""
    return _core.ModelChanges(None if scale_as is None else text("scale_as", scale_as),
                              None if threshold is None else rule_of(threshold))


def data_of(data, name="data"):
    if not isinstance(data, Dataset):
        raise TypeError(f"{name}: expected a data set (faithful.data.load or from_arrays), found {found(data)}")
    return data._core


def data_for(core, data, name="data", labels=True):
    """The data set itself, or that of a file, which is read as the model's training data was."""
    if isinstance(data, (str, os.PathLike)):
        return Dataset(_core.load_for_model(path(name, data), core, {}, labels))
    data_of(data, name)
    return data


def names_of(windows):
    """[n]: the name of the series of each window."""
    return np.array(windows["series_names"], dtype=object)[windows["series"]]


def _times(data, windows):
    """Of the first and the last sample of each window; None where a series has no times."""
    times = [one.times for one in data]
    if any(one is None for one in times):
        return None, None
    pick = lambda samples: np.array([times[s][t] for s, t in zip(windows["series"], samples)],  # noqa: E731
                                    dtype="datetime64[ns]")
    return pick(windows["begin"]), pick(windows["end"] - 1)
