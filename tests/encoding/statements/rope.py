import math

import torch

from . import D64, Statement


def frequencies(pairs, rho, scaling="none", factor=1.0, trained=0.0):
    """Chen et al. 2023 (linear), Peng et al. 2023 (ntk: definition 1; yarn: definition 2 with alpha = 1, beta = 32)."""
    if scaling == "ntk" and pairs > 1:
        rho = rho * factor ** (pairs / (pairs - 1))
    theta = rho ** (-torch.arange(pairs, dtype=D64) / pairs)
    if scaling == "linear":
        return theta / factor
    if scaling == "yarn":
        ramp = ((trained * theta / (2 * math.pi) - 1) / (32 - 1)).clamp(0, 1)
        return (1 - ramp) * theta / factor + ramp * theta
    return theta


def rotate(x, t, theta, halves):
    """x [B, H, S, d_h], t [.., S]."""
    pairs = x.shape[-1] // 2
    angle = t[..., None] * theta
    angle = angle[:, None] if angle.dim() == 3 else angle
    c, s = torch.cos(angle), torch.sin(angle)
    if halves:
        a, b = x[..., :pairs], x[..., pairs:]
        return torch.cat([a * c - b * s, a * s + b * c], -1)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * c - b * s, a * s + b * c], -1).reshape(x.shape)


class Encoding(Statement):
    CASES = {"rope_linear": dict(rope_scaling="linear", rope_factor=2.5),
             "rope_ntk": dict(rope_scaling="ntk", rope_factor=4, heads=1, rho=100),
             "rope_yarn": dict(rope_scaling="yarn", rope_factor=4, rope_trained=100, heads=1, rho=100, pooling="token")}

    def declare(self, m):
        if getattr(m.c, "rope_scaling", "") == "yarn":
            self.content_share = (0.1 * math.log(m.c.rope_factor) + 1) ** 4

    def queries_and_keys(self, m, name, t, q, k):
        if m.token:
            t = torch.cat([t.min(-1, keepdim=True).values - 1, t], -1)
        scaling = [getattr(m.c, key, default) for key, default in (("rope_scaling", "none"), ("rope_factor", 1), ("rope_trained", 0))]
        theta = frequencies(m.head_width // 2, m.c.rho, *scaling)
        return tuple(rotate(x, t, theta, m.c.pairing == "halves") for x in (q, k))
