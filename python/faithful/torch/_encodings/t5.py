import numpy as np
import torch

from .._attention import LogitBias
from .._base import module_of, offsets

_STARTS = [*range(8), 8, 12, 16, 23, 32, 46, 64, 91]  # of the buckets of distances


def buckets(length):
    """[2 length - 1]: the bucket of each offset j - i; 16 more where the key comes later."""
    offset = np.arange(1 - length, length)
    return np.searchsorted(_STARTS, np.abs(offset), side="right") - 1 + len(_STARTS) * (offset > 0)


@module_of("t5")
class T5(LogitBias):
    """A learned bias for each of 32 buckets of offsets."""

    LEARNED = ("weight",)

    def _values(self):
        return {"weight": self.start().reshape(2 * len(_STARTS), -1), "bucket": buckets(self.length), "starts": np.array(_STARTS),
                "at": self.positions()}

    def bias(self, steps, times=None):
        if self.whole(times):
            rows = self.bucket[offsets(steps, self.length, self.bucket.device)]  # [S, S]
        else:
            offset = self.offsets(steps, times)
            rows = torch.bucketize(offset.abs(), self.starts.to(offset.dtype), right=True) - 1 + len(_STARTS) * (offset > 0)
        return self.weight[rows].movedim(-1, -3)
