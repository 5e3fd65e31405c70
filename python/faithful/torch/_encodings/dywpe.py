import numpy as np
import torch
from torch.nn import functional

from .._base import module_of
from .._input import FromSignal
from .._positions import wide

DB4 = [0.23037781330889637, 0.71484657055291546, 0.63088076792985912, -0.027983769416859545, -0.18703481171909328,
       0.030841381835560611, 0.032883011666885406, -0.010597401785069095]


def low_passes(x, taps, levels):
    """x [N, 1, S], zero beyond its ends, projected on the scaling functions of levels 1, 2, ..: a list of [N, 1, S]."""
    width, coarser, ranges, found = taps.shape[-1], x, [(0, x.shape[-1])], []
    for _ in range(levels):
        first, count = ranges[-1]
        last = first + count - 1
        begin, end = (first - width + 2) // 2, last // 2  # of the functions that touch the signal
        coarser = functional.conv1d(functional.pad(coarser, (first - 2 * begin, 2 * end + width - 1 - last)), taps, stride=2)
        ranges.append((begin, end - begin + 1))
        finer = coarser
        for (low, size), (above, _) in zip(ranges[-2::-1], ranges[:0:-1]):
            finer = functional.conv_transpose1d(finer, taps, stride=2)[..., low - 2 * above:low - 2 * above + size]
        found.append(finer)
    return found


@module_of("dywpe")
class DynamicWavelet(FromSignal):
    """The parts of one channel of the input at each scale of a wavelet transform, each times a learned gate."""

    LEARNED = ("channel", "channel_bias", "scales", "gate", "gate_bias", "value", "value_bias")

    def _values(self):
        start, d = self.start(), self.options["dim"]
        scales = (len(start) - 2 * d * (d + 1) - d - 1) // d
        w, b, e, wg, bg, wv, bv = np.split(start, np.cumsum([d, 1, scales * d, d * d, d, d * d]))
        taps = [0.5 ** 0.5] * 2 if self.options.get("dywpe_wavelet") == "haar" else DB4
        return {"channel": w.reshape(1, d), "channel_bias": b, "scales": e.reshape(scales, d), "gate": wg.reshape(d, d),
                "gate_bias": bg, "value": wv.reshape(d, d), "value_bias": bv, "taps": np.reshape(taps, (1, 1, -1))}

    def forward(self, x, mask=None):
        """A window of fewer than `length` steps is one whose last steps are padding."""
        self.check(x)
        channel = functional.linear(x, self.channel.to(x.dtype), self.channel_bias.to(x.dtype))
        return x + self.codes_of(self.without_padding(channel, mask))

    def codes_of(self, channel):
        rows = channel.reshape(-1, 1, channel.shape[-2])
        rows = wide(rows)  # differences need the digits
        low = [rows, *low_passes(rows, self.taps.to(rows.dtype), len(self.scales) - 1)]
        parts = torch.cat([low[-1], *(a - b for a, b in zip(low, low[1:]))], dim=1).transpose(1, 2)  # [N, S, J + 1]
        gates = torch.sigmoid(functional.linear(self.scales, self.gate, self.gate_bias))
        gates = gates * torch.tanh(functional.linear(self.scales, self.value, self.value_bias))
        return torch.matmul(parts, gates.to(parts.dtype)).reshape(*channel.shape[:-1], -1).to(channel.dtype)
