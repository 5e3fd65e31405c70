#!/usr/bin/env python3
"""Writes what PyTorch computes for whole classifiers, one case for every encoding and more, for tests/model/conformance_test.cpp.

    make_golden.py FOLDER [--seed N] [--encoding NAME]

The model is stated here plainly, in float64, from the definitions (docs/model.md); the encodings are stated in tests/encoding/statements. One
text file per case: a line `config field=value ...`, then one tensor per line: `name size size ... : number number ...`. Weights and inputs are
rounded to float32, so that a model in float starts from the same. The files in tests/model/golden were made with seed 1;
tests/live_conformance.py compares with fresh numbers.
"""
import argparse
import math
import pathlib
import sys

import torch
import torch.nn.functional as F

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "encoding"))
from statements import D64, Statement, statements

DEFAULTS = dict(channels=3, length=6, classes=3, filters=0, kernel=3, segment=1, width=8, heads=2, head_width=0, layers=1, feed_forward=4,
                block="post", activation="gelu", dropout=0, pooling="mean", encoding="none", scale="as-defined", period=0, rho=10000,
                clip=2, time_dim=3, mtan="concat", tupe_relative=False, pairing="interleaved", positions="index", time_step=1)


def rounded(*sizes, scale=1.0):
    return (scale * torch.randn(*sizes, dtype=D64)).float().double()


def difference(x, valid, order):
    """Along time, x [R, T, W]: zero where one of the samples t - order .. t is missing."""
    out = torch.zeros_like(x)
    for t in range(order, x.shape[1]):
        there = valid[:, t - order:t + 1].all(1)[:, None]
        terms = sum((-1) ** k * math.comb(order, k) * x[:, t - k] for k in range(order + 1))
        out[:, t] = torch.where(there, terms, torch.zeros_like(terms))
    return out


def masked_batch_norm(x, valid, gain, offset):
    """x [R, T, W] with the batch's mean and variance over the valid samples; zero at the others."""
    there = x[valid]
    y = F.batch_norm(there, None, None, gain, offset, training=True)
    return torch.zeros_like(x).masked_scatter(valid[..., None].expand_as(x), y)


def with_differences(x, valid, orders, gain, offset):
    """x [R, T, W] -> [R, T, (1 + orders) W]: the differences with the batch's mean and variance."""
    if orders == 0:
        return x
    d = torch.cat([difference(x, valid, n + 1) for n in range(orders)], -1)
    return torch.cat([x, masked_batch_norm(d, valid, gain, offset)], -1)


