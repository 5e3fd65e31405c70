import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._classifier import TimeSeriesTransformer
from ._model import Model
from .data import Dataset

@dataclass(frozen=True)
class Evaluation:
    scores: dict[str, float | None]
    intervals: dict[str, tuple[float | None, float | None]]
    confusion: NDArray[np.int64]
    reliability: list[dict[str, float]]
    events: dict[str, float | None] | None
    classes: list[str]
    threshold: float | None
    held_out: bool
    series: NDArray[np.object_]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    truth: NDArray[np.int32]
    predicted: NDArray[np.int32]
    probabilities: NDArray[np.float32]
    notes: list[str]
    def to_dict(self) -> dict[str, Any]: ...
    def plot(self, figure: Any = None) -> Any: ...
    def _repr_html_(self) -> str: ...

def evaluate(
    model: Model | TimeSeriesTransformer | str | os.PathLike[str],
    data: Dataset | str | os.PathLike[str],
    *,
    held_out: bool = False,
    scale_as: str | None = None,
    threshold: float | str | None = None,
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 1,
    n_jobs: int | None = -1,
) -> Evaluation: ...
