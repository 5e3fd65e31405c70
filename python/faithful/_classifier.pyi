import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from ._encoding import EncodingName
from .torch import Classifier

class TimeSeriesTransformer:
    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    n_channels_: int
    length_: int
    history_: list[dict[str, float | None]]
    record_: dict[str, Any]
    def __init__(
        self,
        encoding: EncodingName | None = None,
        *,
        preset: Literal["standard", "small", "base", "large", "plain", "paper", "dfstrans"] = "standard",
        filters: int | None = None,
        kernel: int | None = None,
        segment: int | None = None,
        width: int | None = None,
        heads: int | None = None,
        head_width: int | None = None,
        layers: int | None = None,
        feed_forward: int | None = None,
        block: Literal["post", "pre", "bare"] | None = None,
        activation: Literal["gelu", "relu"] | None = None,
        dropout: float | None = None,
        pooling: Literal["mean", "attention", "token"] | None = None,
        scale: str | float = "as-defined",
        period: int = 0,
        rho: float = 1e4,
        clip: int = 16,
        time_dim: int = 16,
        mtan: Literal["concat", "attention"] = "concat",
        tupe_relative: bool = False,
        pairing: Literal["interleaved", "halves"] = "interleaved",
        length_scale: float = 0.0,
        spectrum: Literal["exponential", "matern", "gaussian", "flat"] = "exponential",
        smoothness: float = 1.5,
        basis: Literal["auto", "periodic", "cosine"] = "auto",
        learned_spectrum: Literal["length-scale", "frequencies"] = "length-scale",
        differences: int | None = None,
        average: int | None = None,
        branches: int | None = None,
        blocks: int | None = None,
        bottleneck: int | None = None,
        stages: int | None = None,
        sensor_weights: bool | None = None,
        step_weights: bool | None = None,
        head_hidden: int | None = None,
        epochs: int | None = None,
        batch: int | None = None,
        learning_rate: float | None = None,
        warm_up: float | None = None,
        decay: float | None = None,
        clip_norm: float | None = None,
        patience: int | None = None,
        class_weights: Literal["auto", "none"] | None = None,
        select: Literal["auto", "loss", "last"] | None = None,
        steps: int | None = None,
        smoothing: float | None = None,
        warp: float | None = None,
        crop: float | None = None,
        mix: float | None = None,
        gain: float | None = None,
        jitter: float | None = None,
        cutout: float | None = None,
        shards: int | None = None,
        scaler: Literal["standard", "min-max", "robust", "none"] = "standard",
        scaling: Literal["auto", "common", "window"] = "common",
        validation: float | int | None = None,
        threshold: float | str = 0.5,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        missing: Literal["error", "interpolate", "mask"] = "error",
        axes: Literal["auto", "ntc", "nct"] = "auto",
        random_state: int | np.random.RandomState | np.random.Generator | None = 1,
        n_jobs: int | None = None,
        verbose: bool = False,
        **of_encodings: Any,
    ) -> None: ...
    def fit(
        self, X: ArrayLike | Sequence[ArrayLike], y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> TimeSeriesTransformer: ...
    def predict(self, X: ArrayLike | Sequence[ArrayLike]) -> NDArray[Any]: ...
    def predict_proba(self, X: ArrayLike | Sequence[ArrayLike]) -> NDArray[np.float32]: ...
    def decision_function(self, X: ArrayLike | Sequence[ArrayLike]) -> NDArray[np.float64]: ...
    def score(
        self, X: ArrayLike | Sequence[ArrayLike], y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float: ...
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> TimeSeriesTransformer: ...
    def save(self, file: str | os.PathLike[str]) -> None: ...
    def to_torch(self, *, dtype: torch.dtype | None = None, device: torch.device | str | None = None) -> Classifier: ...
    @classmethod
    def load(cls, file: str | os.PathLike[str], **params: Any) -> TimeSeriesTransformer: ...
