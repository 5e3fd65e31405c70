import torch
import torch.nn.functional as F

from . import D64, Statement


class Encoding(Statement):
    """Gopalakrishnan et al. 2025: the content gives lengths, the position angles, and keys have a learned phase."""

    CASE = dict(layers=2)
    CASES = {"pope_odd_token": dict(head_width=3, pooling="token"), "pope_times": dict(positions="time", rho=100, pooling="token")}

    def declare_layer(self, m, name):
        m.weight(name + "phases", m.c.heads * m.head_width)

    def queries_and_keys(self, m, name, t, q, k):
        if m.token:
            t = torch.cat([t.min(-1, keepdim=True).values - 1, t], -1)
        angle = t[..., None] * m.c.rho ** (-torch.arange(m.head_width, dtype=D64) / m.head_width)
        angle = angle[:, None] if angle.dim() == 3 else angle
        phases = m.p[name + "phases"].reshape(m.c.heads, 1, -1)
        polar = lambda x, at: torch.cat([F.softplus(x) * torch.cos(at), F.softplus(x) * torch.sin(at)], -1)
        return polar(q, angle), polar(k, angle + phases)

    def table(self, length, dim, heads, rho=1e4):
        n = dim // heads
        angle = torch.arange(length, dtype=D64)[:, None] * rho ** (-torch.arange(n, dtype=D64) / n)
        return torch.cat([torch.cos(angle), torch.sin(angle)], -1)