class Model:
    def __init__(self, **options):
        self.c = argparse.Namespace(**{**DEFAULTS, **options})
        c = self.c
        self.average, self.branches = getattr(c, "average", 1), getattr(c, "branches", 0)
        self.per_step = c.segment * self.average
        self.steps = -(-c.length // self.per_step)
        self.token = c.pooling == "token"
        self.head_width = c.head_width or c.width // c.heads
        self.encoding = statements()[c.encoding]()
        self.p = {}
        self.declare()

    def weight(self, name, *sizes, scale=0.4, mean=0.0):
        self.p[name] = (mean + rounded(*sizes, scale=scale)).float().double().requires_grad_()

    def affine(self, name, out, width):
        self.weight(name + ".weight", out, width)
        self.weight(name + ".bias", out)

    def norm(self, name, width):
        self.weight(name + ".weight", width, mean=1.0, scale=0.2)
        self.weight(name + ".bias", width)

    def batch_norm(self, name, *sizes, affine=True):
        """Gain and offset, and statistics that the batch's replace; those have no gradient."""
        if affine:
            self.weight(name + ".weight", *sizes, mean=1.0, scale=0.2)
            self.weight(name + ".bias", *sizes)
        self.weight(name + ".mean", *sizes, scale=0.1)
        self.weight(name + ".variance", *sizes, mean=1.0, scale=0.1)

    def declare_stem(self, columns):
        """Convolutions side by side, then residual blocks; how many columns they give."""
        c = self.c
        if hasattr(c, "bottleneck"):
            self.weight("stem.bottleneck.weight", c.bottleneck, columns)
            columns = c.bottleneck
        for i in range(self.branches):
            self.weight(f"stem.branches.{i}.weight", c.filters, ((c.kernel + 1) * 2 ** i - 1) * columns)
        width = c.filters * self.branches
        self.batch_norm("stem.norm", width)
        for i in range(c.blocks):
            self.weight(f"stem.blocks.{i}.depthwise.weight", 5, width)
            self.weight(f"stem.blocks.{i}.pointwise.weight", width, width)
            self.batch_norm(f"stem.blocks.{i}.norm", width)
        return width

    def stem(self, x, valid):
        def activated(name, y):
            return F.gelu(masked_batch_norm(y, valid, self.p[name + ".weight"], self.p[name + ".bias"]))
        parts = []
        if hasattr(self.c, "bottleneck"):
            x = F.linear(x, self.p["stem.bottleneck.weight"])
        for i in range(self.branches):
            weight = self.p[f"stem.branches.{i}.weight"].reshape(self.c.filters, -1, x.shape[-1]).transpose(1, 2)
            parts.append(F.conv1d(x.transpose(1, 2), weight, padding=weight.shape[-1] // 2).transpose(1, 2))
        h = activated("stem.norm", torch.cat(parts, -1))
        for i in range(self.c.blocks):
            name, dilation = f"stem.blocks.{i}.", 2 ** (i + 1)
            apart = F.conv1d(h.transpose(1, 2), self.p[name + "depthwise.weight"].T[:, None], padding=2 * dilation, dilation=dilation,
                             groups=h.shape[-1]).transpose(1, 2)
            h = h + activated(name + "norm", F.linear(apart, self.p[name + "pointwise.weight"]))
        return h

    def declare_differences(self, *sizes):
        self.batch_norm("differences", *sizes, affine=not self.branches)  # the filters of a stem have gain and offset already

    def declare(self):
        c, inner = self.c, self.c.heads * self.head_width
        orders = getattr(c, "differences", 0)
        if orders:
            self.declare_differences(orders * c.channels)
        self.encoding.declare(self)
        columns = c.filters or c.channels * (1 + orders)
        if self.branches:
            columns = self.declare_stem(c.channels * (1 + orders))
        elif c.filters:
            self.affine("convolution", c.filters, c.kernel * c.channels * (1 + orders))
        features = self.encoding.beside(self, torch.arange(self.steps, dtype=D64))
        beside = 0 if features is None else features.shape[-1]
        self.affine("embedding", c.width, c.segment * columns + beside)
        if self.token:
            self.weight("token", 1, c.width)
        width = c.width
        for layer in range(c.layers):
            name = f"layers.{layer}."
            self.affine(name + "attention.qkv", (1 if self.encoding.replaces_queries else 3) * inner, width)
            self.encoding.declare_layer(self, name + "attention.")
            if c.block == "bare":
                width = inner
                continue
            self.affine(name + "attention.out", width, inner)
            self.affine(name + "feed_forward.first", c.feed_forward, width)
            self.affine(name + "feed_forward.second", width, c.feed_forward)
            self.norm(name + "norm1", width)
            self.norm(name + "norm2", width)
        if c.block == "pre":
            self.norm("norm", width)
        if c.pooling == "attention":
            self.weight("pooling.weight", 1, width)
        self.affine("head", 1 if c.classes == 2 else c.classes, width)

    def apply(self, name, x):
        return F.linear(x, self.p[name + ".weight"], self.p[name + ".bias"])

    def normalize(self, name, x):
        return F.layer_norm(x, x.shape[-1:], self.p[name + ".weight"], self.p[name + ".bias"])

    def heads_of(self, x):
        return x.reshape(*x.shape[:2], self.c.heads, -1).transpose(1, 2)

    def attend(self, layer, h, t, allowed):
        """h [B, S, width] -> [B, S, H * d_h]."""
        name, e = f"layers.{layer}.attention.", self.encoding
        projected = self.apply(name + "qkv", h)
        q, k, v = map(self.heads_of, [projected] * 3 if e.replaces_queries else projected.chunk(3, -1))
        if (codes := e.in_queries(self, t)) is not None and codes.shape[-1] == h.shape[-1]:
            q, k = map(self.heads_of, self.apply(name + "qkv", h + codes).chunk(3, -1)[:2])
        q, k = e.queries_and_keys(self, name, t, q, k)
        at = torch.arange(h.shape[1])
        if t.dim() == 2:  # a class token is one position before the first step
            at = torch.cat([t.min(-1, keepdim=True).values - 1, t], -1) if self.token else t
        offsets = at[..., None, :] - at[..., :, None]
        scores = (q @ k.transpose(-1, -2) + e.key_terms(self, name, q, offsets)) / math.sqrt(self.head_width / e.content_share)
        scores = scores + e.bias(self, name, offsets) + e.signal_bias(self, name, self.signal)
        weights = torch.softmax(scores.masked_fill(~allowed[:, None, None, :], -math.inf), -1)
        weights = weights + e.weights(self, name, offsets) * allowed[:, None, None, :]
        out = weights @ v + e.value_terms(self, name, weights, offsets)
        return out.transpose(1, 2).reshape(*h.shape[:2], -1)

    def layer(self, number, h, t, allowed):
        name, activation = f"layers.{number}.", F.relu if self.c.activation == "relu" else F.gelu
        feed = lambda x: self.apply(name + "feed_forward.second", activation(self.apply(name + "feed_forward.first", x)))
        if self.c.block == "bare":
            return self.attend(number, h, t, allowed)
        attend = lambda x: self.apply(name + "attention.out", self.attend(number, x, t, allowed))
        if self.c.block == "post":
            h = self.normalize(name + "norm1", h + attend(h))
            return self.normalize(name + "norm2", h + feed(h))
        h = h + attend(self.normalize(name + "norm1", h))
        return h + feed(self.normalize(name + "norm2", h))

    def embed(self, x, valid, t):
        c, behind = self.c, self.steps * self.per_step - self.c.length
        x, valid = F.pad(x, (0, 0, 0, behind)), F.pad(valid, (0, behind))
        counts = valid.reshape(len(x), -1, self.average).sum(-1)
        x = x.reshape(len(x), -1, self.average, c.channels).sum(2) / counts.clamp(min=1)[..., None]
        valid = counts > 0
        x = with_differences(x, valid, getattr(c, "differences", 0), self.p.get("differences.weight"), self.p.get("differences.bias"))
        if self.branches:
            x = self.stem(x, valid)
        elif c.filters:
            kernel = self.p["convolution.weight"].reshape(c.filters, c.kernel, -1).transpose(1, 2)  # ours is [out, tap, channel]
            x = F.gelu(F.conv1d(x.transpose(1, 2), kernel, self.p["convolution.bias"], padding=c.kernel // 2)).transpose(1, 2)
        x = x.reshape(len(x), self.steps, -1)
        features = self.encoding.beside(self, t)
        if features is not None:
            x = torch.cat([x, features.expand(len(x), -1, -1)], -1)
        return self.apply("embedding", x)

    def pool(self, h, allowed):
        if self.token:
            return h[:, 0]
        if self.c.pooling == "mean":
            weights = allowed.double() / allowed.sum(1, keepdim=True)
        else:
            weights = torch.softmax((h @ self.p["pooling.weight"][0]).masked_fill(~allowed, -math.inf), 1)
        return (weights[..., None] * h).sum(1)

    def logits(self, x, valid, times):
        """x [B, length, C], valid [B, length] booleans, times [B, length] or None -> [B, outputs]."""
        c = self.c
        allowed = F.pad(valid, (0, self.steps * self.per_step - c.length)).reshape(len(x), self.steps, self.per_step).any(-1)
        t = torch.arange(self.steps, dtype=D64) if times is None else times[:, ::self.per_step]
        h = self.embed(x * valid[..., None], valid, t)
        codes = self.encoding.codes(self, t)
        codes = self.encoding.codes_of(self, h, allowed) if codes is None else codes
        h = h if codes is None else h + codes
        self.signal = F.pad(h, (0, 0, int(self.token), 0))
        if self.token:
            h = torch.cat([self.p["token"].expand(len(h), 1, -1), h], 1)
            allowed = torch.cat([torch.ones(len(h), 1, dtype=torch.bool), allowed], 1)
        for number in range(c.layers):
            h = self.layer(number, h, t, allowed)
        h = self.normalize("norm", h) if c.block == "pre" else h
        return self.apply("head", self.pool(h, allowed))


class SpatioTemporal(Model):
    """DFStrans as docs/model.md has it: module by module, for each sensor and each step. Batch norm with the batch's statistics."""

    def norm_of(self, name):
        """Statistics that the batch's replace; they have no gradient."""
        for statistic, mean in (("mean", 0.0), ("variance", 1.0)):
            self.weight(f"{name}.{statistic}", self.c.channels, self.c.filters, scale=0.1, mean=mean)

    def declare(self):
        c, inner = self.c, self.c.heads * self.head_width
        self.encoding.declare(self)
        self.encoding.declare_layer(self, "layers.0.attention.")
        orders = getattr(c, "differences", 0)
        if orders:
            self.declare_differences(c.channels, orders)
        for stage in range(c.stages):
            name = f"sensors.{stage}."
            self.weight(name + "convolution.weight", c.channels, c.filters, c.kernel * (c.filters if stage else 1 + orders))
            self.weight(name + "convolution.bias", c.channels, c.filters)
            self.weight(name + "norm.weight", c.channels, c.filters, mean=1.0, scale=0.2)
            self.weight(name + "norm.bias", c.channels, c.filters)
            self.norm_of(name + "norm")
        for branch, groups in (("temporal", [c.channels] * c.sensor_weights), ("spatial", [self.steps] * c.step_weights)):
            self.weight(branch + ".qkv.weight", *groups, 3 * inner, c.width)
            self.weight(branch + ".qkv.bias", *groups, 3 * inner)
            self.weight(branch + ".out.weight", *groups, c.width, inner)
            self.weight(branch + ".out.bias", *groups, c.width)
            self.norm(branch + ".norm", c.width)
        self.affine("feed_forward.first", c.feed_forward, c.width)
        self.affine("feed_forward.second", c.width, c.feed_forward)
        self.norm("feed_forward.norm", c.width)
        self.affine("head.hidden", c.head_hidden, c.channels * c.width)
        self.affine("head.out", 1 if c.classes == 2 else c.classes, c.head_hidden)

    def sensor(self, number, x):
        """x [B * S, 1 or with differences more, segment], the segments of one sensor -> [B * S, d]."""
        c, h = self.c, x
        for stage in range(c.stages):
            own = {key: self.p[f"sensors.{stage}.{key}"][number]
                   for key in ("convolution.weight", "convolution.bias", "norm.weight", "norm.bias")}
            kernel = own["convolution.weight"].reshape(c.filters, c.kernel, -1).transpose(1, 2)  # ours is [out, tap, in]
            h = F.max_pool1d(F.relu(F.conv1d(h, kernel, own["convolution.bias"], padding=c.kernel // 2)), 2)
            h = F.batch_norm(h, None, None, own["norm.weight"], own["norm.bias"], training=True)
        return h.transpose(1, 2).reshape(len(x), -1)  # ours has the filters side by side

    def branch(self, name, number, h, t, allowed):
        """Attention of one sensor or step, its residual and norm: h [B, N, d]."""
        own = {key: self.p[f"{name}.{key}"] for key in ("qkv.weight", "qkv.bias", "out.weight", "out.bias")}
        if own["qkv.weight"].dim() == 3:
            own = {key: value[number] for key, value in own.items()}
        kept, encoding = dict(self.p), self.encoding
        self.p.update({"layers.0.attention.qkv." + key: own["qkv." + key] for key in ("weight", "bias")})
        self.encoding, self.signal = encoding if name == "temporal" else Statement(), h
        attended = F.linear(self.attend(0, h, t, allowed), own["out.weight"], own["out.bias"])
        self.p, self.encoding = kept, encoding
        return self.normalize(name + ".norm", h + attended)

    def logits(self, x, valid, times):
        c = self.c
        behind = self.steps * c.segment - c.length
        allowed = F.pad(valid, (0, behind)).reshape(len(x), self.steps, c.segment).any(-1)
        t = torch.arange(self.steps, dtype=D64) if times is None else times[:, ::c.segment]
        x, there = F.pad(x * valid[..., None], (0, 0, 0, behind)), F.pad(valid, (0, behind))
        h = []
        for s in range(c.channels):
            gain, offset = (self.p[f"differences.{key}"][s] if "differences.weight" in self.p else None for key in ("weight", "bias"))
            own = with_differences(x[:, :, s:s + 1], there, getattr(c, "differences", 0), gain, offset)
            own = own.reshape(len(x) * self.steps, c.segment, -1).transpose(1, 2)
            h.append(self.sensor(s, own).reshape(len(x), self.steps, -1))
        h = torch.stack(h, 1)
        codes = self.encoding.codes(self, t)
        if codes is not None:
            h = h + (codes if codes.dim() == 2 else codes[:, None])
        elif (codes := self.encoding.codes_of(self, h.flatten(0, 1), allowed.repeat_interleave(c.channels, 0))) is not None:
            h = h + codes.reshape(h.shape)
        when = torch.stack([self.branch("temporal", s, h[:, s], t, allowed) for s in range(c.channels)], 1)
        everywhere = torch.ones(len(x), c.channels, dtype=torch.bool)
        where = torch.stack([self.branch("spatial", s, h[:, :, s], t, everywhere) for s in range(self.steps)], 2)
        z = when + where
        z = self.normalize("feed_forward.norm", z + self.apply("feed_forward.second", F.relu(self.apply("feed_forward.first", z))))
        weights = allowed.double() / allowed.sum(1, keepdim=True)
        means = (weights[:, None, :, None] * z).sum(2)
        return self.apply("head.out", F.relu(self.apply("head.hidden", means.reshape(len(x), -1))))


def write_case(folder, name, **options):
    model = (SpatioTemporal if options.get("form") == "dfstrans" else Model)(**options)
    c, batch = model.c, 2
    x = rounded(batch, c.length, c.channels)
    valid = torch.ones(batch, c.length, dtype=torch.bool)
    valid[1, c.length - 2:] = False  # one step, or more, is padding
    times = None
    if c.positions == "time":  # uneven; the padded end repeats the last time that is there
        times = torch.cumsum(torch.rand(batch, c.length, dtype=D64).mul(1.5).add(0.1).float().double(), 1).float().double()
        times[1, c.length - 2:] = times[1, c.length - 3]
    out = model.logits(x, valid, times)
    mixer = rounded(*out.shape)
    (out * mixer).sum().backward()
    tensors = {"x": x, "valid": valid.double(), "mixer": mixer}
    if times is not None:
        tensors["times"] = times
    tensors.update({"weight:" + key: value for key, value in model.p.items()})
    lines = ["config " + " ".join(f"{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in vars(c).items())]
    for key, value in tensors.items():
        lines.append(tensor_line(key, value, "{:.9g}"))
    lines.append(tensor_line("out", out, "{:.16g}"))
    for key, value in model.p.items():
        if value.grad is not None:  # statistics have none
            lines.append(tensor_line("gradient:" + key, value.grad, "{:.13g}"))
    (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")


def tensor_line(name, value, form):
    return " ".join([name, *map(str, value.shape), ":", *map(form.format, value.detach().reshape(-1).tolist())])


DFSTRANS = dict(form="dfstrans", sensor_weights=False, step_weights=False, length=26, segment=9, filters=4, stages=2, activation="relu", head_hidden=5,
                classes=2)
OLD = ("none", "sinusoidal", "dft", "learned", "learned-frequency", "mtan", "time2vec", "tape", "rope", "alibi", "onehot", "rotation",
       "shaw", "t5", "tupe", "kerple", "erpe")
CASES = {  # drawn one after the other: their order is part of the seed
    **{name: dict(encoding=name, **statements()[name].CASE) for name in OLD},
    "mtan_attention": dict(encoding="mtan", mtan="attention", layers=2),
    "rope_halves_token": dict(encoding="rope", pairing="halves", pooling="token"),
    "tupe_relative_token": dict(encoding="tupe", tupe_relative=True, pooling="token"),
    "alibi_token": dict(encoding="alibi", pooling="token", heads=4),
    "erpe_token": dict(encoding="erpe", pooling="token"),
    "dft_period_attention": dict(encoding="dft", length=9, period=9, pooling="attention", block="pre"),
    "paper": dict(encoding="dft", block="bare", head_width=8),
    "segments": dict(encoding="dft", length=7, segment=2, filters=4, activation="relu", classes=2),
    "sinusoidal_times": dict(encoding="sinusoidal", positions="time", segment=2, length=7),
    "dft_times": dict(encoding="dft", positions="time", period=12),
    "learned-frequency_times": dict(encoding="learned-frequency", positions="time"),
    "mtan_times": dict(encoding="mtan", mtan="attention", positions="time"),
    "rope_times_token": dict(encoding="rope", positions="time", pooling="token"),
    "dfstrans": dict(DFSTRANS, encoding="dft"),
    "dfstrans_published": dict(DFSTRANS, encoding="sinusoidal", sensor_weights=True, step_weights=True),
    "dfstrans_rope": dict(DFSTRANS, encoding="rope", step_weights=True, segment=7, length=27, stages=1, width=12, filters=4),
    "dfstrans_shaw": dict(DFSTRANS, encoding="shaw", sensor_weights=True, classes=3),
    "dfstrans_times": dict(DFSTRANS, encoding="sinusoidal", positions="time"),
    "differences": dict(encoding="dft", length=7, segment=2, filters=4, differences=2),
    "dfstrans_differences": dict(DFSTRANS, encoding="dft", differences=1),
    "standard": dict(encoding="dft", length=13, segment=2, filters=3, branches=3, blocks=2, differences=1, block="pre"),
    "standard_average": dict(encoding="erpe", length=13, average=3, segment=2, filters=2, kernel=1, branches=2, blocks=1, classes=2),
    "standard_times": dict(encoding="sinusoidal", positions="time", length=9, average=2, filters=2, branches=1, blocks=0),
    "standard_bottleneck": dict(encoding="none", channels=5, length=9, filters=2, branches=2, blocks=1, differences=1, bottleneck=3),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--encoding", help="only the cases of this one, without those of CASES")
    options = parser.parse_args()
    torch.set_num_threads(1)
    options.folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(options.seed)
    for name, case in CASES.items() if options.encoding is None else ():
        write_case(options.folder, name, **case)
    for encoding, statement in statements().items():  # a seed for each, so that a new one changes no other
        if options.encoding not in (None, encoding):
            continue
        torch.manual_seed(options.seed)
        plain = {} if encoding in OLD else {encoding: statement.CASE}
        for name, case in {**plain, **statement.CASES}.items():
            write_case(options.folder, name, **{"encoding": encoding, **case})


if __name__ == "__main__":
    main()
