from .._base import Position, module_of


@module_of("none")
class Nothing(Position):
    """The control without any position."""

    def forward(self, x):
        return x
