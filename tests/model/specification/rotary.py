"""docs/encodings.md, "In queries and keys"."""
import math

import numpy as np

from .arithmetic import sigmoid, softplus
from .attention import Encoding
from .random_numbers import normals


class Rope(Encoding):
    """Pairs of a query or key as complex numbers, times a complex number that depends on the position."""

    def frequencies(self):
        c, pairs = self.c, self.head_width // 2
        scaling, factor, rho = c.get("rope_scaling", "none"), c.get("rope_factor", 1), c["rho"]
        if scaling == "ntk" and pairs > 1:
            rho = rho * factor ** (self.head_width / (self.head_width - 2))
        w = rho ** (-np.arange(pairs) / pairs)
        if scaling == "linear":
            return w / factor
        if scaling == "yarn":
            kept = np.clip((c["rope_trained"] * w / (2 * math.pi) - 1) / 31, 0, 1)
            return w * (kept + (1 - kept) / factor)
        return w

    def multipliers(self):
        """[B, N, d_h / 2]"""
        return np.exp(1j * self.rows()[..., None] * self.frequencies())

    def queries_and_keys(self, layer, q, k):
        by = self.multipliers()[:, None]
        if self.c["pairing"] == "halves":
            pairs = [x[..., :by.shape[-1]] + 1j * x[..., by.shape[-1]:] for x in (q, k)]
            return [np.concatenate([(x * by).real, (x * by).imag], -1) for x in pairs]
        pairs = [(x[..., 0::2] + 1j * x[..., 1::2]) * by for x in (q, k)]
        return [np.stack([x.real, x.imag], -1).reshape(*x.shape[:-1], -1) for x in pairs]

    def logits(self, layer, q, k):
        more = (0.1 * math.log(self.c["rope_factor"]) + 1) ** 2 if self.c.get("rope_scaling") == "yarn" else 1
        return super().logits(layer, q, k) * more


class Fope(Rope):
    def multipliers(self):
        w = self.frequencies()
        kept = [w[0]] + [each for each in w[1:] if each >= 2 * math.pi / self.steps]
        series = np.exp(1j * self.rows()[..., None] * np.array(kept)) @ self.w["encoding.coefficients"].T
        return np.concatenate([series, np.ones((*series.shape[:-1], len(w) - len(kept)))], -1)


class Pope(Encoding):
    def queries_and_keys(self, layer, q, k):
        angle = (self.rows()[..., None] * self.c["rho"] ** (-np.arange(self.head_width) / self.head_width))[:, None]
        phases = self.w[layer + "phases"].reshape(self.heads, 1, -1)
        polar = lambda x, at: np.concatenate([softplus(x) * np.cos(at), softplus(x) * np.sin(at)], -1)
        return polar(q, angle), polar(k, angle + phases)


class Spe(Encoding):
    """Every window has the same processes: they know step numbers, the class token's being 0."""

    def processes(self, rows):
        """Of queries and of keys, [N, C, R] each, and the noise of the gate [C, R], for C = H d_h coordinates."""
        w, count, inner = self.w, self.c.get("spe_realizations", 64), self.heads * self.head_width
        conv = self.c.get("spe", "sine") == "conv"
        taps, sines = self.c.get("spe_kernel", 32), self.c.get("spe_sines", 5)
        shape = (rows + taps - 1, inner, count) if conv else (inner, sines, 2, count)
        noise = normals(math.prod(shape) + inner * count, self.c["encoding_seed"], "spe.noise")
        z, gate = noise[:math.prod(shape)].reshape(shape), noise[math.prod(shape):].reshape(inner, count)
        if conv:
            of = lambda taps_of: [sum(taps_of[p][:, None] * z[s + p] for p in range(taps)) for s in range(rows)]
            return np.stack(of(w["encoding.query_filter"])), np.stack(of(w["encoding.key_filter"])), gate
        gains = softplus(w["encoding.gains"]) / math.sqrt(2 * sines)
        angle = math.pi * sigmoid(w["encoding.frequencies"]) * np.arange(rows)[:, None, None]
        waves = lambda at: np.einsum("sckw,ck,ckwr->scr", np.stack([np.cos(at), np.sin(at)], -1), gains, z)
        return waves(angle + w["encoding.phases"]), waves(angle), gate

    def queries_and_keys(self, layer, q, k):
        *both, noise = self.processes(q.shape[2])
        gate, found = sigmoid(self.w[layer + "gate"])[:, None], []
        for x, process in zip((q, k), both):
            gated = np.sqrt(1 - gate) * process + np.sqrt(gate) * noise
            found.append(np.einsum("bhsc,shcr->bhsr", x, gated.reshape(len(gated), self.heads, self.head_width, -1)))
        return found

    def logits(self, layer, q, k):
        return super().logits(layer, q, k) / q.shape[-1]
