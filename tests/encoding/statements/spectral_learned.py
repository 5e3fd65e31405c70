import torch

from . import Statement
from .spectral import codes, log_weight, shape


class Encoding(Statement):
    """spectral, where ln of the length scale, or ln g of each frequency, is learned."""

    CASES = {"spectral-learned_periodic": dict(length=4),
             "spectral-learned_matern": dict(spectrum="matern", smoothness=2.5, basis="periodic"),
             "spectral-learned_gaussian": dict(spectrum="gaussian"),
             "spectral-learned_frequencies": dict(learned_spectrum="frequencies", length=9),
             "spectral-learned_frequencies_periodic": dict(learned_spectrum="frequencies", length=3),
             "spectral-learned_times": dict(positions="time", period=24, learned_spectrum="frequencies"),
             "spectral-learned_times_periodic": dict(positions="time", period=24, basis="periodic")}

    def shape(self, m):
        return shape(m.steps, m.c.width, m.c.period, getattr(m.c, "basis", "auto"))

    def declare(self, m):
        if getattr(m.c, "learned_spectrum", "length-scale") == "frequencies":
            m.weight("encoding.log_spectrum", len(self.shape(m)[2]), scale=1.0)
        else:
            m.weight("encoding.log_length_scale", 1, scale=0.5)

    def codes(self, m, t):
        basis, p, w = self.shape(m)
        log_g = m.p.get("encoding.log_spectrum")
        if log_g is None:
            scale = torch.exp(m.p["encoding.log_length_scale"])
            log_g = log_weight(w, getattr(m.c, "spectrum", "exponential"), scale, getattr(m.c, "smoothness", 1.5))
        return codes(t, m.c.width, basis, p, log_g)
