import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ._encoding import EncodingName
from .data import Dataset

@dataclass(frozen=True)
class Choice:
    encoding: EncodingName
    encodings: list[EncodingName]
    values: NDArray[np.float64]
    mean: NDArray[np.float64]
    difference: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    p: NDArray[np.float64]
    measure: str
    sentence: str
    def to_dict(self) -> dict[str, Any]: ...
    def plot(self, figure: Any = None) -> Any: ...
    def _repr_html_(self) -> str: ...

@dataclass(frozen=True)
class Comparison:
    groups: list[dict[str, Any]]
    comparisons: list[dict[str, Any]]
    runs: list[dict[str, Any]]
    @property
    def arms(self) -> list[str]: ...
    def scores(self, measure: str | None = None, data: str | None = None) -> dict[str, NDArray[np.float64]]: ...
    def to_dict(self) -> dict[str, Any]: ...
    def plot(self, figure: Any = None) -> Any: ...
    def _repr_html_(self) -> str: ...

def choose(
    data: Dataset,
    encodings: Sequence[EncodingName] | None = None,
    *,
    preset: Literal["standard", "small", "base", "large", "plain", "paper", "dfstrans"] = "standard",
    folds: int = 5,
    repeats: int = 4,
    minutes: float = 10.0,
    seed: int = 1,
    n_jobs: int | None = -1,
    verbose: bool = False,
    **options: Any,
) -> Choice: ...
def compare(
    data: Dataset | Sequence[Dataset],
    encodings: Sequence[str] = ("sinusoidal", "dft", "none"),
    *,
    seeds: int = 10,
    scales: Sequence[str | float] = ("as-defined",),
    rates: Sequence[float] = (1e-3, 2e-3, 4e-3),
    preset: Literal["standard", "small", "base", "large", "plain", "paper", "dfstrans"] = "small",
    epochs: int = 20,
    gap_seeds: int = 3,
    prevalence: float = 0.0,
    minirocket: bool = True,
    output: str | os.PathLike[str] | None = None,
    n_jobs: int | None = -1,
    **options: Any,
) -> Comparison: ...
