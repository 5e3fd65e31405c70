"""docs/encodings.md, "Computed from the input and added to it"."""
import math

import numpy as np

from .arithmetic import affine, depthwise, sigmoid
from .attention import Encoding


class Cpe(Encoding):
    def codes(self, h, valid):
        return depthwise(h * valid[..., None], self.w["encoding.depthwise.weight"])


FILTERS = {"db4": [0.23037781330889637, 0.71484657055291546, 0.63088076792985912, -0.027983769416859545, -0.18703481171909328,
                   0.030841381835560611, 0.032883011666885406, -0.010597401785069095],
           "haar": [math.sqrt(0.5)] * 2}


def filtered(x, taps):
    """{k: sum_n taps_n x_{2k + n}} of a signal {position: value}."""
    found = {}
    for at, value in x.items():
        for n, tap in enumerate(taps):
            if (at - n) % 2 == 0:
                found[(at - n) // 2] = found.get((at - n) // 2, 0) + tap * value
    return found


def spread(coefficients, taps):
    """The transpose: {position: sum of taps_{position - 2k} c_k}."""
    found = {}
    for k, value in coefficients.items():
        for n, tap in enumerate(taps):
            found[2 * k + n] = found.get(2 * k + n, 0) + tap * value
    return found


def scales(x, low, levels):
    """m_0 .. m_J of x {position: value}, as such signals."""
    high = [(-1) ** n * low[-1 - n] for n in range(len(low))]
    rest, parts = x, []
    for level in range(levels):
        detail, rest = filtered(rest, high), filtered(rest, low)
        part = spread(detail, high)
        for _ in range(level):
            part = spread(part, low)
        parts.append(part)
    for _ in range(levels):
        rest = spread(rest, low)
    return [rest, *parts]


class Dywpe(Encoding):
    def codes(self, h, valid):
        w, steps = self.w, range(h.shape[1])
        channel = affine(w, "encoding.channel", h)[..., 0] * valid
        low = FILTERS[self.c.get("dywpe_wavelet", "db4")]
        parts = scales({s: channel[:, s] for s in steps}, low, self.c["dywpe_levels"])
        gates = sigmoid(affine(w, "encoding.gate", w["encoding.scales"])) * np.tanh(affine(w, "encoding.value", w["encoding.scales"]))
        return sum(np.stack([part[s] for s in steps], -1)[..., None] * gate for part, gate in zip(parts, gates))
