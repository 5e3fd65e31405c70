import torch

from . import D64, Statement


def slopes(heads):
    """2^(-8h/H); where H is no power of two: those of the power of two below, then every second one of the power above."""
    below = 2 ** (heads.bit_length() - 1)
    above = [2.0 ** (-8 * (h + 1) / (2 * below)) for h in range(2 * below)]
    return (above[1::2] + above[0::2])[:heads]


def alibi_bias(heads, offsets, one_sided=False):
    offsets = offsets if offsets.shape[-3:-2] == (1,) else offsets.unsqueeze(-3)
    if not one_sided:
        return -torch.tensor(slopes(heads), dtype=D64)[:, None, None] * offsets.abs()
    before, after = heads - heads // 2, heads // 2  # how many heads see which keys
    seen = [alibi_bias(before, offsets).masked_fill(offsets > 0, -1e4)]
    seen += [alibi_bias(after, offsets).masked_fill(offsets < 0, -1e4)] if after else []
    return torch.cat(seen, -3)


class Encoding(Statement):
    CASES = {"alibi_one-sided": dict(alibi_heads="one-sided", heads=4), "alibi_one-sided_token": dict(alibi_heads="one-sided", pooling="token"),
             "alibi_times": dict(positions="time", pooling="token"),
             "alibi_one-sided_times": dict(alibi_heads="one-sided", positions="time", segment=2, length=9)}

    def bias(self, m, name, offsets):
        return alibi_bias(m.c.heads, offsets, getattr(m.c, "alibi_heads", "") == "one-sided")

    def table(self, length, dim, heads, alibi_heads="symmetric"):
        at = torch.arange(length)
        return alibi_bias(heads, at[None, :] - at[:, None], alibi_heads == "one-sided")
