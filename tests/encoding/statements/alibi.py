import torch

from . import D64, Statement


def slopes(heads):
    """2^(-8h/H); where H is no power of two: those of the power of two below, then every second one of the power above."""
    below = 2 ** (heads.bit_length() - 1)
    above = [2.0 ** (-8 * (h + 1) / (2 * below)) for h in range(2 * below)]
    return (above[1::2] + above[0::2])[:heads]


def alibi_bias(heads, offsets):
    return -torch.tensor(slopes(heads), dtype=D64)[:, None, None] * offsets.abs()


class Encoding(Statement):
    def bias(self, m, name, offsets):
        return alibi_bias(m.c.heads, offsets)

    def table(self, length, dim, heads):
        at = torch.arange(length)
        return alibi_bias(heads, at[None, :] - at[:, None])
