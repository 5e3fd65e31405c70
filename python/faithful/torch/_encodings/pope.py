import numpy as np
import torch
from torch.nn import functional

from .._attention import InAttention
from .._base import module_of


@module_of("pope")
class Pope(InAttention):
    """Content as lengths, positions as angles; keys have learned phases. forward(query, key): [.., H, S, 2 d_h] each."""

    LEARNED = ("phases",)

    def _values(self):
        cosines, _ = np.split(self.table(), 2, axis=1)
        width = cosines.shape[1]
        frequency = self.options.get("rho", 1e4) ** (-np.arange(width) / width)
        return {"phases": self.start().reshape(-1, width), "frequency": frequency, "angle": self.positions()[:, None] * frequency}

    def codes(self, steps):
        angle = self.angle[:steps]
        return torch.cat([torch.cos(angle), torch.sin(angle)], dim=-1)

    def forward(self, query, key, times=None):
        def polar(x, angle):
            length = functional.softplus(x.contiguous())  # torch.compile mistakes the strides of its gradient
            return torch.cat([length * torch.cos(angle).to(x.dtype), length * torch.sin(angle).to(x.dtype)], dim=-1)
        angle = self.angle[:self.check_length(query.shape[-2])]
        if times is not None:
            angle = (times[..., None] * self.frequency).unsqueeze(-3)
        return polar(query, angle), polar(key, angle + self.phases[:, None])

    def rotated(self, query, key, times=None):
        return self(query, key, times)
