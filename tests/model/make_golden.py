#!/usr/bin/env python3
"""Writes what PyTorch computes for whole classifiers, one case for every encoding and more, for tests/model/conformance_test.cpp.

    make_golden.py FOLDER [--seed N]

The model is stated here plainly, in float64, from the definitions (docs/encodings.md, docs/model.md). One text file per case: a line
`config field=value ...`, then one tensor per line: `name size size ... : number number ...`. Weights and inputs are rounded to float32, so
that a model in float starts from the same. The files in tests/model/golden were made with seed 1; tests/model/live_conformance.py compares
with fresh numbers.
"""
import argparse
import math
import pathlib

import torch
import torch.nn.functional as F

D64 = torch.float64
DEFAULTS = dict(channels=3, length=6, classes=3, filters=0, kernel=3, segment=1, width=8, heads=2, head_width=0, layers=1, feed_forward=4,
                block="post", activation="gelu", dropout=0, pooling="mean", encoding="none", scale="as-defined", period=0, rho=10000,
                clip=2, time_dim=3, mtan="concat", tupe_relative=False, pairing="interleaved", positions="index", time_step=1)


def rounded(*sizes, scale=1.0):
    return (scale * torch.randn(*sizes, dtype=D64)).float().double()


# --- Codes: [.., S, width] at positions t [.., S]. ---

