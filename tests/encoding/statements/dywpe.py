import math

import torch
import torch.nn.functional as F

from . import D64, Statement

# Daubechies' filter with four vanishing moments, and that with one.
FILTERS = {"db4": [0.23037781330889637, 0.71484657055291546, 0.63088076792985912, -0.027983769416859545, -0.18703481171909328,
                   0.030841381835560611, 0.032883011666885406, -0.010597401785069095], "haar": [math.sqrt(0.5)] * 2}


def analysis(low, levels, margin):
    """Rows of an orthonormal basis of signals on -margin .. margin-1, for each scale: details of levels 1, 2, .., then the rest."""
    high = [(-1) ** n * low[len(low) - 1 - n] for n in range(len(low))]
    size = 2 * margin
    scaling, bases = torch.eye(size, dtype=D64), []
    for level in range(levels):
        rows = {"low": [], "high": []}
        for name, taps in (("low", low), ("high", high)):
            for k in range(0, len(scaling) - len(taps) + 1, 2):
                rows[name].append(sum(tap * scaling[k + n] for n, tap in enumerate(taps)))
        bases.append(torch.stack(rows["high"]))
        scaling = torch.stack(rows["low"])
    return [scaling, *bases]


class Encoding(Statement):
    """Irani, Metsis 2025, step by step: a channel, its wavelet coefficients, gates by scale, the inverse transform. The signal stands
    amid zeros, so far from the ends that no coefficient of it is left out."""

    CASE = dict(dywpe_levels=2, length=9)
    CASES = {"dywpe_haar_token": dict(dywpe_levels=3, dywpe_wavelet="haar", length=11, segment=2, pooling="token")}

    def declare(self, m):
        m.affine("encoding.channel", 1, m.c.width)
        m.weight("encoding.scales", m.c.dywpe_levels + 1, m.c.width)
        m.affine("encoding.gate", m.c.width, m.c.width)
        m.affine("encoding.value", m.c.width, m.c.width)

    def codes_of(self, m, h, allowed):
        low, levels, steps = FILTERS[getattr(m.c, "dywpe_wavelet", "db4")], m.c.dywpe_levels, h.shape[1]
        reach = len(low) * 2 ** levels
        margin = -(-(steps + reach) // 2 ** levels) * 2 ** levels  # position 0 begins a block of every level
        channel = m.apply("encoding.channel", h)[..., 0] * allowed
        signal = F.pad(channel, (margin, margin - steps))  # positions -margin .. margin-1
        codes = 0
        for scale, basis in zip(m.p["encoding.scales"], analysis(low, levels, margin)):
            gate = torch.sigmoid(m.apply("encoding.gate", scale)) * torch.tanh(m.apply("encoding.value", scale))
            coefficients = signal @ basis.T                                   # [B, n]
            modulated = coefficients[..., None] * gate                        # [B, n, d]
            codes = codes + torch.einsum("bnd,nt->btd", modulated, basis)
        return codes[:, margin:margin + steps]
