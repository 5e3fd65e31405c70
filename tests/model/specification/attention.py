"""docs/model.md, "Attention"; also the base of every encoding, which is the encoding `none`."""
import math

import numpy as np

from .arithmetic import affine, softmax


class Encoding:
    """One encoding in one model. `at` [B, S] are the positions of the steps."""

    replaces_queries = False

    def __init__(self, c, w, steps, at):
        self.c, self.w, self.steps, self.at = c, w, steps, at
        self.token = c["pooling"] == "token"
        self.heads, self.head_width = c["heads"], c["head_width"] or c["width"] // c["heads"]

    def rows(self):
        """[B, N]: with a class token one position before the first."""
        return np.concatenate([self.at.min(-1, keepdims=True) - 1, self.at], -1) if self.token else self.at

    def offsets(self):
        """[B, N, N]: of key j from query i."""
        rows = self.rows()
        return rows[:, None, :] - rows[:, :, None]

    # Where it enters; None: not here.

    def beside(self):
        """[B, S, features], appended to the samples of a step."""

    def codes(self, h, valid):
        """[B, S, d], added to the embedded steps h."""

    def in_queries(self):
        """[B, N, d], added to what queries and keys are made from."""

    def see(self, h):
        """The steps that the first layer gets, codes included: [B, S, d]."""

    def queries_and_keys(self, layer, q, k):
        """[B, H, N, ..] each."""
        return q, k

    def logits(self, layer, q, k):
        return q @ np.swapaxes(k, -1, -2) / math.sqrt(self.head_width)

    def shares(self, layer, shares, allowed):
        """After the softmax: [B, H, N, N]."""
        return shares

    def values(self, layer, shares):
        """[B, H, N, d_h], added to the weighted values."""
        return 0.0

    # Shared by several encodings.

    def by_head(self, x):
        """[.., N, H d_h] -> [.., H, N, d_h]"""
        return np.swapaxes(x.reshape(*x.shape[:-1], self.heads, -1), -2, -3)


def attend(encoding, w, name, layer, h, allowed):
    """[B, N, d] -> [B, N, H d_h]: the heads side by side. `name` begins the names of the projections, `layer` those of the encoding."""
    projected = affine(w, name + "qkv", h)
    parts = np.split(projected, 1 if encoding.replaces_queries else 3, -1)
    q, k, v = (parts if len(parts) == 3 else [parts[0]] * 3)
    codes = encoding.in_queries()
    if codes is not None and codes.shape[-1] == h.shape[-1]:
        q, k = np.split(affine(w, name + "qkv", h + codes), 3, -1)[:2]
    q, k, v = map(encoding.by_head, (q, k, v))
    q, k = encoding.queries_and_keys(layer, q, k)
    shares = softmax(encoding.logits(layer, q, k), allowed[:, None, None, :])
    shares = encoding.shares(layer, shares, allowed)
    out = shares @ v + encoding.values(layer, shares)
    return np.swapaxes(out, 1, 2).reshape(*h.shape[:-1], -1)
