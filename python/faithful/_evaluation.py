"""How good a model is on labelled data: what `faithful evaluate` prints, as an object."""
from __future__ import annotations

import dataclasses
import json

import numpy as np

from . import _core
from ._model import changes_of, data_for, model_of, names_of
from ._options import between, seed as seed_of, threads, whole, yes_no
from ._show import figure_of, html_table, intervals, three


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

    def _title(self):
        said = self.to_dict()
        return (f"{said['data']}: {self.scores['windows']} windows with labels, {100 * said['level']:g} % intervals from "
                f"{said['resamples']} resamples of {said['groups']} {said['resampled']}")

    def _repr_html_(self):
        rows = [(name, three(self.scores[key]), *map(three, self.intervals[key])) for key, name in self._names.items()]
        rows.append(("ECE", three(self.scores["ece"]), "", ""))
        counts = [(name, *map(str, row)) for name, row in zip(self.classes, self.confusion.tolist())]
        return (html_table(self._title(), ("score", "", "from", "to"), rows, self.notes)
                + html_table("windows: truth by row, prediction by column", ("", *self.classes), counts))

    def plot(self, figure=None):
        """The scores with their intervals, the confusion matrix, and the reliability diagram. Needs matplotlib (pip
        install faithful-pe[plot]); returns the figure."""
        figure = figure_of(figure, (12, 4))
        scores, confusion, reliability = figure.subplots(1, 3)
        known = [key for key in self._names if self.scores[key] is not None and None not in self.intervals[key]]
        intervals(scores, [self._names[key] for key in known], [self.scores[key] for key in known],
                  [self.intervals[key][0] for key in known], [self.intervals[key][1] for key in known], "scores")
        confusion.imshow(self.confusion, cmap="Blues")
        places = range(len(self.classes))
        confusion.set_xticks(places, self.classes, rotation=90)
        confusion.set_yticks(places, self.classes)
        for row in places:
            for column in places:
                confusion.text(column, row, str(self.confusion[row, column]), ha="center", va="center")
        confusion.set(title="windows", xlabel="prediction", ylabel="truth")
        reliability.plot([0, 1], [0, 1], color="gray", linestyle=":")
        reliability.plot([one["confidence"] for one in self.reliability], [one["right"] for one in self.reliability], "o-")
        reliability.set(title=f"reliability, ECE {three(self.scores['ece'])}", xlabel="confidence", ylabel="share right")
        return figure

    def __repr__(self):
        lines = [*self.notes, self._title()]
        lines += [f"  {name:<12} {three(self.scores[key]):>5}  [{', '.join(map(three, self.intervals[key]))}]"
                  for key, name in self._names.items()]
        lines.append(f"  {'ECE':<12} {three(self.scores['ece'])}  ({three(self.scores['ece_floor'])} by chance)")
        width = max(map(len, self.classes))
        lines += [f"  {name:<{width}}  predicted as " + ", ".join(f"{other} {count}" for other, count in
                                                                  zip(self.classes, row))
                  for name, row in zip(self.classes, self.confusion)]
        if self.events is not None:
            lines.append(f"  {self.events['detected']} of {self.events['events']} events detected, "
                         f"{self.events['false_alarms']} false alarms")
        return "\n".join(lines)


def evaluate(model, data, *, held_out=False, scale_as=None, threshold=None, resamples=2000, level=0.95, seed=1, n_jobs=-1):
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
