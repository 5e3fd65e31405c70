import torch

from .._attention import InAttention
from .._base import module_of
from .._input import Added


@module_of("t-pe")
class Temporal(Added, InAttention):
    """forward(x) adds the codes: at the input, and in every layer to what queries and keys are made from.
    faithful.torch.attention(..., module, signal=x) adds the similarity of the steps x that the first layer gets."""

    LEARNED = ("weight",)

    times_in_attention = False  # its codes are added to the input before

    def _values(self):
        return {**super()._values(), "weight": self.start()}  # [H]

    def signal_bias(self, signal):
        if signal is None:
            raise ValueError(f"{self.name}: expected signal, the steps [.., S, d] that the first layer gets, found None")
        similarity = torch.matmul(signal, signal.transpose(-2, -1)) / signal.shape[-1] ** 0.5
        return self.weight.to(signal.dtype)[:, None, None] * similarity.unsqueeze(-3)
