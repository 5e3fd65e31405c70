"""docs/encodings.md: encodings with a vector, or a weight, for each offset; "Real distances"."""
import math

import numpy as np

from .attention import Encoding


def interpolated(table, offsets):
    """Rows of table [2 n + 1, ..], which stand for -n .. n, at clipped offsets; between two, on the line between them."""
    n = len(table) // 2
    place = np.clip(offsets, -n, n) + n
    low = np.floor(place).astype(int)
    share = (place - low).reshape(*place.shape, *[1] * (table.ndim - 1))
    return table[low] + share * (table[np.minimum(low + 1, 2 * n)] - table[low])


class Shaw(Encoding):
    def logits(self, layer, q, k):
        vectors = interpolated(self.w[layer + "relative_keys"], self.offsets())
        return super().logits(layer, q, k) + np.einsum("bhid,bijd->bhij", q, vectors) / math.sqrt(self.head_width)

    def values(self, layer, shares):
        return np.einsum("bhij,bijd->bhid", shares, interpolated(self.w[layer + "relative_values"], self.offsets()))


class Deberta(Encoding):
    def logits(self, layer, q, k):
        def vectors(name, offsets):
            rows = self.w["encoding.positions"] @ self.w[layer + name].T
            return interpolated(rows.reshape(len(rows), self.heads, -1), offsets)
        offsets = self.offsets()
        to_position = np.einsum("bhid,bijhd->bhij", q, vectors("relative_key.weight", -offsets))
        to_content = np.einsum("bhjd,bijhd->bhij", k, vectors("relative_query.weight", offsets))
        return (q @ np.swapaxes(k, -1, -2) + to_position + to_content) / math.sqrt(3 * self.head_width)


class TransformerXl(Encoding):
    def logits(self, layer, q, k):
        n = (self.c["width"] + 1) // 2
        angle = self.offsets()[..., None] * self.c["rho"] ** (-np.arange(n) / n)
        waves = np.stack([np.cos(angle), np.sin(angle)], -1).reshape(*angle.shape[:-1], -1)
        weight = self.w[layer + "relative.weight"].reshape(self.heads, self.head_width, -1)
        u, v = (self.w["encoding." + name].reshape(self.heads, 1, -1) for name in ("content", "position"))
        moved = np.einsum("bhid,hdw,bijw->bhij", q + v, weight, waves, optimize=True)
        return super().logits(layer, q + u, k) + moved / math.sqrt(self.head_width)


class Erpe(Encoding):
    def shares(self, layer, shares, allowed):
        more = interpolated(self.w[layer + "offset_weights"].T, self.offsets())
        return shares + np.moveaxis(more, -1, 1) * allowed[:, None, None, :]
