from .._attention import WeightBias
from .._base import interpolated, module_of, offsets


@module_of("erpe")
class Erpe(WeightBias):
    """A learned weight for every offset i - j."""

    LEARNED = ("weight",)

    def _values(self):
        return {"weight": self.start().reshape(2 * self.length - 1, -1), "at": self.positions()}

    def bias(self, steps, times=None):
        if self.whole(times):
            return self.weight[offsets(steps, self.length, self.weight.device).T].permute(2, 0, 1)
        return interpolated(self.weight, -self.offsets(steps, times)).movedim(-1, -3)
