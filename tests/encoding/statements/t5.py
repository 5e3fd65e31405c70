import torch

from . import Statement


def t5_bias(table, offsets):
    starts = list(range(8)) + [8, 12, 16, 23, 32, 46, 64, 91]
    bucket = torch.zeros(offsets.shape, dtype=torch.int64)
    for number, start in enumerate(starts):
        bucket[offsets.abs() >= start] = number
    return table[bucket + 16 * (offsets > 0)].movedim(-1, -3)


class Encoding(Statement):
    CASE = dict(layers=2)
    CASES = {"t5_times": dict(positions="time", length=40, segment=2, pooling="token")}

    def declare(self, m):
        m.weight("encoding.buckets", 32, m.c.heads)

    def bias(self, m, name, offsets):
        return t5_bias(m.p["encoding.buckets"], offsets)
