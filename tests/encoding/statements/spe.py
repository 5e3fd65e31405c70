import math

import torch
import torch.nn.functional as F

from . import D64, Statement


def philox(counter, key):
    """Philox4x32-10 of Salmon et al. 2011."""
    c, k, mask = list(counter), list(key), 0xFFFFFFFF
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & mask, (a >> 32) ^ c[3] ^ k[1], a & mask]
        k = [(k[0] + 0x9E3779B9) & mask, (k[1] + 0xBB67AE85) & mask]
    return c


def normals(count, stream, seed=0):
    """Box and Muller's numbers from one block of Philox each."""
    found = []
    for block in range(count):
        words = philox((block, 0, stream & 0xFFFFFFFF, stream >> 32), (seed, 0))
        u, v = (((words[i] | words[i + 1] << 32) >> 11) * 2.0 ** -53 for i in (0, 2))
        found.append(math.sqrt(-2 * math.log1p(-u)) * math.cos(2 * math.pi * v))
    return torch.tensor(found, dtype=D64)


def stream_of(name):
    found = 0xCBF29CE484222325  # FNV-1a
    for byte in name.encode():
        found = (found ^ byte) * 0x100000001B3 % 2 ** 64
    return found


class Encoding(Statement):
    """Algorithms 1 to 3 of Liutkus et al. 2021 and their gate, with the noise of seed 0, step 0."""

    CASE = dict(layers=2, spe_realizations=3, spe_sines=2)
    CASES = {"spe_conv_token": dict(layers=2, spe="conv", spe_realizations=4, spe_kernel=3, pooling="token"),
             "dfstrans_spe": dict(form="dfstrans", sensor_weights=False, step_weights=True, length=26, segment=9, filters=4, stages=2,
                                  activation="relu", head_hidden=5, classes=2, spe_realizations=3, spe_sines=1)}

    def conv(self, m):
        return getattr(m.c, "spe", "sine") == "conv"

    def declare(self, m):
        inner = m.c.heads * m.head_width
        if self.conv(m):
            m.weight("encoding.query_filter", m.c.spe_kernel, inner)
            m.weight("encoding.key_filter", m.c.spe_kernel, inner)
        else:
            for name in ("frequencies", "phases", "gains"):
                m.weight("encoding." + name, inner, m.c.spe_sines, scale=1.0)

    def declare_layer(self, m, name):
        m.weight(name + "gate", m.c.heads * m.head_width)

    def processes(self, m, rows):
        """Those of queries and of keys, [S, C, R] each, and the noise of the gate, [C, R]."""
        inner, count = m.c.heads * m.head_width, m.c.spe_realizations
        if self.conv(m):
            shape = (rows + m.c.spe_kernel - 1, inner, count)
            noise = normals(math.prod(shape) + inner * count, stream_of("spe.noise"))
            z = noise[:math.prod(shape)].reshape(shape)
            both = [torch.stack([(m.p[f"encoding.{of}_filter"][..., None] * z[s:s + m.c.spe_kernel]).sum(0) for s in range(rows)])
                    for of in ("query", "key")]
        else:
            shape = (inner, m.c.spe_sines, 2, count)
            noise = normals(math.prod(shape) + inner * count, stream_of("spe.noise"))
            z = noise[:math.prod(shape)].reshape(shape) / math.sqrt(2 * m.c.spe_sines)
            z = z * F.softplus(m.p["encoding.gains"])[..., None, None]
            time = torch.arange(rows, dtype=D64)[:, None, None]
            angle = 2 * math.pi * torch.sigmoid(m.p["encoding.frequencies"]) / 2 * time  # [S, C, K]
            both = [torch.einsum("sckw,ckwr->scr", torch.stack([torch.cos(a), torch.sin(a)], -1), z)
                    for a in (angle + m.p["encoding.phases"], angle)]
        return *both, noise[-inner * count:].reshape(inner, count)

    def queries_and_keys(self, m, name, t, q, k):
        """[B, H, S, R], scaled so that division by sqrt(d_h) is all that is left."""
        *both, noise = self.processes(m, q.shape[2])
        gate, found = torch.sigmoid(m.p[name + "gate"])[:, None], []
        for x, process in zip((q, k), both):
            process = torch.sqrt(1 - gate) * process + torch.sqrt(gate) * noise
            process = process.reshape(len(process), m.c.heads, m.head_width, -1)
            found.append(torch.einsum("bhsc,shcr->bhsr", x, process) / math.sqrt(m.c.spe_realizations))
        return found
