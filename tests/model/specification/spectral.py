"""docs/spectral.md, "Definition"."""
import math

import numpy as np

from .codes import Table, fourier_columns


class Spectral(Table):
    def shape(self):
        """(whether the basis is periodic, P, L)"""
        c, period = self.c, self.c.get("period", 0) or 2 * self.steps
        basis = c.get("basis", "auto")
        periodic = basis == "periodic" or (basis == "auto" and c["width"] >= period)
        if periodic and not c.get("period", 0):
            period = max(period, c["width"])
        return periodic, period, c.get("length_scale", 0) or self.steps / 6

    def frequencies(self):
        """w_k of every frequency that has a weight."""
        periodic, period, _ = self.shape()
        count = self.c["width"] // 2 + 1 if periodic else min(self.c["width"], period // 2)
        return 2 * math.pi * np.arange(count) / period

    def weights(self, length):
        """g at every frequency."""
        w, nu = self.frequencies(), self.c.get("smoothness", 1.5)
        spectrum = self.c.get("spectrum", "exponential")
        if spectrum == "exponential":
            r = math.exp(-1 / length)
            return 1 / (1 - 2 * r * np.cos(w) + r * r)
        if spectrum == "matern":
            return (1 + (w * length) ** 2 / (2 * nu)) ** -(nu + 0.5)
        return np.exp(-(w * length) ** 2 / 2) if spectrum == "gaussian" else np.ones_like(w)

    def weighted(self, at, g):
        periodic, period, _ = self.shape()
        d = self.c["width"]
        if not periodic:
            columns = np.cos(self.frequencies() * (at[..., None] + 0.5)) * np.sqrt(g)
            columns[..., 0] *= math.sqrt(0.5)
            columns /= np.linalg.norm(columns, axis=-1, keepdims=True)
            return np.pad(columns, [(0, 0)] * at.ndim + [(0, d - len(g))])
        pairs = (d - 1) // 2
        of_column = np.concatenate([g[:1], g[1:pairs + 1], g[1:pairs + 1], g[pairs + 1:d // 2 + 1]])
        return fourier_columns(at, d, period) * np.sqrt(of_column / of_column.mean())

    def start_table(self, at):
        return self.weighted(at, self.weights(self.shape()[2]))

    def table(self, at):
        return self.start_table(at)


class SpectralLearned(Spectral):
    def table(self, at):
        if "encoding.log_spectrum" in self.w:
            return self.weighted(at, np.exp(self.w["encoding.log_spectrum"]))
        return self.weighted(at, self.weights(math.exp(self.w["encoding.log_length_scale"][0])))
