import math

import torch
import torch.nn.functional as F

from . import Statement


class Encoding(Statement):
    """Equation 4 of Li et al. 2023, with the sign of i - j and the window's length in place of the query's number."""

    CASE = dict(layers=2, fire_hidden=3)
    CASES = {"fire_short": dict(fire_hidden=4, length=9, pooling="token", short=True),
             "fire_times": dict(fire_hidden=3, positions="time", pooling="token")}

    def declare_layer(self, m, name):
        m.weight(name + "fire.log_rates", 2, mean=math.log(2 if getattr(m.c, "short", False) else 20))
        m.affine(name + "fire.first", m.c.fire_hidden, 1)
        m.affine(name + "fire.second", m.c.heads, m.c.fire_hidden)

    def bias(self, m, name, offsets):
        c, threshold = m.p[name + "fire.log_rates"].exp()
        psi = lambda distance: torch.log(c * distance + 1)
        greatest = torch.maximum(threshold, torch.tensor(offsets.shape[-1] - 1.0, dtype=torch.float64))
        x = -offsets.sign() * psi(offsets.abs()) / psi(greatest)
        return m.apply(name + "fire.second", F.relu(m.apply(name + "fire.first", x[..., None]))).movedim(-1, -3)
