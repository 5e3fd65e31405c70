from .._attention import WeightBias, interpolated
from .._base import module_of


@module_of("erpe")
class Erpe(WeightBias):
    """A learned weight for every offset i - j."""

    LEARNED = ("weight",)  # [2 length - 1, H]: of i - j = -(length - 1) .. length - 1

    def _values(self):
        return {"weight": self.start().reshape(2 * self.length - 1, -1)}

    def bias(self, places):
        if places.whole:
            return self.weight.flip(0)[self.table_rows(places)].movedim(-1, -3)
        return interpolated(self.weight, -places.offsets()).movedim(-1, -3)
