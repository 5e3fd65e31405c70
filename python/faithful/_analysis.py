"""What `faithful analyze` says, as an object."""
from __future__ import annotations

import html
import json

import numpy as np

from . import _core
from ._options import checked, encoding_options, found, number, positions_of, real_array, text, threads
from ._show import figure_of, html_table

_ANALYSIS = {"sigma_bins": number, "at": positions_of}

# What a person looks at first: (name in `faithfulness`, words).
_FIRST = [
    ("min_distance", "smallest distance / RMS norm"),
    ("stable_rank", "stable rank"),
    ("effective_rank", "effective rank"),
    ("rank_fp64", "rank in fp64"),
    ("rank_bf16", "rank in bf16"),
    ("condition", "condition"),
    ("coherence", "coherence"),
    ("noise_sigma10", "noise that makes 10 % wrong"),
    ("spearman", "distance follows |s - t|"),
    ("pearson", "in proportion"),
    ("shift_defect", "shift defect"),
]


class Analysis:
    """How faithful one encoding is. The numbers are those of `faithful analyze --json`, under the same names."""

    def __init__(self, found):
        self._numbers = json.loads(found["json"])
        self.table = found["table"]  # codes [S, d]; of a bias scheme the bias of its first head [S, S]
        self.cosines = found["cosines"]  # [S, S], inner products of the codes at RMS norm 1
        self.curves = dict(found["curves"])  # position of a delta -> what is left of it [d]

    name = property(lambda self: self._numbers["name"])
    kind = property(lambda self: self._numbers["kind"])
    length = property(lambda self: self._numbers["length"])
    dim = property(lambda self: self._numbers["dim"])
    rms_norm = property(lambda self: self._numbers["rms_norm"])
    spectrum = property(lambda self: self._numbers["spectrum"])
    reconstruction = property(lambda self: self._numbers["reconstruction"])
    ridge = property(lambda self: self._numbers["ridge"])
    faithfulness = property(lambda self: self._numbers["faithfulness"])
    note = property(lambda self: self._numbers["note"])  # what the encoding chose for itself, or None
    findings = property(lambda self: self._numbers["findings"])

    def to_dict(self):
        """Every number, as --json prints them."""
        return json.loads(json.dumps(self._numbers))

    def _rows(self):
        for name, words in _FIRST:
            value = self.faithfulness[name]
            if value is not None:
                yield words, value if isinstance(value, str) else f"{value:.4g}"

    def __repr__(self):
        lines = [f"{self.name} ({self.kind}), {self.length} positions, width {self.dim}"]
        lines += [f"  {words:<30} {value}" for words, value in self._rows()]
        lines += [f"  {one['weight']}: {one['text']}" for one in self.findings]
        return "\n".join(lines)

    def _repr_html_(self):
        findings = "".join(f"<li><b>{html.escape(one['weight'])}</b>: {html.escape(one['text'])}</li>"
                           for one in self.findings)
        title = f"{self.name} ({self.kind}), {self.length} positions, width {self.dim}"
        return html_table(title, (), self._rows()) + (f"<ul>{findings}</ul>" if findings else "")

    def plot(self, figure=None):
        """The codes, their inner products, their frequencies, and what is left of a delta function. Needs matplotlib
        (pip install faithful-pe[plot]); returns the figure."""
        figure = figure_of(figure, (10, 7))
        table, cosines, spectrum, curves = figure.subplots(2, 2).ravel()
        table.imshow(self.table, aspect="auto", cmap="RdBu_r")
        table.set(title=f"{self.name}: codes", xlabel="dimension", ylabel="position")
        if self.cosines.size:
            cosines.imshow(self.cosines, aspect="auto", cmap="RdBu_r", vmin=-1, vmax=1)
        cosines.set(title="inner products", xlabel="position", ylabel="position")
        if self.spectrum is not None:
            spectrum.plot(self.spectrum["g"])
        spectrum.set(title="where its frequencies lie", xlabel="k of 2 pi k / d", ylabel="density")
        for position, curve in self.curves.items():
            curves.plot(curve, label=f"delta at {position}")
        curves.set(title="what is left of a delta", xlabel="position")
        if self.curves:
            curves.legend()
        return figure


def analyze(what, length=None, dim=None, *, name="table", sigma_bins=None, at=None, n_jobs=-1, **options):
    """Measures how faithful an encoding is: the name of one (with length, dim and the options of encode), or a table of
    yours [S, d], a position a row, which is called `name` in what is said about it.

    sigma_bins: bandwidth of the kernel, in bins of 2 pi / d. at: positions of the deltas that are reconstructed.
    """
    said = checked({"sigma_bins": sigma_bins, "at": at}, _ANALYSIS)
    workers = threads(n_jobs)
    if isinstance(what, str):
        encoding = encoding_options(length, dim, options)
        said["seed"] = encoding.get("seed", 1)
        return Analysis(_core.analyze(text("what", what), encoding, said, workers))
    if length is not None or dim is not None or options:
        names = ", ".join(n for n, v in {"length": length, "dim": dim, **options}.items() if v is not None)
        raise TypeError(f"{names}: expected with the name of an encoding only, found with a table")
    table = real_array(text("name", name), what)
    if table.ndim != 2:
        raise ValueError(f"{name}: expected a table of shape (positions, width), found {found(np.asarray(what))}")
    return Analysis(_core.analyze_table(name, table, said, workers))
