import torch

from . import D64, Statement
from .sinusoidal import sinusoids


class Encoding(Statement):
    def codes(self, m, t):
        return sinusoids(t, m.c.width, m.c.rho, stretch=m.c.width / m.steps)

    def table(self, length, dim, rho=1e4):
        return sinusoids(torch.arange(length, dtype=D64), dim, rho, stretch=dim / length)
