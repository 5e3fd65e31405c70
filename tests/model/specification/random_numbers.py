"""docs/encodings.md, "Random numbers"."""
import math

import numpy as np

MASK = 0xFFFFFFFF


def stream_of(name):
    """FNV-1a of 64 bits."""
    found = 0xCBF29CE484222325
    for byte in name.encode():
        found = (found ^ byte) * 0x100000001B3 % 2 ** 64
    return found


def normals(count, seed, name):
    """N(0, 1): number n from block n of Philox4x32-10, by Box and Muller."""
    stream = stream_of(name)
    n = np.arange(count, dtype=np.uint64)
    c = [n & MASK, n >> np.uint64(32), np.full_like(n, stream & MASK), np.full_like(n, stream >> 32)]
    k = [seed & MASK, seed >> 32]
    for _ in range(10):
        first, second = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(second >> np.uint64(32)) ^ c[1] ^ np.uint64(k[0]), second & MASK,
             (first >> np.uint64(32)) ^ c[3] ^ np.uint64(k[1]), first & MASK]
        k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
    u, v = ((low | high << np.uint64(32)) >> np.uint64(11) for low, high in ((c[0], c[1]), (c[2], c[3])))
    return np.sqrt(-2 * np.log1p(-(u * 2.0 ** -53))) * np.cos(2 * math.pi * (v * 2.0 ** -53))
