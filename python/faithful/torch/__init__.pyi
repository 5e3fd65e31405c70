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
    def forward(self, x: Tensor) -> Tensor: ...

class Added(Position):
    def codes(self, steps: int) -> Tensor: ...
    def forward(self, x: Tensor) -> Tensor: ...

class LearnedTable(Position):
    weight: nn.Parameter
    def codes(self, steps: int) -> Tensor: ...
    def forward(self, x: Tensor) -> Tensor: ...

class LearnedFrequency(Position):
    frequency: nn.Parameter
    phase: nn.Parameter
    def codes(self, steps: int) -> Tensor: ...
    def forward(self, x: Tensor) -> Tensor: ...

class Concatenated(Position):
    frequency: nn.Parameter
    phase: nn.Parameter
    def features(self, steps: int) -> Tensor: ...
    def forward(self, x: Tensor) -> Tensor: ...

class InAttention(Position): ...

class Rotary(InAttention):
    pairing: str
    def rotate(self, x: Tensor) -> Tensor: ...
    def forward(self, query: Tensor, key: Tensor) -> tuple[Tensor, Tensor]: ...

class LogitBias(InAttention):
    def forward(self, steps: int | None = None) -> Tensor: ...

class Alibi(LogitBias): ...
class Kerple(LogitBias): ...
class T5(LogitBias): ...
class Tupe(LogitBias): ...

class WeightBias(InAttention):
    def forward(self, steps: int | None = None) -> Tensor: ...

class Erpe(WeightBias): ...

class Shaw(InAttention):
    def forward(self, steps: int | None = None) -> tuple[Tensor, Tensor]: ...

def attention(
    query: Tensor, key: Tensor, value: Tensor, position: Position | None = None, mask: Tensor | None = None
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
