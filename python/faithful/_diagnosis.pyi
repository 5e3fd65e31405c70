import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._classifier import TimeSeriesTransformer
from ._model import Model
from .data import Dataset

@dataclass(frozen=True)
class Alarm:
    series: str
    begin: int
    end: int
    score: float
    sensors: list[str]
    shares: NDArray[np.float64]
    spans: NDArray[np.int64]
    pieces: NDArray[np.int64]
    times: dict[str, NDArray[np.float64]]
    advice: str
    truth: dict[str, Any] | None
    truth_words: str
    def plot(self, figure: Any = None) -> Any: ...

@dataclass(frozen=True)
class Diagnosis:
    alarms: list[Alarm]
    count: int
    class_name: str
    threshold: float
    normal: str
    scores: dict[str, Any] | None
    summary: str
    notes: list[str]
    def to_dict(self) -> dict[str, Any]: ...
    def plot(self, number: int = 0, figure: Any = None) -> Any: ...
    def _repr_html_(self) -> str: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Alarm]: ...
    def __getitem__(self, number: int) -> Alarm: ...

def diagnose(
    model: Model | TimeSeriesTransformer | str | os.PathLike[str],
    data: Dataset | str | os.PathLike[str],
    *,
    class_name: str | None = None,
    above: float | None = None,
    only_series: Sequence[str] | None = None,
    normal: Dataset | str | os.PathLike[str] | None = None,
    held_out: bool = False,
    scale_as: str | None = None,
    threshold: float | str | None = None,
    most: int = 100,
    seed: int = 1,
    n_jobs: int | None = -1,
    verbose: bool = False,
) -> Diagnosis: ...
