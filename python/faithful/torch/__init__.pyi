from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

__all__: list[str]

class Position(nn.Module):
    name: str
    length: int
    options: dict[str, Any]
    def __init__(
        self,
        name: str,
        length: int,
        dim: int | None = None,
        *,
        dtype: torch.dtype | None = None,
        device: torch.device | str | None = None,
        **options: Any,
    ) -> None: ...
    def reset_parameters(self) -> None: ...
    def learned(self) -> NDArray[np.float64]: ...

class Nothing(Position):
    def forward(self, x: Tensor, positions: Tensor | None = None, offset: int = 0) -> Tensor: ...

class Sum(Position):
    def codes(self, steps: int, offset: int = 0, positions: Tensor | None = None) -> Tensor: ...
    def forward(self, x: Tensor, positions: Tensor | None = None, offset: int = 0) -> Tensor: ...

class Added(Sum): ...
class Sinusoids(Added): ...

class LearnedTable(Sum):
    weight: nn.Parameter

class LearnedFrequency(Sum):
    frequency: nn.Parameter
    phase: nn.Parameter

class FourierFeatures(Sum):
    frequency: nn.Parameter

class SpectralLearned(Sum): ...

class Concatenated(Position):
    frequency: nn.Parameter
    phase: nn.Parameter
    def features(self, steps: int, offset: int = 0, positions: Tensor | None = None) -> Tensor: ...
    def forward(self, x: Tensor, positions: Tensor | None = None, offset: int = 0) -> Tensor: ...

class FromSignal(Position):
    def codes_of(self, x: Tensor) -> Tensor: ...
    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor: ...

class Conditional(FromSignal):
    weight: nn.Parameter

class DynamicWavelet(FromSignal): ...

class InAttention(Position): ...

class Turned(InAttention):
    def forward(
        self,
        query: Tensor,
        key: Tensor,
        positions: Tensor | None = None,
        *,
        key_positions: Tensor | None = None,
        offset: int = 0,
        key_offset: int | None = None,
    ) -> tuple[Tensor, Tensor]: ...

class Rotary(Turned):
    pairing: str
    def rotate(self, x: Tensor, positions: Tensor | None = None, offset: int = 0) -> Tensor: ...

class Fope(Turned):
    pairing: str
    def rotate(self, x: Tensor, positions: Tensor | None = None, offset: int = 0) -> Tensor: ...

class Pope(Turned): ...

class Stochastic(Turned):
    gate: nn.Parameter

class Bias(InAttention):
    def forward(
        self,
        queries: int | None = None,
        keys: int | None = None,
        *,
        positions: Tensor | None = None,
        key_positions: Tensor | None = None,
        offset: int = 0,
        key_offset: int | None = None,
        part: bool = False,
    ) -> Tensor: ...

class LogitBias(Bias): ...
class Alibi(LogitBias): ...
class DynamicBias(LogitBias): ...
class Fire(LogitBias): ...
class Kerple(LogitBias): ...
class T5(LogitBias): ...
class TransformerXL(LogitBias): ...
class Tupe(LogitBias): ...
class WeightBias(Bias): ...

class Erpe(WeightBias):
    weight: nn.Parameter  # [2 length - 1, H], for query minus key

class Deberta(InAttention):
    def forward(self) -> Tensor: ...

class TapeErpe(Added, InAttention):
    weight: nn.Parameter  # [2 length - 1, H], for query minus key

class Temporal(Added, InAttention):
    weight: nn.Parameter

class Shaw(InAttention):
    def forward(
        self,
        queries: int | None = None,
        keys: int | None = None,
        *,
        positions: Tensor | None = None,
        key_positions: Tensor | None = None,
        offset: int = 0,
        key_offset: int | None = None,
    ) -> tuple[Tensor, Tensor]: ...

class TransformerEncoderLayer(nn.TransformerEncoderLayer):
    position: InAttention | None
    def __init__(self, d_model: int, nhead: int, *args: Any, position: InAttention | None = None, **options: Any) -> None: ...

def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    position: Position | None = None,
    mask: Tensor | None = None,
    signal: Tensor | tuple[Tensor, Tensor] | None = None,
    positions: Tensor | None = None,
    *,
    key_positions: Tensor | None = None,
    offset: int = 0,
    key_offset: int | None = None,
    padding: Tensor | None = None,
    causal: bool = False,
    dropout: float = 0.0,
) -> Tensor: ...
def encoding(
    name: str,
    length: int,
    dim: int | None = None,
    *,
    dtype: torch.dtype | None = None,
    device: torch.device | str | None = None,
    **options: Any,
) -> Position: ...
