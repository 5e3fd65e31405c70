import torch

from . import Statement


class Encoding(Statement):
    CASE = dict(layers=2)

    def declare_layer(self, m, name):
        m.weight(name + "log_rates", 2, m.c.heads)

    def bias(self, m, name, offsets):
        r1, r2 = m.p[name + "log_rates"].exp()[:, :, None, None]
        return -r1 * torch.log(1 + r2 * offsets.abs())
