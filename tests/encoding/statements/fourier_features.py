import math

import torch
import torch.nn.functional as F

from . import Statement


class Encoding(Statement):
    """Algorithm 1 of Li et al. 2021 for one dimension and one group, |F| = 2 ceil(d/4)."""

    CASE = dict(fourier_hidden=5)
    CASES = {"fourier-features_times": dict(positions="time", fourier_hidden=3, segment=2, length=7)}

    def declare(self, m):
        features = 2 * math.ceil(m.c.width / 4)
        m.weight("encoding.frequencies", features // 2, scale=1.0)
        m.affine("encoding.first", m.c.fourier_hidden, features)
        m.affine("encoding.second", m.c.width, m.c.fourier_hidden)

    def codes(self, m, t):
        angle = t[..., None] * m.p["encoding.frequencies"]
        features = torch.cat([torch.cos(angle), torch.sin(angle)], -1)
        return m.apply("encoding.second", F.gelu(m.apply("encoding.first", features / math.sqrt(features.shape[-1]))))
