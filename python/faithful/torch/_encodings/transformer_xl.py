import numpy as np
import torch

from .._attention import LogitBias
from .._base import module_of
from .._positions import wide


@module_of("transformer-xl")
class TransformerXL(LogitBias):
    """Queries and learned vectors times projected sinusoids r of j - i: (q_i + u) . k_j + (q_i + v) . W r. forward(part=True) is
    the part without content, v . W r / sqrt(d_h)."""

    LEARNED = ("content", "position", "weight")  # u, v, W
    MISSING = "for it lacks u . k and q . W r, which depend on queries and keys"

    def _values(self):
        start, d = self.start(), self.options["dim"]
        n = (d + 1) // 2
        frequency = self.options.get("rho", 1e4) ** (-np.arange(n) / n)
        heads = self.options.get("heads", 8)
        u = np.random.default_rng(self.start_seed).normal(0, 0.02, (heads, d // heads))
        return {"content": u, "position": start[:d].reshape(heads, -1), "weight": start[d:].reshape(heads, d // heads, -1),
                "frequency": frequency}

    def learned(self):
        """v and W: u changes no table."""
        return np.concatenate([p.detach().cpu().double().numpy().ravel() for p in (self.position, self.weight)])

    def relative(self, places):
        """[.., H, Q, K, d_h]: W r(j - i)"""
        angle = places.offsets()[..., None] * self.frequency
        waves = torch.stack([torch.cos(angle), torch.sin(angle)], dim=-1).flatten(-2)
        return torch.einsum("...ijw,hdw->...hijd", waves, wide(self.weight).to(waves.dtype))

    def bias(self, places):
        relative = self.relative(places)
        return torch.einsum("hd,...hijd->...hij", self.position.to(relative.dtype), relative) / self.position.shape[-1] ** 0.5

    def rotated(self, query, key, places):
        return query + self.content[:, None].to(query.dtype), key

    def key_terms(self, query, places):
        relative = self.relative(places).to(query.dtype)
        return torch.matmul(query.unsqueeze(-2), relative.transpose(-2, -1)).squeeze(-2)
