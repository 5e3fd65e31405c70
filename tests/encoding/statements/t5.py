import torch

from . import Statement


def t5_bias(table, offsets):
    starts = list(range(8)) + [8, 12, 16, 23, 32, 46, 64, 91]
    bucket = torch.zeros_like(offsets)
    for number, start in enumerate(starts):
        bucket[offsets.abs() >= start] = number
    return table[bucket + 16 * (offsets > 0)].permute(2, 0, 1)


class Encoding(Statement):
    CASE = dict(layers=2)

    def declare(self, m):
        m.weight("encoding.buckets", 32, m.c.heads)

    def bias(self, m, name, offsets):
        return t5_bias(m.p["encoding.buckets"], offsets)
