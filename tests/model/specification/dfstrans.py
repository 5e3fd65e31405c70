"""docs/model.md, "DFStrans"."""
import numpy as np

from .arithmetic import affine, batch_norm, convolution, gelu, norm, relu
from .attention import Encoding, attend
from .catalog import ENCODINGS
from .steps import padded, step_positions, valid_steps, with_differences


def sensor_steps(c, w, sensor, x, valid, steps):
    """x [B, T, 1] of one sensor -> [B, S, d]."""
    h = with_differences(w, x, valid, c.get("differences", 0), sensor)
    h = h.reshape(len(h) * steps, c["segment"], -1)
    for stage in range(c["stages"]):
        own = {name: value[sensor] for name, value in w.items() if name.startswith("sensors.")}
        name = f"sensors.{stage}."
        h = convolution(h, own[name + "convolution.weight"], own[name + "convolution.bias"])
        half = h.shape[1] // 2
        h = relu(h[:, :2 * half].reshape(len(h), half, 2, -1).max(2))
        h = batch_norm(own, name + "norm", h)
    return h.reshape(-1, steps, h.shape[1] * h.shape[2])


def branch(c, w, name, number, encoding, h, allowed):
    """Attention of one sensor over its steps, or of one step over its sensors: h [B, N, d]."""
    own = {key: value[number] if value.ndim - key.endswith("weight") == 2 else value
           for key, value in w.items() if key.startswith((name + ".qkv", name + ".out"))}
    out = affine(own, name + ".out", attend(encoding, own, name + ".", "layers.0.attention.", h, allowed))
    return norm(w, name + ".norm", h + out)


def logits(c, w, windows):
    steps = -(-c["length"] // c["segment"])
    length, count = steps * c["segment"], len(windows.values)
    values, valid = padded(windows.values, length), padded(windows.valid, length)
    allowed = valid_steps(windows.valid, steps, c["segment"])
    at = step_positions(c, windows, steps, c["segment"])
    temporal, h = [], []
    for sensor in range(c["channels"]):
        encoding = ENCODINGS[c["encoding"]](c, w, steps, at)
        own = sensor_steps(c, w, sensor, values[:, :, sensor:sensor + 1], valid, steps)
        codes = encoding.codes(own, allowed)
        own = own if codes is None else own + codes
        encoding.see(own)
        temporal.append(branch(c, w, "temporal", sensor, encoding, own, allowed))
        h.append(own)
    h = np.stack(h, 1)  # [B, C, S, d]
    plain, everywhere = Encoding(c, w, steps, at), np.ones((count, c["channels"]), bool)
    spatial = [branch(c, w, "spatial", step, plain, h[:, :, step], everywhere) for step in range(steps)]
    z = np.stack(temporal, 1) + np.stack(spatial, 2)
    activation = gelu if c["activation"] == "gelu" else relu
    z = norm(w, "feed_forward.norm", z + affine(w, "feed_forward.second", activation(affine(w, "feed_forward.first", z))))
    weights = allowed / allowed.sum(1, keepdims=True)
    means = (z * weights[:, None, :, None]).sum(2).reshape(count, -1)
    return affine(w, "head.out", relu(affine(w, "head.hidden", means)))
