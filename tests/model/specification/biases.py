"""docs/encodings.md, "Added to the logits"."""
import math

import numpy as np

from .arithmetic import affine, layer_norm, norm, relu
from .attention import Encoding
from .relative import interpolated


class Bias(Encoding):
    def bias(self, layer):
        """[B, H, N, N]"""

    def logits(self, layer, q, k):
        return super().logits(layer, q, k) + self.bias(layer)


def slopes(heads):
    power = 2 ** int(math.log2(heads))
    of = lambda count: [2 ** (-8 * (h + 1) / count) for h in range(count)]
    return np.array((of(power) + of(2 * power)[0::2])[:heads])


class Alibi(Bias):
    def bias(self, layer):
        offsets = self.offsets()[:, None]
        if self.c.get("alibi_heads", "symmetric") == "symmetric":
            return -slopes(self.heads)[:, None, None] * np.abs(offsets)
        earlier, later = self.heads - self.heads // 2, self.heads // 2
        bias = -np.concatenate([slopes(earlier), slopes(later) if later else []])[:, None, None] * np.abs(offsets)
        hidden = np.concatenate([np.repeat(offsets > 0, earlier, 1), np.repeat(offsets < 0, later, 1)], 1)
        return np.where(hidden, -10000, bias)


class Kerple(Bias):
    def bias(self, layer):
        r1, r2 = np.exp(self.w[layer + "log_rates"])[:, :, None, None]
        return -r1 * np.log1p(r2 * np.abs(self.offsets()[:, None]))


class T5(Bias):
    STARTS = [*range(9), 12, 16, 23, 32, 46, 64, 91]

    def bias(self, layer):
        offsets = self.offsets()
        bucket = np.searchsorted(self.STARTS, np.abs(offsets), side="right") - 1 + 16 * (offsets > 0)
        return np.moveaxis(self.w["encoding.buckets"][bucket], -1, 1)


class Tupe(T5):
    def bias(self, layer):
        w, p = self.w, layer_norm(self.w["encoding.positions"])
        q, k = (self.by_head(affine(w, f"encoding.{name}", p)) for name in ("query", "key"))
        bias = q @ np.swapaxes(k, -1, -2) / math.sqrt(2 * self.head_width)
        if self.token:
            from_token, to_token = w["encoding.token"]
            bias = np.pad(bias, [(0, 0), (1, 0), (1, 0)])
            bias[:, :, 0], bias[:, 0, :] = to_token[:, None], from_token[:, None]
        return bias + (super().bias(layer) if self.c["tupe_relative"] else 0)

    def logits(self, layer, q, k):
        return q @ np.swapaxes(k, -1, -2) / math.sqrt(2 * self.head_width) + self.bias(layer)


class Fire(Bias):
    def bias(self, layer):
        c, threshold = np.exp(self.w[layer + "fire.log_rates"])
        offsets = self.offsets()
        psi = lambda x: np.log1p(c * x)
        x = -np.sign(offsets) * psi(np.abs(offsets)) / psi(max(threshold, offsets.shape[-1] - 1))
        out = affine(self.w, layer + "fire.second", relu(affine(self.w, layer + "fire.first", x[..., None])))
        return np.moveaxis(out, -1, 1)


class DynamicBias(Bias):
    def bias(self, layer):
        offsets, name = self.offsets(), layer + "dynamic."
        last = offsets.shape[-1] - 1
        x = np.arange(-last, last + 1, dtype=float)[:, None]
        x = relu(norm(self.w, name + "norm1", affine(self.w, name + "first", x)))
        x = relu(norm(self.w, name + "norm2", affine(self.w, name + "second", x)))
        return np.moveaxis(interpolated(affine(self.w, name + "third", x), offsets), -1, 1)
