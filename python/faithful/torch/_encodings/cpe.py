from torch.nn import functional

from .._base import module_of
from .._input import FromSignal


@module_of("cpe")
class Conditional(FromSignal):
    """A depthwise convolution over the steps, with zeros beyond the ends."""

    LEARNED = ("weight",)

    def _values(self):
        weight = self.start().reshape(-1, self.options["dim"])  # [K, d]
        self.reach = len(weight) // 2
        return {"weight": weight}

    def codes_of(self, x):
        kernel = self.weight.to(x.dtype).t().unsqueeze(1)  # [d, 1, K]
        rows = x.reshape(-1, *x.shape[-2:]).transpose(1, 2)
        codes = functional.conv1d(rows, kernel, padding=self.reach, groups=self.options["dim"])
        return codes.transpose(1, 2).reshape(x.shape)
