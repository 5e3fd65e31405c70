import torch

from . import D64, Statement


def rotate(x, t, rho, halves):
    """x [B, H, S, d_h], t [.., S]."""
    pairs = x.shape[-1] // 2
    angle = t[..., None] * rho ** (-torch.arange(pairs, dtype=D64) / pairs)
    angle = angle[:, None] if angle.dim() == 3 else angle
    c, s = torch.cos(angle), torch.sin(angle)
    if halves:
        a, b = x[..., :pairs], x[..., pairs:]
        return torch.cat([a * c - b * s, a * s + b * c], -1)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * c - b * s, a * s + b * c], -1).reshape(x.shape)


class Encoding(Statement):
    def queries_and_keys(self, m, name, t, q, k):
        if m.token:
            t = torch.cat([t.min(-1, keepdim=True).values - 1, t], -1)
        return tuple(rotate(x, t, m.c.rho, m.c.pairing == "halves") for x in (q, k))
