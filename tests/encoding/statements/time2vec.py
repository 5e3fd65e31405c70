import torch

from . import Statement


class Encoding(Statement):
    def declare(self, m):
        m.weight("encoding.frequencies", m.c.time_dim, scale=1.0)
        m.weight("encoding.phases", m.c.time_dim)

    def beside(self, m, t):
        """[w0 t + b0 | sin(w t + b)] with t brought to [0, 1]."""
        low, high = t.min(-1, keepdim=True).values, t.max(-1, keepdim=True).values
        angle = ((t - low) / (high - low))[..., None] * m.p["encoding.frequencies"] + m.p["encoding.phases"]
        return torch.cat([angle[..., :1], torch.sin(angle[..., 1:])], -1)
