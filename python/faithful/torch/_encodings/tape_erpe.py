from .._attention import InAttention
from .._base import module_of
from .._input import Waves


@module_of("tape+erpe")
class TapeErpe(Waves, InAttention):
    """forward(x) adds the codes of tape; faithful.torch.attention(..., module) adds the weights of erpe."""

    LEARNED = ("weight",)  # [2 length - 1, H]: of i - j = -(length - 1) .. length - 1

    def _values(self):
        return {**super()._values(), "weight": self.start().reshape(2 * self.length - 1, -1)}

    def weight_bias(self, places):
        return self.weight.flip(0)[self.table_rows(places)].movedim(-1, -3)
