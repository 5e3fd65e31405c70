"""docs/model.md, "From samples to steps"."""
import math

import numpy as np

from .arithmetic import affine, batch_norm, convolution, depthwise, gelu


def padded(x, length):
    """Zeros (or False) after the last sample: x [B, T, ..] -> [B, length, ..]."""
    return np.pad(x, [(0, 0), (0, length - x.shape[1])] + [(0, 0)] * (x.ndim - 2))


def averaged(x, valid, count):
    """The mean of the valid ones of `count` samples: x [B, T, C] -> [B, T / count, C]."""
    x, valid = x.reshape(len(x), -1, count, x.shape[-1]), valid.reshape(len(valid), -1, count)
    there = valid.sum(-1)
    return (x * valid[..., None]).sum(2) / np.maximum(there, 1)[..., None], there > 0


def difference(x, valid, order):
    """Of this order, along time; zero where one of its samples is missing or before the window."""
    out = np.zeros_like(x)
    for t in range(order, x.shape[1]):
        terms = sum((-1) ** k * math.comb(order, k) * x[:, t - k] for k in range(order + 1))
        out[:, t] = np.where(valid[:, t - order:t + 1].all(1)[:, None], terms, 0)
    return out


def with_differences(w, x, valid, orders, sensor=None):
    """x [B, T, W] -> [B, T, (1 + orders) W]. For one sensor of dfstrans the statistics are its row."""
    if orders == 0:
        return x
    own = w if sensor is None else {name: value[sensor] for name, value in w.items() if name.startswith("differences.")}
    all_orders = np.concatenate([difference(x, valid, order) for order in range(1, orders + 1)], -1)
    return np.concatenate([x, batch_norm(own, "differences", all_orders) * valid[..., None]], -1)


def stem(w, c, x, valid):
    def activated(name, y):
        return gelu(batch_norm(w, name, y) * valid[..., None])
    if c.get("bottleneck", 0):
        x = affine(w, "stem.bottleneck", x)
    branches = [convolution(x, w[f"stem.branches.{i}.weight"]) for i in range(c["branches"])]
    h = activated("stem.norm", np.concatenate(branches, -1))
    for i in range(c.get("blocks", 0)):
        name = f"stem.blocks.{i}."
        apart = depthwise(h, w[name + "depthwise.weight"], dilation=2 ** (i + 1))
        h = h + activated(name + "norm", affine(w, name + "pointwise", apart))
    return h


def segments(w, c, x, valid, steps):
    """[B, S, segment * columns]: the samples of each step side by side."""
    average = c.get("average", 1)
    length = steps * c["segment"] * average
    x, valid = averaged(padded(x, length), padded(valid, length), average)
    x = with_differences(w, x, valid, c.get("differences", 0))
    if c.get("branches", 0):
        x = stem(w, c, x, valid)
    elif c["filters"]:
        x = gelu(convolution(x, w["convolution.weight"], w["convolution.bias"]))
    return x.reshape(len(x), steps, -1)


def valid_steps(valid, steps, per_step):
    """A step counts if one of its samples is valid."""
    return padded(valid, steps * per_step).reshape(len(valid), steps, per_step).any(-1)


def step_positions(c, windows, steps, per_step):
    """[B, S]: numbers, or times; a step without a sample has the position of the one before it."""
    if c["positions"] == "index":
        return np.tile(np.arange(steps, dtype=float), (len(windows.valid), 1))
    times = (windows.times / c["time_step"]).astype(np.float32).astype(float)
    found = np.zeros((len(times), steps))
    for b, of_window in enumerate(found):
        for s in range(steps):
            at = s * per_step
            of_window[s] = times[b, at] if at < times.shape[1] and windows.valid[b, at] else of_window[s - 1]
    return found
