import torch

from . import D64, Statement


def sinusoids(t, d, rho=1e4, stretch=1.0):
    code = torch.zeros(*t.shape, d, dtype=D64)
    for c in range(d):
        angle = t * stretch * rho ** (-2 * (c // 2) / d)
        code[..., c] = torch.sin(angle) if c % 2 == 0 else torch.cos(angle)
    return code


class Encoding(Statement):
    def codes(self, m, t):
        return sinusoids(t, m.c.width, m.c.rho)

    def table(self, length, dim, rho=1e4):
        return sinusoids(torch.arange(length, dtype=D64), dim, rho)
