"""docs/model.md, "The form encoder"."""
import numpy as np

from .arithmetic import affine, gelu, norm, relu, softmax
from .attention import attend
from .catalog import ENCODINGS
from .steps import segments, step_positions, valid_steps


def layer(encoding, c, w, name, h, allowed):
    activation = gelu if c["activation"] == "gelu" else relu
    inner = name + "attention."
    attention = lambda x: attend(encoding, w, inner, inner, x, allowed)
    if c["block"] == "bare":
        return attention(h)
    projected = lambda x: affine(w, inner + "out", attention(x))
    feed_forward = lambda x: affine(w, name + "feed_forward.second", activation(affine(w, name + "feed_forward.first", x)))
    if c["block"] == "post":
        h = norm(w, name + "norm1", h + projected(h))
        return norm(w, name + "norm2", h + feed_forward(h))
    h = h + projected(norm(w, name + "norm1", h))
    return h + feed_forward(norm(w, name + "norm2", h))


def pooled(c, w, h, allowed):
    if c["pooling"] == "token":
        return h[:, 0]
    scores = h @ w["pooling.weight"][0] if c["pooling"] == "attention" else np.zeros(h.shape[:2])
    return (softmax(scores, allowed)[..., None] * h).sum(1)


def logits(c, w, windows):
    per_step = c["segment"] * c.get("average", 1)
    steps = -(-c["length"] // per_step)
    allowed = valid_steps(windows.valid, steps, per_step)
    encoding = ENCODINGS[c["encoding"]](c, w, steps, step_positions(c, windows, steps, per_step))
    h = segments(w, c, windows.values, windows.valid, steps)
    features = encoding.beside()
    if features is not None:
        h = np.concatenate([h, features], -1)
    h = affine(w, "embedding", h)
    codes = encoding.codes(h, allowed)
    h = h if codes is None else h + codes
    encoding.see(h)
    if c["pooling"] == "token":
        h = np.concatenate([np.repeat(w["token"][None], len(h), 0), h], 1)
        allowed = np.concatenate([np.ones((len(h), 1), bool), allowed], 1)
    for number in range(c["layers"]):
        h = layer(encoding, c, w, f"layers.{number}.", h, allowed)
    if c["block"] == "pre":
        h = norm(w, "norm", h)
    return affine(w, "head", pooled(c, w, h, allowed))
