"""How good a model is on labelled data: what `faithful evaluate` prints, as an object."""
from __future__ import annotations

import dataclasses
import json

import numpy as np

from . import _core
from ._model import changes_of, data_for, model_of, names_of
from ._options import between, seed as seed_of, threads, whole, yes_no


@dataclasses.dataclass(frozen=True, repr=False)
class Evaluation:
    """Scores with intervals. The numbers are those of `faithful evaluate --json`, under the same names."""

    scores: dict  # windows, accuracy, log_loss, brier, ece, ece_floor, and of two classes precision, recall, f1, auc_pr,
    #               auc_roc; None: not defined
    intervals: dict  # name of a score -> (low, high)
    confusion: np.ndarray  # [K, K], windows: truth by row, prediction by column
    reliability: list  # bins of confidence that have windows: {low, high, confidence, right, count}
    events: dict | None  # events, detected, false_alarms, delays; None where no points have labels
    classes: list
    threshold: float | None  # None of more than two classes
    held_out: bool
    series: np.ndarray  # [n], name of the series of each window
    begin: np.ndarray  # [n], its first sample
    end: np.ndarray  # [n], one after its last sample
    truth: np.ndarray  # [n], number of the class; -1: no label
    predicted: np.ndarray  # [n], number of the class
    probabilities: np.ndarray  # [n, K] float32
    notes: list  # for the user, a line each
    _names: dict  # of the scores that have an interval
    _json: str

    def to_dict(self):
        """What --json prints."""
        return json.loads(self._json)

    def __repr__(self):
        said = self.to_dict()
        lines = [*self.notes, f"{said['data']}: {self.scores['windows']} windows with labels, {100 * said['level']:g} % "
                              f"intervals from {said['resamples']} resamples of {said['groups']} {said['resampled']}"]
        lines += [f"  {name:<12} {_three(self.scores[key])}  [{', '.join(map(_three, self.intervals[key]))}]"
                  for key, name in self._names.items()]
        lines.append(f"  {'ECE':<12} {_three(self.scores['ece'])}  ({_three(self.scores['ece_floor'])} by chance)")
        width = max(map(len, self.classes))
        lines += [f"  {name:<{width}}  predicted as " + ", ".join(f"{other} {count}" for other, count in
                                                                  zip(self.classes, row))
                  for name, row in zip(self.classes, self.confusion)]
        if self.events is not None:
            lines.append(f"  {self.events['detected']} of {self.events['events']} events detected, "
                         f"{self.events['false_alarms']} false alarms")
        return "\n".join(lines)


def _three(value):
    return "    –" if value is None else f"{value:.3f}"


def evaluate(model, data, *, held_out=False, scale_as=None, threshold=None, resamples=2000, level=0.95, seed=1, n_jobs=None):
    """Scores a model on labelled data, each score with an interval by bootstrap.

    model: a Model, a fitted TimeSeriesTransformer or a model file. data: a data set with labels, or a file, as in
    predict(). held_out: data is what the model was trained on; only the test part of that training is scored. scale_as,
    threshold: as in predict(). level: of the intervals. seed: of the resamples.
    """
    options = {"resamples": whole("resamples", resamples, 1), "level": between("level", level, 0.01, 0.999),
               "seed": seed_of("seed", seed)}
    core = model_of(model)
    one = _core.evaluate(core, data_for(core, data)._core, changes_of(scale_as, threshold), yes_no("held_out", held_out), options,
                         threads(n_jobs))
    said = json.loads(one["json"])
    scores = said["scores"]
    return Evaluation(
        scores={key: value for key, value in scores.items() if key not in ("confusion", "events")},
        intervals={key: tuple(value) for key, value in said["intervals"].items()},
        confusion=np.array(scores["confusion"], dtype=np.int64), reliability=said["reliability"],
        events=scores.get("events"), classes=said["classes"],
        threshold=said["threshold"], held_out=said["held_out"], series=names_of(one), begin=one["begin"],
        end=one["end"], truth=one["y"], predicted=one["predicted"], probabilities=one["probabilities"],
        notes=one["notes"], _names=one["names"], _json=one["json"])
