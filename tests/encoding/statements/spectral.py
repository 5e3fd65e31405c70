import math

import torch

from . import D64, Statement


def log_weight(w, spectrum, scale, nu):
    """ln g at the frequencies w, for a length scale that may be a tensor."""
    if spectrum == "exponential":
        r = torch.exp(-1 / torch.as_tensor(scale, dtype=D64))
        return -torch.log(1 - 2 * r * torch.cos(w) + r * r)
    if spectrum == "matern":
        return -(nu + 0.5) * torch.log(1 + (w * scale) ** 2 / (2 * nu))
    return -(w * scale) ** 2 / 2 if spectrum == "gaussian" else 0 * w


def shape(extent, d, period=0, basis="auto"):
    """(basis, P, frequencies)"""
    p = period or 2 * extent
    basis = ("periodic" if d >= p else "cosine") if basis == "auto" else basis
    if basis == "periodic" and not period:
        p = max(p, d)
    count = d // 2 + 1 if basis == "periodic" else min(d, p // 2)
    return basis, p, 2 * math.pi * torch.arange(count, dtype=D64) / p


def codes(t, d, basis, p, log_g):
    """[.., S, d]"""
    g, w = torch.exp(log_g), 2 * math.pi / p
    if basis == "cosine":
        k = torch.arange(len(g), dtype=D64)
        rows = torch.sqrt(g) * torch.cos(w * k * (t[..., None] + 0.5))
        rows = torch.cat([math.sqrt(0.5) * rows[..., :1], rows[..., 1:]], -1)
        rows = rows / torch.linalg.norm(rows, dim=-1, keepdim=True)
        return torch.cat([rows, torch.zeros(*rows.shape[:-1], d - len(g), dtype=D64)], -1)
    modes = (d - 1) // 2
    k = torch.arange(1, modes + 1, dtype=D64)
    pair = torch.sqrt(2 * g[1:modes + 1])
    rows = [torch.sqrt(g[:1]).expand(*t.shape, 1), pair * torch.cos(w * k * t[..., None]), pair * torch.sin(w * k * t[..., None])]
    if d % 2 == 0:
        rows.append(torch.sqrt((1 if d == p else 2) * g[-1:]) * torch.cos(w * (d // 2) * t[..., None]))
    square = g[0] + 2 * g[1:modes + 1].sum() + (g[-1] if d % 2 == 0 else 0)  # its mean over a period
    return torch.cat(rows, -1) / torch.sqrt(square)


class Encoding(Statement):
    """docs/spectral.md: a Fourier basis, each column times the square root of a weight."""

    CASES = {"spectral_periodic": dict(length=4, spectrum="matern", smoothness=0.5),
             "spectral_truncated": dict(basis="periodic", spectrum="gaussian", length_scale=1.5),
             "spectral_times": dict(positions="time", period=24, length_scale=3.0)}

    def codes(self, m, t):
        option = lambda name, standard: getattr(m.c, name, standard)
        basis, p, w = shape(m.steps, m.c.width, m.c.period, option("basis", "auto"))
        log_g = log_weight(w, option("spectrum", "exponential"), option("length_scale", 0) or m.steps / 6, option("smoothness", 1.5))
        return codes(t, m.c.width, basis, p, log_g)

    def table(self, length, dim, period=0, spectrum="exponential", smoothness=1.5, length_scale=0, basis="auto"):
        basis, p, w = shape(length, dim, period, basis)
        return codes(torch.arange(length, dtype=D64), dim, basis, p, log_weight(w, spectrum, length_scale or length / 6, smoothness))
