import os
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ._classifier import TimeSeriesTransformer
from ._encoding import EncodingName
from .data import Dataset

class Model:
    notes: list[str]
    @property
    def classes(self) -> list[str]: ...
    @property
    def channels(self) -> list[str]: ...
    @property
    def length(self) -> int: ...
    @property
    def threshold(self) -> float: ...
    @property
    def record(self) -> dict[str, Any]: ...
    def __init__(self, core: Any, notes: Any = ()) -> None: ...
    def to_dict(self) -> dict[str, Any]: ...
    def save(self, file: str | os.PathLike[str]) -> None: ...

@dataclass(frozen=True)
class Predictions:
    series: NDArray[np.object_]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    start_time: NDArray[np.datetime64] | None
    end_time: NDArray[np.datetime64] | None
    probabilities: NDArray[np.float32]
    predicted: NDArray[np.str_]
    status: NDArray[np.object_]
    reason: NDArray[np.object_]
    classes: list[str]
    notes: list[str]
    sets: list[tuple[str, ...]] | None = None
    @property
    def scores(self) -> NDArray[np.float32]: ...
    def __len__(self) -> int: ...
    def to_dict(self) -> dict[str, list[Any]]: ...

def load_model(file: str | os.PathLike[str]) -> Model: ...
def fit(
    data: Dataset,
    encoding: EncodingName | Literal["auto"] | None = None,
    *,
    model: Literal["auto", "encoder", "dfstrans", "kernels", "linear"] | None = None,
    preset: Literal["best", "fast", "standard", "small", "base", "large", "plain", "paper", "dfstrans"] | None = None,
    ensemble: int | None = None,
    seed: int = 1,
    threshold: float | str = "auto",
    baselines: bool = True,
    n_jobs: int | None = -1,
    verbose: bool = False,
    **options: Any,
) -> Model: ...
def predict(
    model: Model | TimeSeriesTransformer | str | os.PathLike[str],
    data: Dataset | str | os.PathLike[str],
    *,
    scale_as: str | None = None,
    threshold: float | str | None = None,
    coverage: float | None = None,
    n_jobs: int | None = -1,
) -> Predictions: ...
