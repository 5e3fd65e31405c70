import torch
import torch.nn.functional as F

from . import D64, Statement, interpolated


class Encoding(Statement):
    """The dynamic position bias of Wang et al. 2021 for one dimension: three layers, two of them with LN and ReLU."""

    CASE = dict(layers=2, dynamic_hidden=3)
    CASES = {"dynamic-bias_token": dict(dynamic_hidden=4, pooling="token"),
             "dynamic-bias_times": dict(dynamic_hidden=3, positions="time", pooling="token")}

    def declare_layer(self, m, name):
        n, name = m.c.dynamic_hidden, name + "dynamic."
        m.affine(name + "first", n, 1)
        m.norm(name + "norm1", n)
        m.affine(name + "second", n, n)
        m.norm(name + "norm2", n)
        m.affine(name + "third", m.c.heads, n)

    def bias(self, m, name, offsets):
        """At whole offsets, and on the line between two of them."""
        last = offsets.shape[-1] - 1
        name, x = name + "dynamic.", torch.arange(-last, last + 1, dtype=D64)[:, None]
        x = F.relu(m.normalize(name + "norm1", m.apply(name + "first", x)))
        x = F.relu(m.normalize(name + "norm2", m.apply(name + "second", x)))
        return interpolated(m.apply(name + "third", x), offsets).movedim(-1, -3)
