"""What each encoding is, stated plainly from its definition (docs/encodings.md) in PyTorch, float64: one file for each. Nothing here
knows the library. tests/model/make_golden.py builds whole models from them; python/tests/test_encoding.py compares tables."""
import importlib
import pkgutil

import torch

D64 = torch.float64


def interpolated(table, offsets):
    """[.., S, S, ...]: rows of table [2 clip + 1, ...] at offsets -clip .. clip, clipped, and on the line between two of them."""
    clip = len(table) // 2
    place = offsets.to(D64).clamp(-clip, clip) + clip
    low = place.floor().long()
    share = (place - low).reshape(*place.shape, *[1] * (table.dim() - 1))
    return table[low] + share * (table[(low + 1).clamp(max=2 * clip)] - table[low])


class Statement:
    """An encoding in a model m, which has: c (the config), p (weights by name), steps, token, head_width, and weight(), affine() to declare
    weights. t [.., S] are the positions of the steps, offsets [S, S] = j - i for query i and key j, or with times [B, S, S] = t_j - t_i,
    `name` begins the names of a layer's weights. The base is the encoding `none`."""

    NAME = ""         # where it is not that of the file
    CASE = {}         # settings of its plain case
    CASES = {}        # {name: settings} of further ones
    content_share = 1.0     # logits of the content are divided by sqrt(d_h / content_share)
    replaces_queries = False

    def declare(self, m):
        """Weights that all layers share."""

    def declare_layer(self, m, name):
        """Weights of one layer."""

    def codes(self, m, t):
        """[.., S, d], added to the steps."""

    def codes_of(self, m, h, allowed):
        """[B, S, d], computed from the embedded steps h [B, S, d] and added to them; allowed [B, S] is False at padding."""

    def in_queries(self, m, t):
        """[.., S, d] with the class token, added to what queries and keys are made from, in every layer."""

    def signal_bias(self, m, name, x):
        """[B, H, S, S], added to the logits; x [B, S, d] are the steps that the first layer gets, zeros for the class token."""
        return 0

    def beside(self, m, t):
        """[.., S, features], concatenated to the steps."""

    def queries_and_keys(self, m, name, t, q, k):
        """[B, H, S, d_h] each."""
        return q, k

    def key_terms(self, m, name, q, offsets):
        """[B, H, S, S], added to q k^T before it is scaled."""
        return 0

    def bias(self, m, name, offsets):
        """[H, S, S] or [B, H, S, S], added to the logits."""
        return 0

    def weights(self, m, name, offsets):
        """The same, added after the softmax where a key may be seen."""
        return 0

    def value_terms(self, m, name, weights, offsets):
        """[B, H, S, d_h], added to the output."""
        return 0

    def table(self, length, dim, **options):
        """What faithful.encode gives, from the same arguments; None where this statement says nothing about it."""


def statements():
    """{name of the encoding: its Statement}"""
    found = {"none": Statement}
    for module in pkgutil.iter_modules(__path__):
        encoding = importlib.import_module(f"{__name__}.{module.name}").Encoding
        found[encoding.NAME or module.name.replace("_", "-")] = encoding
    return found
