from .._base import module_of
from .._input import Sum


@module_of("learned")
class LearnedTable(Sum):
    """A free vector for every position."""

    LEARNED = ("weight",)

    def _values(self):
        return {"weight": self.table()}

    def codes(self, steps):
        return self.weight[:steps]
