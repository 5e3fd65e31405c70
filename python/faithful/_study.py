"""Which encoding suits, and which differ: what `faithful choose` and `faithful compare` print, as objects."""
from __future__ import annotations

import dataclasses
import json
import os

import numpy as np

from . import _core
from ._model import data_of, options_of
from ._options import between, number, numbers_of, path, scale, seed as seed_of, text, texts, threads, whole, yes_no
from ._show import figure_of, html_table, intervals, three
from .data import Dataset


@dataclasses.dataclass(frozen=True, repr=False)
class Choice:
    """How each encoding did on the same folds. The numbers are those of `faithful choose --json`."""

    encoding: str  # the choice: the best one that is shown to be better than the first, or the first
    encodings: list  # names; that of the model first
    values: np.ndarray  # [E, folds], accuracy or AUC-PR of each fold
    mean: np.ndarray  # [E]
    difference: np.ndarray  # [E], of the means to the first; NaN for the first, as the next three
    low: np.ndarray  # [E], 95 % interval of the difference
    high: np.ndarray
    p: np.ndarray  # [E], by Holm's correction
    measure: str
    sentence: str
    _json: str

    def to_dict(self):
        """What --json prints."""
        return json.loads(self._json)

    def _rows(self):
        for i, name in enumerate(self.encodings):
            first = i == 0
            yield (name, three(self.mean[i]), "" if first else f"{self.difference[i]:+.3f}",
                   "" if first else f"{self.low[i]:+.3f} to {self.high[i]:+.3f}", "" if first else f"{self.p[i]:.2g}")

    def __repr__(self):
        lines = [f"{self.values.shape[1]} folds of the training part, {self.measure}"]
        lines += ["  " + "  ".join(f"{cell:>{width}}" for cell, width in zip(row, (18, 6, 7, 16, 6))) for row in self._rows()]
        return "\n".join([*lines, self.sentence])

    def _repr_html_(self):
        head = ("encoding", self.measure, f"to {self.encodings[0]}", "95 % interval", "p (Holm)")
        return html_table(f"{self.values.shape[1]} folds of the training part", head, self._rows(), [self.sentence])

    def plot(self, figure=None):
        """The differences to the first encoding, with their intervals. Needs matplotlib; returns the figure."""
        figure = figure_of(figure, (7, 1 + 0.4 * len(self.encodings)))
        axes = figure.subplots()
        axes.axvline(0, color="gray", linestyle=":")
        intervals(axes, self.encodings[1:], self.difference[1:], self.low[1:], self.high[1:],
                  f"{self.measure}: difference to {self.encodings[0]}")
        return figure


def choose(data, encodings=None, *, preset="standard", folds=5, repeats=4, minutes=10.0, seed=1, n_jobs=-1, verbose=False, **options):
    """Trains a Transformer with each encoding on the same folds of the training part, one training on each thread.

    data: a data set with labels. encodings: names to try; the model's own encoding is always the first. minutes: how long it
    may take. options: those of windows, model and training, as in fit(); encoding is the one that is kept unless another is
    shown to be better. The test part is not used.
    """
    said = options_of(options, seed_of("seed", seed))
    said.update(preset=text("preset", preset), folds=whole("folds", folds, 2, 1000), repeats=whole("repeats", repeats, 1, 1000),
                minutes=number("minutes", minutes))
    if encodings is not None:
        said["encodings"] = texts("encodings", encodings)
    found = _core.choose(data_of(data), said, threads(n_jobs), yes_no("verbose", verbose))
    one = json.loads(found)
    column = lambda name: np.array([np.nan if row[name] is None else row[name] for row in one["scores"]], dtype=float)  # noqa: E731
    return Choice(encoding=one["encoding"], encodings=[row["encoding"] for row in one["scores"]],
                  values=np.array([row["values"] for row in one["scores"]]), mean=column("mean"),
                  difference=column("difference"), low=column("low"), high=column("high"), p=column("p"),
                  measure=one["measure"], sentence=one["sentence"], _json=found)


