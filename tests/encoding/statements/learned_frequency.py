import math

import torch

from . import Statement


class Encoding(Statement):
    def declare(self, m):
        m.weight("encoding.frequencies", m.c.width, scale=1.0)
        m.weight("encoding.phases", m.c.width)

    def codes(self, m, t):
        w, b = m.p["encoding.frequencies"], m.p["encoding.phases"]
        return torch.cos(t[..., None] * w + b) / math.sqrt(len(w))
