"""docs/model.md, "Operators"."""
import math

import numpy as np

EPSILON = 1e-5
erf = np.vectorize(math.erf, otypes=[float])


def gelu(x):
    return x * (1 + erf(x / math.sqrt(2))) / 2


def relu(x):
    return np.maximum(x, 0)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.logaddexp(0, x)


def softmax(x, allowed=True):
    """Along the last axis, over the allowed entries; zeros elsewhere."""
    x = np.where(allowed, x, -np.inf)
    shares = np.exp(x - x.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True)


def affine(w, name, x):
    """y = W x + b with W [out, in]; groups have a W and a b each: W [groups, out, in], x [.., groups, N, in]."""
    weight = np.swapaxes(w[name + ".weight"], -1, -2)
    bias = w.get(name + ".bias", np.zeros(weight.shape[-1]))
    return x @ weight + (bias[:, None] if weight.ndim == 3 else bias)


def layer_norm(x, gain=1.0, offset=0.0):
    centered = x - x.mean(-1, keepdims=True)
    return centered / np.sqrt((centered ** 2).mean(-1, keepdims=True) + EPSILON) * gain + offset


def norm(w, name, x):
    return layer_norm(x, w[name + ".weight"], w[name + ".bias"])


def batch_norm(w, name, x):
    """By the running statistics; gain and offset where the file has them."""
    unit = (x - w[name + ".mean"]) / np.sqrt(w[name + ".variance"] + EPSILON)
    return unit * w.get(name + ".weight", 1.0) + w.get(name + ".bias", 0.0)


def shifted(x, by):
    """Row t is row t + by of x [.., T, W], or zeros beyond its ends."""
    count = x.shape[-2]
    at = np.arange(count) + by
    there = (at >= 0) & (at < count)
    return np.where(there[:, None], x[..., np.clip(at, 0, count - 1), :], 0.0)


def convolution(x, weight, bias=0.0):
    """y_t = b + sum_k W_k x_{t + k - (K - 1)/2}: x [B, T, W], weight [filters, K W] with K blocks of W numbers each."""
    taps = weight.shape[1] // x.shape[-1]
    blocks = weight.reshape(len(weight), taps, -1)
    return bias + sum(shifted(x, k - taps // 2) @ blocks[:, k].T for k in range(taps))


def depthwise(x, weight, dilation=1):
    """The same with one filter for each column: weight [K, W]."""
    taps = len(weight)
    return sum(shifted(x, (k - taps // 2) * dilation) * weight[k] for k in range(taps))
