import numpy as np
from torch.nn import functional

from .._attention import LogitBias
from .._base import interpolated, module_of, offsets


@module_of("dynamic-bias")
class DynamicBias(LogitBias):
    """A learned network of the offset j - i: three layers, with layer norm and ReLU between them."""

    LEARNED = ("first", "first_bias", "gain1", "shift1", "second", "second_bias", "gain2", "shift2", "third", "third_bias")

    def _values(self):
        start, heads = self.start(), self.options.get("heads", 8)
        n = int(((7 + heads) ** 2 + 4 * (len(start) - heads)) ** 0.5 - (7 + heads) + 0.5) // 2  # n^2 + (7 + heads) n + heads
        parts = np.split(start, np.cumsum([n, n, n, n, n * n, n, n, n, heads * n]))
        shapes = {"first": (n, 1), "second": (n, n), "third": (heads, n)}
        return {**{key: part.reshape(shapes.get(key, -1)) for key, part in zip(self.LEARNED, parts)}, 
                "whole_offsets": np.arange(1.0 - self.length, self.length), "at": self.positions()}

    def table_of_offsets(self):
        """[2 length - 1, H]: of the offsets -(length - 1) .. length - 1"""
        x = functional.linear(self.whole_offsets[:, None], self.first, self.first_bias)
        x = functional.relu(functional.layer_norm(x, self.gain1.shape, self.gain1, self.shift1))
        x = functional.linear(x, self.second, self.second_bias)
        x = functional.relu(functional.layer_norm(x, self.gain2.shape, self.gain2, self.shift2))
        return functional.linear(x, self.third, self.third_bias)

    def bias(self, steps, times=None):
        table = self.table_of_offsets()
        if self.whole(times):
            return table[offsets(steps, self.length, table.device)].permute(2, 0, 1)
        return interpolated(table, self.offsets(steps, times)).movedim(-1, -3)
