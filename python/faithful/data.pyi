import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._model import Model

__all__: list[str]

class Span(NamedTuple):
    begin: int
    end: int
    channels: list[int]
    kind: str

@dataclass(frozen=True)
class Series:
    name: str
    part: str
    values: NDArray[np.float32]
    times: NDArray[np.datetime64] | None
    labels: NDArray[np.uint8] | None
    label: str | None
    spans: list[Span]
    def __len__(self) -> int: ...

@dataclass(frozen=True)
class Windows:
    X: NDArray[np.float32]
    y: NDArray[np.int32]
    mask: NDArray[np.uint8]
    series: NDArray[np.int64]
    begin: NDArray[np.int64]
    def __len__(self) -> int: ...

@dataclass(frozen=True)
class Split:
    train: Windows
    validation: Windows
    test: Windows
    classes: list[str]
    proof: dict[str, Any]

class Dataset:
    series: list[Series]
    @property
    def name(self) -> str: ...
    @property
    def channels(self) -> list[str]: ...
    @property
    def classes(self) -> list[str]: ...
    @property
    def rate(self) -> float: ...
    @property
    def source(self) -> str: ...
    @property
    def format(self) -> str: ...
    @property
    def notes(self) -> list[str]: ...
    def __init__(self, core: Any) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Series]: ...
    def __getitem__(self, number: int) -> Series: ...
    def part(self, name: Literal["train", "test"]) -> Dataset: ...
    def arrays(self) -> tuple[NDArray[np.float32] | list[NDArray[np.float32]], NDArray[Any] | None]: ...
    def labelled_arrays(self) -> tuple[NDArray[np.float32], NDArray[np.str_]]: ...
    def split(
        self,
        split: Literal["blocked", "series", "given", "random"] = "blocked",
        window: int = 100,
        stride: int = 50,
        *,
        n_jobs: int | None = -1,
        label_rule: Literal["any", "last", "majority"] = "any",
        train: float = 0.7,
        validation: float = 0.15,
        seed: int = 1,
        scaler: Literal["standard", "min-max", "robust", "none"] = "standard",
        scaling: Literal["auto", "common", "series", "window"] = "auto",
        folds: int = 5,
        unlabelled: Literal["leave-out", "normal"] = "leave-out",
        fold: int = 0,
        refit: bool = False,
    ) -> Split: ...
    def save(self, file: str | os.PathLike[str]) -> list[str]: ...

def load(
    file: str | os.PathLike[str],
    *,
    model: Model | None = None,
    format: str | None = None,
    missing: Literal["error", "interpolate", "zero", "keep", "auto"] = "auto",
    label: str | None = None,
    label_of: Literal["point", "series"] = "point",
    positive: str | None = None,
    time: str | None = None,
    time_unit: Literal["s", "ms", "us", "ns", "days"] = "s",
    time_format: str | None = None,
    series: str | None = None,
    part: Literal["train", "test"] | None = None,
    part_column: str | None = None,
    ignore: Sequence[str] | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    header: Literal["auto", "yes", "no"] = "auto",
    values: str | None = None,
    axes: str | None = None,
    channels: int | None = None,
    spacecraft: str | None = None,
    data_dir: str | os.PathLike[str] | None = None,
) -> Dataset: ...
def elevator(
    trips: int = 1000,
    *,
    n_jobs: int | None = -1,
    anomalies: float = 3,
    test_trips: int = 0,
    test_anomalies: float = 50,
    seed: int = 1,
    samples: int = 8000,
    channels: int = 20,
    faults: Sequence[str] | None = None,
) -> Dataset: ...
def elevator_faults() -> dict[str, str]: ...
def from_arrays(
    X: ArrayLike | Sequence[ArrayLike],
    y: ArrayLike | None = None,
    *,
    channels: Sequence[str] | None = None,
    classes: Sequence[str] | None = None,
    parts: Sequence[str] | None = None,
    name: str = "arrays",
    rate: float = 0.0,
) -> Dataset: ...
def numbered_channels(count: int) -> list[str]: ...
