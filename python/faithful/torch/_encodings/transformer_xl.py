import numpy as np
import torch

from .._attention import LogitBias
from .._base import module_of


@module_of("transformer-xl")
class TransformerXL(LogitBias):
    """Queries and learned vectors times projected sinusoids r of j - i: (q_i + u) . k_j + (q_i + v) . W r. forward(steps) is the
    part without content, v . W r / sqrt(d_h)."""

    LEARNED = ("content", "position", "weight")  # u, v, W

    def _values(self):
        start, d = self.start(), self.options["dim"]
        n = (d + 1) // 2
        frequency = self.options.get("rho", 1e4) ** (-np.arange(n) / n)
        heads = self.options.get("heads", 8)
        u = np.random.default_rng(self.options.get("seed", 1)).normal(0, 0.02, (heads, d // heads))
        return {"content": u, "position": start[:d].reshape(heads, -1), "weight": start[d:].reshape(heads, d // heads, -1),
                "frequency": frequency, "at": self.positions()}

    def learned(self):
        """v and W: u changes no table."""
        return np.concatenate([p.detach().cpu().double().numpy().ravel() for p in (self.position, self.weight)])

    def relative(self, steps, times=None):
        """[.., H, S, S, d_h]: W r(j - i)"""
        angle = self.offsets(steps, times)[..., None] * self.frequency
        return torch.einsum("...ijw,hdw->...hijd", torch.stack([torch.cos(angle), torch.sin(angle)], dim=-1).flatten(-2), self.weight)

    def bias(self, steps, times=None):
        return torch.einsum("hd,...hijd->...hij", self.position, self.relative(steps, times)) / self.position.shape[-1] ** 0.5

    def rotated(self, query, key, times=None):
        return query + self.content[:, None].to(query.dtype), key

    def key_terms(self, query, times=None):
        plain = query - self.content[:, None].to(query.dtype)
        relative = self.relative(self.check_length(query.shape[-2]), times)
        return torch.einsum("...hid,...hijd->...hij", plain, relative.to(query.dtype))
