"""Builds and compares two encodings. Run the cells (`# %%`) one by one in an editor, or the whole file."""
# %% Every encoding is an array.
import numpy as np

import faithful

for name, entry in faithful.encodings().items():
    print(f"{name:<18} {entry.description}")

dft = faithful.encode("dft", length=80, dim=256)
print(dft.shape, dft.dtype)

# %% The DFT encoding has an exact inverse, also after noise.
noisy = dft + np.random.default_rng(1).normal(scale=0.02, size=dft.shape)
assert np.array_equal(faithful.decode(noisy), np.arange(80))

# %% How faithful is it? A notebook shows these as tables.
original = faithful.analyze("sinusoidal", length=80, dim=256)
faithful_one = faithful.analyze("dft", length=80, dim=256)
print(original)
print(faithful_one)
assert faithful_one.faithfulness["min_distance"] > 5 * original.faithfulness["min_distance"]

# %% Draw the codes, their inner products, their frequencies, and a reconstructed delta.
original.plot().savefig("sinusoidal.png")
faithful_one.plot().savefig("dft.png")

# %% Measure a table of your own. Findings say in words what is wrong with it.
mine = dft.copy()
mine[17] = mine[16]
for finding in faithful.analyze(mine, name="mine").findings:
    print(finding["weight"], finding["text"])
