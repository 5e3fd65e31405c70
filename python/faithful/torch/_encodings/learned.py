from .._base import module_of
from .._input import Table


@module_of("learned")
class LearnedTable(Table):
    """A free vector for every position."""

    LEARNED = ("weight",)

    def _values(self):
        return {"weight": self.table()}

    def rows(self):
        return self.weight