@dataclasses.dataclass(frozen=True, repr=False)
class Comparison:
    """Encodings on the same seeds. The numbers are those of `faithful compare --json`."""

    groups: list  # of each data set and split: scores of the arms and of the baselines, as dicts
    comparisons: list  # of each arm with the original encoding: differences, intervals, p-values, verdict, as dicts
    runs: list  # a dict for each training
    _json: str

    def to_dict(self):
        """What --json prints."""
        return json.loads(self._json)

    @property
    def arms(self):
        """Names of the arms: the encoding, and its scale where that is not as defined."""
        return list(dict.fromkeys(arm["name"] for group in self.groups for arm in group["arms"]))

    def scores(self, measure=None, data=None):
        """{name of the arm: [seeds], in the order of the seeds} of one data set, by default the first, and of one measure,
        by default F1 or accuracy."""
        group = next((one for one in self.groups if data in (None, one["data"])), None)
        if group is None:
            raise ValueError(f"data: expected one of {', '.join(one['data'] for one in self.groups)}, found {data!r}")
        found = {}
        for arm in group["arms"]:
            runs = [run for run in self.runs if run["kind"] == "run" and run["data"] == group["data"] and not run["again"]
                    and (run["encoding"], run["scale"]) == (arm["encoding"], arm["scale"])]
            runs.sort(key=lambda run: run["seed"])
            key = measure or next(name for name in ("f1", "accuracy") if name in runs[0]["scores"])
            if key not in runs[0]["scores"]:
                raise ValueError(f"measure: expected one of {', '.join(runs[0]['scores'])}, found {key!r}")
            found[arm["name"]] = np.array([run["scores"][key] for run in runs])
        return found

    def __repr__(self):
        lines = []
        for group in self.groups:
            lines.append(f"{group['data']} ({group['split']} split)")
            lines += ["  " + "  ".join(f"{cell:>{width}}" for cell, width in zip(row, (22, 7, 7, 7))) for row in _rows(group)]
        return "\n".join([*lines, *(one["verdict"] for one in self.comparisons)])

    def _repr_html_(self):
        head = lambda group: ("", _headline(group), "from", "to")  # noqa: E731
        tables = [html_table(f"{group['data']} ({group['split']} split)", head(group), _rows(group)) for group in self.groups]
        return "".join(tables) + html_table("paired differences", (), [(one["verdict"],) for one in self.comparisons])

    def plot(self, figure=None):
        """The scores of the arms of each data set, with their intervals. Needs matplotlib; returns the figure."""
        figure = figure_of(figure, (7, 1 + 0.4 * len(self.arms) * len(self.groups)))
        for axes, group in zip(np.atleast_1d(figure.subplots(len(self.groups))), self.groups):
            measure = _headline(group)
            found = [(arm["name"], arm["measures"][measure]) for arm in group["arms"]]
            column = lambda name: [one[name] for _, one in found]  # noqa: E731
            intervals(axes, [name for name, _ in found], column("mean"), column("low"), column("high"),
                      f"{group['data']}: {measure}")
        return figure


def _headline(group):
    return next(name for name in ("f1", "accuracy") if name in group["arms"][0]["measures"])


def _rows(group):
    measure = _headline(group)
    named = [(arm["name"], arm["measures"]) for arm in group["arms"]] + list(group["others"].items())
    for name, measures in named:
        if measure in measures:
            one = measures[measure]
            yield name, three(one["mean"]), three(one["low"]), three(one["high"])


def compare(data, encodings=("sinusoidal", "dft", "none"), *, seeds=10, scales=("as-defined",), rates=(1e-3, 2e-3, 4e-3),
            preset="small", epochs=20, gap_seeds=3, prevalence=0.0, minirocket=True, output=None, n_jobs=-1, **options):
    """Trains each encoding on each seed, each training on one thread, and tests the paired differences.

    data: a data set with labels, or a list of them. encodings: "none" is always added. seeds: how many; a verdict needs 10.
    scales: of added encodings. rates: learning rates to try. gap_seeds: of the gap probe; 0: none. prevalence: percent of the
    positive class to which test scores are reweighted; 0: not. output: a folder for runs.jsonl; finished runs in it are not
    run again. options: those of windows, model and training, as in fit().
    """
    datasets = [data_of(one) for one in ([data] if isinstance(data, Dataset) else data)]
    if not datasets:
        raise ValueError("data: expected at least one data set, found none")
    said = options_of(options, None)
    for name in ("encoding", "scale", "learning_rate"):
        if any(name in part for part in said.values()):
            raise TypeError(f"{name}: expected encodings, scales or rates, which are lists, found {name}")
    names = texts("encodings", encodings)
    said.update(encodings=names if "none" in names else [*names, "none"], seeds=whole("seeds", seeds, 1, 10000),
                scales=[scale("scales", one) for one in scales], rates=numbers_of("rates", rates), preset=text("preset", preset),
                epochs=whole("epochs", epochs, 0), gap_seeds=min(whole("gap_seeds", gap_seeds), seeds),
                prevalence=between("prevalence", prevalence, 0, 99), minirocket=yes_no("minirocket", minirocket))
    folder = "" if output is None else path("output", output)
    if folder:
        os.makedirs(folder, exist_ok=True)
    report, runs = _core.compare(datasets, said, os.path.join(folder, "runs.jsonl") if folder else "", threads(n_jobs))
    one = json.loads(report)
    return Comparison(groups=one["groups"], comparisons=one["comparisons"], runs=[json.loads(run) for run in runs], _json=report)
