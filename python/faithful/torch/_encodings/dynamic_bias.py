import numpy as np
import torch
from torch.nn import functional

from .._attention import LogitBias, interpolated
from .._base import module_of
from .._positions import wide


@module_of("dynamic-bias")
class DynamicBias(LogitBias):
    """A learned network of the offset j - i: three layers, with layer norm and ReLU between them."""

    LEARNED = ("first", "first_bias", "gain1", "shift1", "second", "second_bias", "gain2", "shift2", "third", "third_bias")
    EXACT = ("first", "first_bias")

    def _values(self):
        start, heads = self.start(), self.options.get("heads", 8)
        n = int(((7 + heads) ** 2 + 4 * (len(start) - heads)) ** 0.5 - (7 + heads) + 0.5) // 2  # n^2 + (7 + heads) n + heads
        parts = np.split(start, np.cumsum([n, n, n, n, n * n, n, n, n, heads * n]))
        shapes = {"first": (n, 1), "second": (n, n), "third": (heads, n)}
        return {key: part.reshape(shapes.get(key, -1)) for key, part in zip(self.LEARNED, parts)}

    def of_offsets(self, offset):
        """[.., H]"""
        def normed(x, gain, shift):
            return functional.relu(functional.layer_norm(wide(x), gain.shape, wide(gain), wide(shift)))
        x = offset[..., None] * self.first[:, 0] + self.first_bias  # not a linear layer, which autocast would round
        x = functional.linear(normed(x, self.gain1, self.shift1), wide(self.second), wide(self.second_bias))
        return functional.linear(normed(x, self.gain2, self.shift2), wide(self.third), wide(self.third_bias))

    def bias(self, places):
        if places.whole and (places.reach is None or places.reach >= self.length):
            return self.of_offsets(places.offsets()).movedim(-1, -3)  # beyond the table: the network itself
        table = self.of_offsets(torch.arange(1 - self.length, self.length, device=self.like.device))
        if places.whole:
            return table[self.table_rows(places)].movedim(-1, -3)
        return interpolated(table, places.offsets()).movedim(-1, -3)
