import math

import torch
import torch.nn.functional as F

from . import Statement
from .t5 import t5_bias


class Encoding(Statement):
    CASE = dict(layers=2)
    content_share = 0.5

    def declare(self, m):
        inner = m.c.heads * m.head_width
        if m.c.tupe_relative:
            m.weight("encoding.buckets", 32, m.c.heads)
        m.weight("encoding.positions", m.steps, m.c.width)
        m.weight("encoding.query.weight", inner, m.c.width)
        m.weight("encoding.key.weight", inner, m.c.width)
        if m.token:
            m.weight("encoding.token", 2, m.c.heads)

    def bias(self, m, name, offsets):
        """The position term is divided by sqrt(2 d_h); theta is the class token's."""
        p, heads, width = m.p["encoding.positions"], m.c.heads, m.head_width
        normed = F.layer_norm(p, p.shape[-1:])
        q, k = ((normed @ m.p[f"encoding.{of}.weight"].T).reshape(len(p), heads, width).transpose(0, 1) for of in ("query", "key"))
        inner = q @ k.transpose(1, 2) / math.sqrt(2 * width)
        if m.token:
            theta = m.p["encoding.token"]
            to_token = theta[1][:, None, None].expand(heads, len(p), 1)
            from_token = theta[0][:, None, None].expand(heads, 1, len(p) + 1)
            inner = torch.cat([from_token, torch.cat([to_token, inner], 2)], 1)
        return inner + (t5_bias(m.p["encoding.buckets"], offsets) if m.c.tupe_relative else 0)
