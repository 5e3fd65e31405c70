import torch

from .._attention import InAttention
from .._base import module_of
from .._input import Waves
from .._positions import wide


@module_of("t-pe")
class Temporal(Waves, InAttention):
    """forward(x) adds the codes: at the input, and in every layer to what queries and keys are made from.
    faithful.torch.attention(..., module, signal=x) adds the similarity of the steps x that the first layer gets."""

    LEARNED = ("weight",)
    needs_signal = True

    def _values(self):
        return {**super()._values(), "weight": self.start()}  # [H]

    def signal_bias(self, signal):
        if signal is None:
            raise ValueError(f"{self.name}: expected signal, the steps [.., S, d] that the first layer gets, found None")
        of_queries, of_keys = signal if isinstance(signal, tuple) else (signal, signal)
        similarity = wide(torch.matmul(of_queries, of_keys.transpose(-2, -1))) / of_keys.shape[-1] ** 0.5
        return self.weight.to(similarity.dtype)[:, None, None] * similarity.unsqueeze(-3)
