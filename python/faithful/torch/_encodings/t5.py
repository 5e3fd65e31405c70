import numpy as np

from .._attention import LogitBias
from .._base import module_of

STARTS = [*range(8), 8, 12, 16, 23, 32, 46, 64, 91]  # of the buckets of distances


def bucket_of_distance():
    """[92]: of whole distances; the last bucket goes on"""
    return np.searchsorted(STARTS, np.arange(STARTS[-1] + 1), side="right") - 1


def buckets(offset, of_distance):
    """[.., Q, K]: the bucket of each offset j - i; 16 more where the key comes later."""
    distance = offset.abs() if not offset.is_floating_point() else offset.abs().floor().long()
    return of_distance[distance.clamp(max=STARTS[-1])] + len(STARTS) * (offset > 0)


@module_of("t5")
class T5(LogitBias):
    """A learned bias for each of 32 buckets of offsets."""

    LEARNED = ("weight",)

    def _values(self):
        return {"weight": self.start().reshape(2 * len(STARTS), -1), "bucket": bucket_of_distance()}

    def bias(self, places):
        return self.weight[buckets(places.offsets(), self.bucket)].movedim(-1, -3)
