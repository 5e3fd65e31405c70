"""docs/model.md, "The kinds of predictors" and "Probabilities"."""
import numpy as np

from . import dfstrans, encoder
from .arithmetic import sigmoid, softmax
from .kernels import kernel_logits
from .windows import cut

LEAST = 1e-30  # smaller probabilities of an ensemble count as this


def probabilities(logits, classes):
    if classes == 2:
        return np.concatenate([sigmoid(-logits), sigmoid(logits)], -1)
    return softmax(logits)


def linear_logits(w, windows):
    """Five numbers of each channel: mean, deviation, least, greatest, last."""
    found = []
    for values, valid in zip(windows.values, windows.valid):
        x = values[:max(valid.sum(), 1)]
        found.append(np.stack([x.mean(0), x.std(0), x.min(0), x.max(0), x[-1]], -1).reshape(-1))
    x = (np.array(found) - w["linear.shift"]) * w["linear.factor"]
    if "linear.least" in w:
        x = np.clip(x, w["linear.least"], w["linear.greatest"])
    return x @ w["linear.weights"][:, :-1].T + w["linear.weights"][:, -1]


def ensemble_logits(about, w, windows, classes):
    mean = 0
    for number, member in enumerate(about["members"]):
        prefix = f"members.{number}."
        own = {name[len(prefix):]: value for name, value in w.items() if name.startswith(prefix)}
        key = next(key for key in KINDS if key in member)
        mean = mean + member["weight"] * probabilities(KINDS[key](member[key], own, windows, classes), classes)
    logs = np.log(np.maximum(mean, LEAST))
    return (logs[:, 1:] - logs[:, :1] if classes == 2 else logs) / about["temperature"]


def transformer_logits(config, w, windows, classes):
    return (dfstrans if config.get("form") == "dfstrans" else encoder).logits(config, w, windows)


# By their keys in the metadata: (what the key holds, arrays, windows, number of classes) -> [B, outputs]
KINDS = {"config": transformer_logits, "linear": lambda about, w, windows, classes: linear_logits(w, windows),
         "kernels": lambda about, w, windows, classes: kernel_logits(w, windows), "ensemble": ensemble_logits}


def length_of(file):
    """Samples of a window."""
    for name in file.arrays:
        if name.endswith(("linear.shape", "kernels.shape")):
            return int(file.arrays[name][1])
    found = file["ensemble"]["members"][0] if "ensemble" in file.texts else {"config": file["config"]}
    return found["config"]["length"]


def predict(file, series, times=None):
    """[B, K]: the probabilities of every window of every series, arrays [T, C] of float32."""
    key, classes = next(key for key in KINDS if key in file.texts), len(file["classes"])
    windows = cut(file, length_of(file), series, times)
    return probabilities(KINDS[key](file[key], file.of_predictor(), windows, classes), classes)
