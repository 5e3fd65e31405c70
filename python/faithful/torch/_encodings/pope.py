import numpy as np
import torch
from torch.nn import functional

from .._attention import Turned
from .._base import module_of


@module_of("pope")
class Pope(Turned):
    """Content as lengths, positions as angles; keys have learned phases. forward(query, key): [.., H, S, 2 d_h] each."""

    LEARNED = ("phases",)
    EXACT = LEARNED

    def _values(self):
        width = self.options["dim"] // self.options.get("heads", 8)
        frequency = self.options.get("rho", 1e4) ** (-np.arange(width) / width)
        return {"phases": self.start().reshape(-1, width), "frequency": frequency}

    def codes(self, steps, offset=0, positions=None):
        angle = self.place(steps, offset, positions)[..., None] * self.frequency
        return torch.cat([torch.cos(angle), torch.sin(angle)], dim=-1).to(self.like.dtype)

    def rotated(self, query, key, places):
        def polar(x, at, phases):
            angle = at[..., None, :, None] * self.frequency + phases
            length = functional.softplus(x.contiguous())  # torch.compile mistakes the strides of its gradient
            return torch.cat([length * torch.cos(angle).to(x.dtype), length * torch.sin(angle).to(x.dtype)], dim=-1)
        return polar(query, places.query, 0.0), polar(key, places.key, self.phases[:, None])
