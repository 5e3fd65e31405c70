"""What the published DFT encoding module does to its own table, restated in NumPy. docs/paper.md has the context.

The table has cos(w k s) and sin(w k s), k = 0..d/2-1, for positions s = 1..S, in float32. Every forward pass scales it in
place: first and last position by sqrt(1/d), the others by sqrt(2/d). Nothing ever scales it back.
"""
import numpy as np

d, S = 240, 80
k = np.arange(d // 2)
angle = 2 * np.pi / d * k * np.arange(1, S + 1)[:, None]
table = np.empty((S, d), np.float32)
table[:, 0::2], table[:, 1::2] = np.cos(angle), np.sin(angle)

passes = 0
while table.any():
    table[[0, -1]] *= np.float32(np.sqrt(1 / d))
    table[1:-1] *= np.float32(np.sqrt(2 / d))
    passes += 1
    if passes <= 4:
        norms = np.linalg.norm(table.astype(float), axis=1)
        print(f"after forward pass {passes}: RMS norm of a code {np.sqrt(np.mean(norms**2)):.2g}")
print(f"after forward pass {passes}: every entry is 0")
