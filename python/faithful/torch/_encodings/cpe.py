from torch.nn import functional

from .._base import module_of
from .._input import FromSignal


@module_of("cpe")
class Conditional(FromSignal):
    """A depthwise convolution over the steps, with zeros beyond the ends."""

    LEARNED = ("weight",)

    def _values(self):
        return {"weight": self.start().reshape(-1, self.options["dim"])}  # [K, d]

    def codes_of(self, x):
        kernel = self.weight.to(x.dtype).t().unsqueeze(1)  # [d, 1, K]
        rows = x.reshape(-1, *x.shape[-2:]).transpose(1, 2)
        codes = functional.conv1d(rows, kernel, padding=kernel.shape[-1] // 2, groups=kernel.shape[0])
        return codes.transpose(1, 2).reshape(x.shape)
