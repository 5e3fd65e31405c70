import math

import numpy as np
import torch
from torch.nn import functional

from .._attention import Turned
from .._base import module_of
from .._positions import wide


def philox(counter, key):
    """Philox4x32-10 (Salmon et al. 2011) of columns of words: the random numbers of the C++ library."""
    mask = np.uint64(0xFFFFFFFF)
    c, k = [np.asarray(word, dtype=np.uint64) for word in counter], list(key)
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(b >> np.uint64(32)) ^ c[1] ^ np.uint64(k[0]), b & mask, (a >> np.uint64(32)) ^ c[3] ^ np.uint64(k[1]), a & mask]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def normals(count, seed):
    """N(0, 1), those that faithful::Random draws of the stream "spe.noise"."""
    stream = 0xCBF29CE484222325
    for byte in b"spe.noise":
        stream = (stream ^ byte) * 0x100000001B3 % 2 ** 64
    block = np.arange(count, dtype=np.uint64)
    low = np.zeros_like(block)
    words = philox((block & np.uint64(0xFFFFFFFF), block >> np.uint64(32), low + np.uint64(stream & 0xFFFFFFFF),
                    low + np.uint64(stream >> 32)), (seed & 0xFFFFFFFF, seed >> 32))
    u, v = (((words[i] | words[i + 1] << np.uint64(32)) >> np.uint64(11)).astype(np.float64) * 2.0 ** -53 for i in (0, 2))
    return np.sqrt(-2 * np.log1p(-u)) * np.cos(2 * np.pi * v)


@module_of("spe")
class Stochastic(Turned):
    """Queries and keys times random processes; new ones in every pass of training, always the same in evaluation."""

    LEARNED = ("frequencies", "phases", "gains", "query_filter", "key_filter", "gate")
    EXACT = ("frequencies",)

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.extends = hasattr(self, "gains")  # filters have noise for `length` positions

    def _values(self):
        start, c, conv = self.start(), self.options["dim"], self.options.get("spe") == "conv"
        self.realizations, self.heads = self.options.get("spe_realizations", 64), self.options.get("heads", 8)
        names = ("query_filter", "key_filter") if conv else ("frequencies", "phases", "gains")
        parts = np.split(start[:-c], len(names))
        shape = (-1, c) if conv else (c, -1)
        values = {name: part.reshape(shape) for name, part in zip(names, parts)}
        self.noise_shape = ((self.length + len(values["query_filter"]) - 1, c, self.realizations) if conv else
                            (c, values["gains"].shape[1], 2, self.realizations))
        noise = normals(math.prod(self.noise_shape) + c * self.realizations, self.options.get("seed", 1))
        return {**values, "gate": start[-c:], "noise": noise}

    def processes(self, places):
        """That of queries [Q, C, R] and that of keys [K, C, R]."""
        noise = torch.randn_like(self.noise) if self.training else self.noise
        count = math.prod(self.noise_shape)
        z, of_gate = noise[:count].view(self.noise_shape), noise[count:].view(-1, self.realizations)
        both = self.sines(z, places) if hasattr(self, "gains") else self.filtered(z, places)
        gate = torch.sigmoid(wide(self.gate))[:, None]
        return [torch.sqrt(1 - gate) * one + torch.sqrt(gate) * of_gate for one in both]

    def sines(self, z, places):
        z = z * (functional.softplus(wide(self.gains)) / (2 * self.gains.shape[1]) ** 0.5)[..., None, None]
        frequency = math.pi * torch.sigmoid(self.frequencies)
        angles = [at[:, None, None] * frequency for at in (places.query, places.key)]  # [S, C, K] each
        angles[0] = angles[0] + wide(self.phases)
        return [torch.einsum("sckw,ckwr->scr", torch.stack([torch.cos(a), torch.sin(a)], dim=-1), z) for a in angles]

    def filtered(self, z, places):
        windows = z.unfold(0, len(self.query_filter), 1)  # [length, C, R, P]
        both = ((places.query, self.query_filter), (places.key, self.key_filter))
        return [torch.einsum("scrp,pc->scr", windows[at], wide(taps)) for at, taps in both]

    def rotated(self, query, key, places):
        """[.., H, S, R] each: their products, divided by sqrt(d_h), are the logits."""
        width = query.shape[-1]
        if width * self.heads != len(self.gate):
            raise ValueError(f"{self.name}: expected heads of width {len(self.gate) // self.heads}, found {width}")
        found = []
        for x, process in zip((query, key), self.processes(places)):
            process = process.view(len(process), self.heads, width, -1).to(x.dtype)
            found.append(torch.einsum("...hsc,shcr->...hsr", x, process) / self.realizations ** 0.5)
        return tuple(found)

    def refuse_positions(self, positions, steps):
        if positions.dim() > 1:
            raise ValueError(f"positions: expected one row for all samples, because they share the random processes of {self.name}, "
                             f"found shape {tuple(positions.shape)}")
        super().refuse_positions(positions, steps)
