"""pickles.py write|read FOLDER TAG ALL...: a fitted classifier goes from one Python to the others, as a pickle and as a model file. `write`
makes TAG.pickle and TAG.safetensors. `read` takes those of ALL, and the probabilities must have the same bits."""
import pathlib
import pickle
import sys

import numpy as np

from faithful import TimeSeriesTransformer

step, folder, tag, *tags = sys.argv[1:]
folder = pathlib.Path(folder)
random = np.random.default_rng(3)
X, y = random.normal(size=(30, 12, 2)).astype(np.float32), np.array([False, True, True] * 10)

if step == "write":
    fitted = TimeSeriesTransformer(preset="plain", width=8, heads=2, layers=1, epochs=3).fit(X, y)
    (folder / f"{tag}.pickle").write_bytes(pickle.dumps((fitted, fitted.predict_proba(X).tolist()), protocol=4))
    fitted.save(folder / f"{tag}.safetensors")
else:
    for other in tags:
        fitted, wanted = pickle.loads((folder / f"{other}.pickle").read_bytes())
        loaded = TimeSeriesTransformer.load(folder / f"{other}.safetensors")
        for one in (fitted, loaded):
            assert one.classes_.tolist() == [False, True] and one.classes_.dtype == bool, other
            assert one.predict_proba(X).tolist() == wanted, f"{tag} has other numbers than {other}"
        assert fitted.get_params() == loaded.get_params()
        assert loaded.fit(X, y).predict_proba(X).tolist() == wanted, f"{tag} trains another model than {other}"
