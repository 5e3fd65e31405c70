import math

import torch

from . import D64, Statement


class Encoding(Statement):
    """Hua et al. 2024: each pair is multiplied by a Fourier series of the frequencies that turn once in a window."""

    CASE = dict(rho=10, length=40, heads=1, layers=2)  # two of four frequencies turn
    CASES = {"fope_short_token": dict(pooling="token", pairing="halves"),
             "fope_times": dict(positions="time", rho=10, length=40, width=6, heads=1, pooling="token")}

    def frequencies(self, m):
        pairs = m.head_width // 2
        all = m.c.rho ** (-torch.arange(pairs, dtype=D64) / pairs)
        return torch.cat([all[:1], all[1:][all[1:] >= 2 * math.pi / m.steps]])

    def declare(self, m):
        n = len(self.frequencies(m))
        m.weight("encoding.coefficients", n, n)

    def queries_and_keys(self, m, name, t, q, k):
        if m.token:
            t = torch.cat([t.min(-1, keepdim=True).values - 1, t], -1)
        w = self.frequencies(m)
        series = torch.exp(1j * t[..., None] * w) @ m.p["encoding.coefficients"].T.to(torch.complex128)
        series = torch.nn.functional.pad(series, (0, m.head_width // 2 - len(w)), value=1.0)
        series = series[:, None] if series.dim() == 3 else series

        def multiplied(x):
            halves = m.c.pairing == "halves"
            pairs = x.unflatten(-1, (2, -1)).transpose(-1, -2) if halves else x.unflatten(-1, (-1, 2))
            turned = torch.view_as_real(torch.view_as_complex(pairs.contiguous()) * series)
            return (turned.transpose(-1, -2) if halves else turned).flatten(-2)
        return multiplied(q), multiplied(k)
