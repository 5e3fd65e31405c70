from typing import Optional

from torch import Tensor

from .._base import Position, module_of


@module_of("none")
class Nothing(Position):
    """The control without any position."""

    EXTENDS = True

    def forward(self, x, positions: Optional[Tensor] = None, offset: int = 0):
        return x
