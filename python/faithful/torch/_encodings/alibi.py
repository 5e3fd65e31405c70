import numpy as np
import torch

from .._attention import LogitBias
from .._base import module_of


@module_of("alibi")
class Alibi(LogitBias):
    """-m_h |i - j| with fixed slopes m_h. One-sided heads hide the keys of the other side."""

    def _values(self):
        pair = self.table(length=2, positions=None)[:, [0, 1], [1, 0]]  # [H, 2]: a step later, a step earlier
        return {"slopes": -pair.max(axis=1), "hidden": np.where(pair < -1, pair, 0.0)}

    def bias(self, places):
        offset = places.offsets().unsqueeze(-3)
        later, earlier = self.hidden.T[..., None, None]
        penalty = torch.where(offset > 0, later, torch.where(offset < 0, earlier, torch.zeros_like(later)))
        return torch.where(penalty < 0, penalty, -self.slopes[:, None, None] * offset.abs().to(self.slopes.dtype))