def sinusoidal(t, d, rho=1e4, stretch=1.0):
    code = torch.zeros(*t.shape, d, dtype=D64)
    for c in range(d):
        angle = t * stretch * rho ** (-2 * (c // 2) / d)
        code[..., c] = torch.sin(angle) if c % 2 == 0 else torch.cos(angle)
    return code


def dft(t, d, period):
    n, modes = period or d, (d - 1) // 2
    w = 2 * math.pi / n
    rows = [torch.full(t.shape, 1 / math.sqrt(n), dtype=D64)]
    rows += [math.sqrt(2 / n) * torch.cos(w * k * t) for k in range(1, modes + 1)]
    rows += [math.sqrt(2 / n) * torch.sin(w * k * t) for k in range(1, modes + 1)]
    if d % 2 == 0:
        rows.append(math.sqrt((1 if n == d else 2) / n) * torch.cos(w * (d // 2) * t))
    return math.sqrt(n / d) * torch.stack(rows, -1)


def learned_frequency(t, w, b):
    return torch.cos(t[..., None] * w + b) / math.sqrt(len(w))


def time_features(t, w, b):
    """[w0 t + b0 | sin(w t + b)] with t brought to [0, 1]."""
    low, high = t.min(-1, keepdim=True).values, t.max(-1, keepdim=True).values
    angle = ((t - low) / (high - low))[..., None] * w + b
    return torch.cat([angle[..., :1], torch.sin(angle[..., 1:])], -1)


def haar():
    table = torch.tensor([[float(v) for v in line.split(",")] for line in HAAR.read_text().splitlines()], dtype=D64)
    assert torch.allclose(table @ table.T, torch.eye(len(table), dtype=D64), atol=1e-12)
    return table


HAAR = pathlib.Path(__file__).with_name("golden") / "haar_table.csv"  # `faithful encode haar --length 6 --dim 8 --seed 1`: no formula gives it


# --- Terms of attention. i: query, j: key; offsets [S, S] = j - i. ---

def rotate(x, t, rho, halves):
    """x [B, H, S, d_h], t [.., S]."""
    pairs = x.shape[-1] // 2
    angle = t[..., None] * rho ** (-torch.arange(pairs, dtype=D64) / pairs)
    angle = angle[:, None] if angle.dim() == 3 else angle
    c, s = torch.cos(angle), torch.sin(angle)
    if halves:
        a, b = x[..., :pairs], x[..., pairs:]
        return torch.cat([a * c - b * s, a * s + b * c], -1)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * c - b * s, a * s + b * c], -1).reshape(x.shape)


def t5_bias(table, offsets):
    starts = list(range(8)) + [8, 12, 16, 23, 32, 46, 64, 91]
    bucket = torch.zeros_like(offsets)
    for number, start in enumerate(starts):
        bucket[offsets.abs() >= start] = number
    return table[bucket + 16 * (offsets > 0)].permute(2, 0, 1)


def alibi_bias(heads, offsets):
    assert heads & (heads - 1) == 0
    slopes = torch.tensor([2.0 ** (-8 * (h + 1) / heads) for h in range(heads)], dtype=D64)
    return -slopes[:, None, None] * offsets.abs()


def kerple_bias(log_rates, offsets):
    r1, r2 = log_rates.exp()[:, :, None, None]
    return -r1 * torch.log(1 + r2 * offsets.abs())


def tupe_bias(p, uq, uk, theta, heads, width, token):
    """The position term, already divided by sqrt(2 d_h)."""
    normed = F.layer_norm(p, p.shape[-1:])
    q, k = ((normed @ u.T).reshape(len(p), heads, width).transpose(0, 1) for u in (uq, uk))
    inner = q @ k.transpose(1, 2) / math.sqrt(2 * width)
    if not token:
        return inner
    to_token = theta[1][:, None, None].expand(heads, len(p), 1)
    from_token = theta[0][:, None, None].expand(heads, 1, len(p) + 1)
    return torch.cat([from_token, torch.cat([to_token, inner], 2)], 1)


def difference(x, valid, order):
    """Along time, x [R, T, W]: zero where one of the samples t - order .. t is missing."""
    out = torch.zeros_like(x)
    for t in range(order, x.shape[1]):
        there = valid[:, t - order:t + 1].all(1)[:, None]
        terms = sum((-1) ** k * math.comb(order, k) * x[:, t - k] for k in range(order + 1))
        out[:, t] = torch.where(there, terms, torch.zeros_like(terms))
    return out


def with_differences(x, valid, orders, gain, offset):
    """x [R, T, W] -> [R, T, (1 + orders) W]: the differences with the batch's mean and variance."""
    if orders == 0:
        return x
    d = torch.cat([difference(x, valid, n + 1) for n in range(orders)], -1)
    d = F.batch_norm(d.transpose(1, 2), None, None, gain, offset, training=True).transpose(1, 2)
    return torch.cat([x, d], -1)


class Model:
    def __init__(self, **options):
        self.c = argparse.Namespace(**{**DEFAULTS, **options})
        c = self.c
        self.steps = -(-c.length // c.segment)
        self.token = c.pooling == "token"
        self.head_width = c.head_width or c.width // c.heads
        self.by_time = c.encoding == "mtan" and c.mtan == "attention"
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

    def declare_differences(self, *sizes):
        self.weight("differences.weight", *sizes, mean=1.0, scale=0.2)
        self.weight("differences.bias", *sizes)
        self.weight("differences.mean", *sizes, scale=0.1)  # statistics that the batch's replace; they have no gradient
        self.weight("differences.variance", *sizes, mean=1.0, scale=0.1)

    def declare(self):
        c, rows, inner = self.c, self.steps + self.token, self.c.heads * self.head_width
        orders = getattr(c, "differences", 0)
        if orders:
            self.declare_differences(orders * c.channels)
        features = {"learned-frequency": c.width, "mtan": c.time_dim, "time2vec": c.time_dim}.get(c.encoding, 0)
        if features:
            self.weight("encoding.frequencies", features, scale=1.0)
            self.weight("encoding.phases", features)
        if c.encoding == "learned":
            self.weight("encoding.table", self.steps, c.width)
        if c.encoding == "t5" or c.tupe_relative:
            self.weight("encoding.buckets", 32, c.heads)
        if c.encoding == "tupe":
            self.weight("encoding.positions", self.steps, c.width)
            self.weight("encoding.query.weight", inner, c.width)
            self.weight("encoding.key.weight", inner, c.width)
            if self.token:
                self.weight("encoding.token", 2, c.heads)
        if c.filters:
            self.affine("convolution", c.filters, c.kernel * c.channels * (1 + orders))
        beside = features if c.encoding in ("mtan", "time2vec") and not self.by_time else 0
        self.affine("embedding", c.width, c.segment * (c.filters or c.channels * (1 + orders)) + beside)
        if self.token:
            self.weight("token", 1, c.width)
        width = c.width
        for layer in range(c.layers):
            name = f"layers.{layer}."
            self.affine(name + "attention.qkv", (1 if self.by_time else 3) * inner, width)
            if c.encoding == "shaw":
                self.weight(name + "attention.relative_keys", 2 * c.clip + 1, self.head_width)
                self.weight(name + "attention.relative_values", 2 * c.clip + 1, self.head_width)
            if c.encoding == "kerple":
                self.weight(name + "attention.log_rates", 2, c.heads)
            if c.encoding == "erpe":
                self.weight(name + "attention.offset_weights", c.heads, 2 * rows - 1)
            if self.by_time:
                self.affine(name + "attention.time", 2 * inner, c.time_dim)
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

    def codes(self, t):
        """What is added to the input, or None."""
        c = self.c
        return {"sinusoidal": lambda: sinusoidal(t, c.width, c.rho), "dft": lambda: dft(t, c.width, c.period),
                "tape": lambda: sinusoidal(t, c.width, c.rho, stretch=c.width / self.steps),
                "onehot": lambda: torch.eye(self.steps, c.width, dtype=D64), "haar": haar,
                "learned": lambda: self.p["encoding.table"],
                "learned-frequency": lambda: learned_frequency(t, self.p["encoding.frequencies"], self.p["encoding.phases"]),
                }.get(c.encoding, lambda: None)()

    def attend(self, layer, h, t, allowed):
        """h [B, S, width] -> [B, S, H * d_h]."""
        c, name, width = self.c, f"layers.{layer}.attention.", self.head_width
        batch, rows = h.shape[:2]
        heads_of = lambda x: x.reshape(*x.shape[:2], c.heads, -1).transpose(1, 2)
        projected = self.apply(name + "qkv", h)
        if self.by_time:
            features = time_features(t, self.p["encoding.frequencies"], self.p["encoding.phases"]).expand(batch, rows, -1)
            q, k = map(heads_of, self.apply(name + "time", features).chunk(2, -1))
            v = heads_of(projected)
        else:
            q, k, v = map(heads_of, projected.chunk(3, -1))
        offsets = torch.arange(rows)[None, :] - torch.arange(rows)[:, None]
        if c.encoding == "rope":
            if self.token:
                t = torch.cat([t.min(-1, keepdim=True).values - 1, t], -1)
            q, k = (rotate(x, t, c.rho, c.pairing == "halves") for x in (q, k))
        scores = q @ k.transpose(-1, -2)
        if c.encoding == "shaw":
            clipped = offsets.clamp(-c.clip, c.clip) + c.clip
            scores = scores + torch.einsum("bhid,ijd->bhij", q, self.p[name + "relative_keys"][clipped])
        scores = scores / math.sqrt(width * (2 if c.encoding == "tupe" else 1))
        if c.encoding == "tupe":
            p = self.p
            scores = scores + tupe_bias(p["encoding.positions"], p["encoding.query.weight"], p["encoding.key.weight"],
                                        p.get("encoding.token"), c.heads, width, self.token)
        if c.encoding == "t5" or c.tupe_relative:
            scores = scores + t5_bias(self.p["encoding.buckets"], offsets)
        if c.encoding == "alibi":
            scores = scores + alibi_bias(c.heads, offsets)
        if c.encoding == "kerple":
            scores = scores + kerple_bias(self.p[name + "log_rates"], offsets)
        weights = torch.softmax(scores.masked_fill(~allowed[:, None, None, :], -math.inf), -1)
        if c.encoding == "erpe":
            weights = weights + self.p[name + "offset_weights"][:, offsets + rows - 1] * allowed[:, None, None, :]
        out = weights @ v
        if c.encoding == "shaw":
            out = out + torch.einsum("bhij,ijd->bhid", weights, self.p[name + "relative_values"][clipped])
        return out.transpose(1, 2).reshape(batch, rows, -1)

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
        c, behind = self.c, self.steps * self.c.segment - self.c.length
        x = with_differences(F.pad(x, (0, 0, 0, behind)), F.pad(valid, (0, behind)), getattr(c, "differences", 0),
                             self.p.get("differences.weight"), self.p.get("differences.bias"))
        if c.filters:
            kernel = self.p["convolution.weight"].reshape(c.filters, c.kernel, -1).transpose(1, 2)  # ours is [out, tap, channel]
            x = F.gelu(F.conv1d(x.transpose(1, 2), kernel, self.p["convolution.bias"], padding=c.kernel // 2)).transpose(1, 2)
        x = x.reshape(len(x), self.steps, -1)
        if c.encoding in ("mtan", "time2vec") and not self.by_time:
            features = time_features(t, self.p["encoding.frequencies"], self.p["encoding.phases"])
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
        allowed = F.pad(valid, (0, self.steps * c.segment - c.length)).reshape(len(x), self.steps, c.segment).any(-1)
        t = torch.arange(self.steps, dtype=D64) if times is None else times[:, ::c.segment]
        h = self.embed(x * valid[..., None], valid, t)
        codes = self.codes(t)
        h = h if codes is None else h + codes
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
        if c.encoding == "shaw":
            self.weight("layers.0.attention.relative_keys", 2 * c.clip + 1, self.head_width)
            self.weight("layers.0.attention.relative_values", 2 * c.clip + 1, self.head_width)
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
        kept, encoding = dict(self.p), self.c.encoding
        self.p.update({"layers.0.attention.qkv." + key: own["qkv." + key] for key in ("weight", "bias")})
        self.c.encoding = encoding if name == "temporal" else "none"
        attended = F.linear(self.attend(0, h, t, allowed), own["out.weight"], own["out.bias"])
        self.p, self.c.encoding = kept, encoding
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
        codes = self.codes(t)
        if codes is not None:
            h = h + (codes if codes.dim() == 2 else codes[:, None])
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
CASES = {
    **{name: dict(encoding=name) for name in ("none", "sinusoidal", "dft", "learned", "learned-frequency", "mtan", "time2vec", "tape",
                                              "rope", "alibi", "onehot", "haar")},
    **{name: dict(encoding=name, layers=2) for name in ("shaw", "t5", "tupe", "kerple", "erpe")},
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
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, case in CASES.items():
        write_case(options.folder, name, **case)


if __name__ == "__main__":
    main()
