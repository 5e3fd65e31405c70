from .._attention import InAttention
from .._base import module_of, offsets
from .._input import Added


@module_of("tape+erpe")
class TapeErpe(Added, InAttention):
    """forward(x) adds the codes of tape; faithful.torch.attention(..., module) adds the weights of erpe."""

    LEARNED = ("weight",)

    def _values(self):
        return {**super()._values(), "weight": self.start().reshape(2 * self.length - 1, -1)}

    def weight_bias(self, steps, times=None):
        return self.weight[offsets(steps, self.length, self.weight.device).T].permute(2, 0, 1)
