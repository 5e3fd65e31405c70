"""docs/encodings.md, "Added to the input", "Appended to the input", "Controls"."""
import math

import numpy as np

from .arithmetic import affine, gelu
from .attention import Encoding
from .random_numbers import normals


class Table(Encoding):
    """A formula of the position."""

    def table(self, at):
        """[.., S, d]"""

    def start_table(self, at):
        """The same with learned values as they start, by which `scale` is measured."""
        return self.table(at)

    def factor(self):
        scale = self.c["scale"]
        if scale in ("as-defined", "decaying"):
            return 1.0 if scale == "as-defined" else self.w["encoding.decay"][0]
        if scale not in ("unit", "matched"):
            return float(scale)
        whole = self.start_table(np.arange(self.steps, dtype=float))
        norm = math.sqrt((whole ** 2).sum() / self.steps)
        return (1 if scale == "unit" else math.sqrt(self.c["width"] / 2)) / norm

    def codes(self, h, valid):
        return self.factor() * self.table(self.at)


class Sinusoidal(Table):
    stretch = 1.0

    def table(self, at):
        c, d = self.c, self.c["width"]
        sines = (d + 1) // 2
        last = d / 2 if c.get("exponent", "2i/d") == "2i/d" else max(sines - 1, 1)
        angle = (at[..., None] + c.get("first_position", 0)) * self.stretch * c["rho"] ** (-np.arange(sines) / last)
        if c.get("layout", "interleaved") == "halves":
            return np.concatenate([np.sin(angle), np.cos(angle)], -1)[..., :d]
        return np.stack([np.sin(angle), np.cos(angle)], -1).reshape(*at.shape, -1)[..., :d]


class Tape(Sinusoidal):
    def table(self, at):
        self.stretch = self.c["width"] / self.steps
        return super().table(at)


def fourier_columns(at, d, period):
    """The lowest d modes of a basis of `period` points, as dft orders them: constant, cosines, sines, the last cosine of even d."""
    pairs = np.arange(1, (d - 1) // 2 + 1)
    angle = 2 * math.pi * at[..., None] * pairs / period
    columns = [np.full((*at.shape, 1), math.sqrt(0.5)), np.cos(angle), np.sin(angle)]
    if d % 2 == 0:
        last = np.cos(math.pi * d * at[..., None] / period)
        columns.append(last * (math.sqrt(0.5) if d == period else 1))
    return math.sqrt(2 / d) * np.concatenate(columns, -1)


class Dft(Table):
    def table(self, at):
        return fourier_columns(at, self.c["width"], self.c["period"] or self.c["width"])


class OneHot(Table):
    def table(self, at):
        return np.eye(self.steps, self.c["width"])


class Rotation(Table):
    def table(self, at):
        d = self.c["width"]
        tall, thin = max(self.steps, d), min(self.steps, d)
        gaussian = normals(tall * thin, self.c["encoding_seed"], "haar").reshape(thin, tall).T
        q, r = np.linalg.qr(gaussian)
        q = q * np.sign(np.diag(r))
        return q.T if self.steps <= d else q


class Learned(Encoding):
    def codes(self, h, valid):
        return self.w["encoding.table"]


class LearnedFrequency(Table):
    def table(self, at, w=None, b=None):
        w = self.w["encoding.frequencies"] if w is None else w
        b = self.w["encoding.phases"] if b is None else b
        return np.cos(at[..., None] * w + b) / math.sqrt(len(w))

    def start_table(self, at):
        d = self.c["width"]
        return self.table(at, 10.0 ** (-9 * np.arange(d) / max(d - 1, 1)), np.zeros(d))


class FourierFeatures(Encoding):
    def codes(self, h, valid):
        angle = self.at[..., None] * self.w["encoding.frequencies"]
        features = np.concatenate([np.cos(angle), np.sin(angle)], -1) / math.sqrt(2 * angle.shape[-1])
        return affine(self.w, "encoding.second", gelu(affine(self.w, "encoding.first", features)))


class TimeFeatures(Encoding):
    """time2vec; mtan as `concat`."""

    def features(self):
        low, high = self.at.min(-1, keepdims=True), self.at.max(-1, keepdims=True)
        t = (self.at - low) / np.where(high > low, high - low, 1)
        angle = t[..., None] * self.w["encoding.frequencies"] + self.w["encoding.phases"]
        return np.concatenate([angle[..., :1], np.sin(angle[..., 1:])], -1)

    def beside(self):
        return self.features()


class Mtan(TimeFeatures):
    @property
    def replaces_queries(self):
        return self.c["mtan"] == "attention"

    def beside(self):
        return None if self.replaces_queries else self.features()

    def queries_and_keys(self, layer, q, k):
        if not self.replaces_queries:
            return q, k
        return map(self.by_head, np.split(affine(self.w, layer + "time", self.features()), 2, -1))


class TPe(Sinusoidal):
    def in_queries(self):
        return self.below_token(self.codes(None, None))

    def see(self, h):
        self.signal = self.below_token(h)

    def below_token(self, x):
        return np.pad(x, [(0, 0), (int(self.token), 0), (0, 0)])

    def logits(self, layer, q, k):
        alike = self.signal @ np.swapaxes(self.signal, -1, -2) / math.sqrt(self.c["width"])
        return super().logits(layer, q, k) + self.w[layer + "similarity"][:, None, None] * alike[:, None]
