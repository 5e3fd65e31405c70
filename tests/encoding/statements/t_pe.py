import math

import torch
import torch.nn.functional as F

from . import D64, Statement
from .sinusoidal import sinusoids


class Encoding(Statement):
    """The codes of sinusoidal at the input and again before the queries and keys of every layer; in the logits the similarity of the
    steps that the first layer gets, times a weight per head."""

    CASE = dict(layers=2)
    CASES = {"t-pe_token": dict(layers=2, pooling="token", positions="time", length=7, segment=2),
             "dfstrans_t-pe": dict(form="dfstrans", sensor_weights=True, step_weights=False, length=26, segment=9, filters=4, stages=2,
                                   activation="relu", head_hidden=5, classes=2)}

    def declare_layer(self, m, name):
        m.weight(name + "similarity", m.c.heads)

    def codes(self, m, t):
        return sinusoids(t, m.c.width, m.c.rho)

    def in_queries(self, m, t):
        return F.pad(self.codes(m, t), (0, 0, int(m.token), 0))  # a class token has no code

    def signal_bias(self, m, name, x):
        weights = m.p[name + "similarity"][:, None, None]
        return weights * (x @ x.transpose(-1, -2))[:, None] / math.sqrt(x.shape[-1])

    def table(self, length, dim, heads=8, rho=1e4):
        return sinusoids(torch.arange(length, dtype=D64), dim, rho)
