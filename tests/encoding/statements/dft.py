import math

import torch

from . import D64, Statement


def dft(t, d, period=0):
    n, modes = period or d, (d - 1) // 2
    w = 2 * math.pi / n
    rows = [torch.full(t.shape, 1 / math.sqrt(n), dtype=D64)]
    rows += [math.sqrt(2 / n) * torch.cos(w * k * t) for k in range(1, modes + 1)]
    rows += [math.sqrt(2 / n) * torch.sin(w * k * t) for k in range(1, modes + 1)]
    if d % 2 == 0:
        rows.append(math.sqrt((1 if n == d else 2) / n) * torch.cos(w * (d // 2) * t))
    return math.sqrt(n / d) * torch.stack(rows, -1)


class Encoding(Statement):
    def codes(self, m, t):
        return dft(t, m.c.width, m.c.period)

    def table(self, length, dim, period=0):
        return dft(torch.arange(length, dtype=D64), dim, period)
