from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

EncodingName: TypeAlias = Literal[
    "sinusoidal", "dft", "spectral", "spectral-learned", "learned", "learned-frequency", "fourier-features", "mtan",
    "time2vec", "tape", "t-pe", "cpe", "dywpe", "rope", "spe", "fope", "pope", "shaw", "t5", "tupe", "alibi",
    "kerple", "fire", "dynamic-bias", "transformer-xl", "deberta", "erpe", "tape+erpe", "none", "onehot", "rotation",
]

@dataclass(frozen=True)
class CatalogEntry:
    name: EncodingName
    kind: str
    description: str
    enters: str
    parameters: dict[str, tuple[str, str]]
    learned: bool
    start: str
    real_positions: bool
    citation: str

def encodings() -> dict[EncodingName, CatalogEntry]: ...
def encode(
    name: EncodingName,
    length: int | None = None,
    dim: int | None = None,
    *,
    dtype: DTypeLike = ...,
    heads: int = 8,
    rho: float = 1e4,
    period: int | None = None,
    scale: Literal["as-defined", "unit", "matched"] | str | float = "as-defined",
    seed: int = 1,
    clip: int = 16,
    time_dim: int = 16,
    positions: ArrayLike | None = None,
    first_position: float = 0.0,
    layout: Literal["interleaved", "halves"] = "interleaved",
    exponent: Literal["2i/d", "i/(d/2-1)"] = "2i/d",
    tupe_relative: bool = False,
    length_scale: float = 0.0,
    spectrum: Literal["exponential", "matern", "gaussian", "flat"] = "exponential",
    smoothness: float = 1.5,
    basis: Literal["auto", "periodic", "cosine"] = "auto",
    learned_spectrum: Literal["length-scale", "frequencies"] = "length-scale",
    parameters: ArrayLike | None = None,
) -> NDArray[np.floating]: ...
def decode(
    codes: ArrayLike,
    *,
    encoding: Literal["dft", "spectral"] = "dft",
    length: int | None = None,
    scale: float = 1.0,
    period: int | None = None,
    length_scale: float | None = None,
    spectrum: Literal["exponential", "matern", "gaussian", "flat"] | None = None,
    smoothness: float | None = None,
    basis: Literal["auto", "periodic", "cosine"] | None = None,
) -> NDArray[np.int64] | int: ...
