"""Which sensor, and when: what `faithful diagnose` prints, as an object."""
from __future__ import annotations

import dataclasses
import json

import numpy as np

from . import _core
from ._model import changes_of, data_for, model_of
from ._options import between, seed as seed_of, text, texts, threads, whole, yes_no
from ._show import figure_of, html_table


@dataclasses.dataclass(frozen=True, repr=False)
class Alarm:
    """Windows of one series that the model flags and that overlap or touch, and where they came from."""

    series: str
    begin: int  # first sample
    end: int  # one after the last sample
    score: float  # of the surest window
    sensors: list  # names, most suspect first
    shares: np.ndarray  # [C], of the suspicion, in the order of sensors
    spans: np.ndarray  # [spans, 2], begin and end of the times that stand out, most suspect first
    pieces: np.ndarray  # [P, 2], the steps that each method weighs
    times: dict  # name of a method -> weight of each piece [P]
    advice: str  # the words of the program
    truth: dict | None  # what the labels say; None where there are none
    truth_words: str  # the same in words; may be empty

    def plot(self, figure=None):
        """How suspect each sensor is, and each time by each method. Needs matplotlib; returns the figure."""
        figure = figure_of(figure, (10, 4))
        sensors, times = figure.subplots(1, 2)
        sensors.barh(self.sensors, self.shares)
        sensors.invert_yaxis()
        sensors.set(title=f"{self.series}, samples {self.begin} to {self.end - 1}", xlabel="share of the suspicion")
        for name, weights in self.times.items():
            times.step(self.pieces[:, 0], weights, where="post", label=name)
        for begin, end in self.spans:
            times.axvspan(begin, end, alpha=0.15, color="tab:red")
        times.set(title="times that stand out", xlabel="sample", ylabel="weight")
        times.legend()
        return figure

    def __repr__(self):
        return self.advice + (f" {self.truth_words}" if self.truth_words else "")


@dataclasses.dataclass(frozen=True, repr=False)
class Diagnosis:
    """All alarms, surest first. The numbers are those of `faithful diagnose --json`."""

    alarms: list
    count: int  # of all alarms; those beyond `most` were not looked into
    class_name: str  # that is detected
    threshold: float
    normal: str  # in words
    scores: dict | None  # how often diagnoses are right; None where the labels do not say what was wrong
    summary: str  # the first line that the program prints
    notes: list  # for the user, a line each
    _json: str

    def to_dict(self):
        """What --json prints."""
        return json.loads(self._json)

    def __len__(self):
        return len(self.alarms)

    def __iter__(self):
        return iter(self.alarms)

    def __getitem__(self, number):
        return self.alarms[number]

    def plot(self, number=0, figure=None):
        """One alarm; the first is the surest. Needs matplotlib; returns the figure."""
        if not self.alarms:
            raise ValueError("plot: expected an alarm, found none in this diagnosis")
        return self.alarms[number].plot(figure)

    def _repr_html_(self):
        rows = [(one.series, f"{one.begin} to {one.end - 1}", f"{one.score:.2f}", ", ".join(one.sensors[:3]),
                 ", ".join(f"{begin} to {end - 1}" for begin, end in one.spans[:3])) for one in self.alarms]
        return html_table(self.summary, ("series", "samples", "score", "look first at", "times"), rows, self.notes)

    def __repr__(self):
        return "\n".join([*self.notes, self.summary, *map(repr, self.alarms)])


def _pairs(spans):
    return np.array(spans, dtype=np.int64).reshape(-1, 2)


def _alarm(said, truth_words):
    return Alarm(
        series=said["series"], begin=said["begin"], end=said["end"], score=said["score"],
        sensors=[one["sensor"] for one in said["sensors"]], shares=np.array([one["share"] for one in said["sensors"]]),
        spans=_pairs([(one["begin"], one["end"]) for one in said["spans"]]), pieces=_pairs(said["pieces"]),
        times={name: np.array(method["times"]) for name, method in said["methods"].items()}, advice=said["advice"],
        truth=said["truth"], truth_words=truth_words)


def diagnose(model, data, *, class_name=None, above=None, only_series=None, normal=None, held_out=False,
             scale_as=None, threshold=None, most=100, seed=1, n_jobs=-1, verbose=False):
    """For each alarm the sensors and the times that it came from, most suspect first. Labels are not needed.

    model: a Model, a fitted TimeSeriesTransformer or a model file. class_name: the class to detect; by default the
    second of two. above: an alarm is a score of at least this; by default the model's threshold. only_series: names of
    series, or numbers from 1 as texts. normal: a data set to compare with; by default what raises no alarm in data.
    data, normal: a data set or a file, as in predict(). held_out: only the test part of the model's own training.
    scale_as, threshold: as in predict(). most: alarms to look into, surest first.
    """
    said = {"held_out": yes_no("held_out", held_out), "most": whole("most", most, 1), "seed": seed_of("seed", seed),
            "verbose": yes_no("verbose", verbose)}
    if class_name is not None:
        said["class_name"] = text("class_name", class_name)
    if above is not None:
        said["above"] = between("above", above, 0, 1)
    if only_series is not None:
        said["only_series"] = texts("only_series", only_series)
    core = model_of(model)
    one = _core.diagnose(core, data_for(core, data)._core,
                         None if normal is None else data_for(core, normal, "normal")._core,
                         changes_of(scale_as, threshold), said, threads(n_jobs))
    found = json.loads(one["json"])
    return Diagnosis(
        alarms=[_alarm(*pair) for pair in zip(found["alarms"], one["truths"])], count=found["found"],
        class_name=found["class"], threshold=found["threshold"], normal=found["normal"], scores=found["scores"],
        summary=one["summary"], notes=one["notes"], _json=one["json"])
