#!/usr/bin/env python3
"""Writes what PyTorch computes for the engine's operators, for tests/engine/conformance_test.cpp.

    make_golden.py FOLDER [--seed N]

One text file per case, one tensor per line: `name size size ... : number number ...`. PyTorch works in float64; the engine is
compared in float32. The files in tests/engine/golden were made with seed 1. For a comparison with the PyTorch that is
installed, with other numbers each time, see tests/engine/live_conformance.py.
"""
import argparse
import math
import pathlib

import torch
import torch.nn.functional as F


class Case:
    """Collects the tensors of one case and writes them."""

    def __init__(self, name):
        self.name = name
        self.tensors = {}

    def variable(self, name, *sizes, scale=1.0):
        """A random input, whose gradient is compared too. Rounded to float32, so that the engine starts from the same."""
        value = (scale * torch.randn(*sizes, dtype=torch.float64)).float().double().requires_grad_()
        self.tensors[name] = value
        return value

    def constant(self, name, value):
        self.tensors[name] = torch.as_tensor(value, dtype=torch.float64)
        return self.tensors[name]

    def finish(self, out):
        """Gradients of a random mixture of the outputs."""
        mixer = self.constant("mixer", torch.randn(out.shape, dtype=torch.float64).float().double())
        (out * mixer).sum().backward()
        self.tensors["out"] = out
        for name, value in list(self.tensors.items()):
            if value.requires_grad and value.is_leaf:
                self.tensors["grad." + name] = value.grad
        return self

    def write(self, folder):
        lines = []
        for name, value in self.tensors.items():
            numbers = " ".join(f"{v:.9g}" for v in value.detach().reshape(-1).tolist())
            lines.append(" ".join([name, *map(str, value.shape), ":", numbers]))
        (folder / f"{self.name}.txt").write_text("\n".join(lines) + "\n")


def linear_case(name, activation):
    case = Case(name)
    x, w, b = case.variable("x", 2, 3, 5), case.variable("weight", 7, 5), case.variable("bias", 7)
    return case.finish(activation(F.linear(x, w, b)))


def layer_norm_case():
    case = Case("layer_norm")
    x, r = case.variable("x", 4, 9), case.variable("residual", 4, 9)
    gain, offset = case.variable("gain", 9), case.variable("offset", 9)
    return case.finish(F.layer_norm(x + r, (9,), gain, offset))


def batch_norm_case():
    case = Case("batch_norm")
    x, gain, offset = case.variable("x", 6, 4), case.variable("gain", 4), case.variable("offset", 4)
    mean, variance = torch.zeros(4, dtype=torch.float64), torch.ones(4, dtype=torch.float64)
    case.finish(F.batch_norm(x, mean, variance, gain, offset, training=True, momentum=1.0))
    case.constant("mean", mean)  # momentum 1: the statistics of this batch
    case.constant("variance", variance)
    return case


def convolution_case():
    case = Case("convolution")
    x, w, b = case.variable("x", 2, 9, 3), case.variable("weight", 4, 3 * 3), case.variable("bias", 4)
    kernel = w.reshape(4, 3, 3).permute(0, 2, 1)  # ours is [out, tap, channel]
    y = F.conv1d(x.transpose(1, 2), kernel, b, stride=2, padding=3, dilation=2)
    return case.finish(y.transpose(1, 2))


def convolution_per_sensor_case():
    case = Case("convolution_per_sensor")
    x, w, b = case.variable("x", 2, 3, 8, 1), case.variable("weight", 3, 4, 5), case.variable("bias", 3, 4)
    y = F.conv1d(x[..., 0], w.reshape(12, 1, 5), b.reshape(12), padding=2, groups=3)  # [B, G * out, S]
    return case.finish(y.reshape(2, 3, 4, 8).transpose(2, 3))


def pool_case():
    case = Case("max_pool_windows")
    x = case.variable("x", 2, 7, 3)
    return case.finish(F.max_pool1d(x.transpose(1, 2), 3, 2).transpose(1, 2))


def mean_pool_case():
    case = Case("mean_pool")
    x = case.variable("x", 2, 4, 3)
    valid = case.constant("valid", [[1, 1, 0, 1], [0, 1, 0, 0]])
    return case.finish((x * valid[..., None]).sum(1) / valid.sum(1, keepdim=True))


def multihead_case():
    """torch.nn.MultiheadAttention itself, with padding."""
    case = Case("multihead_attention")
    module = torch.nn.MultiheadAttention(6, 3, batch_first=True).double()
    x = case.variable("x", 2, 5, 6)
    weights = {"in_weight": module.in_proj_weight, "in_bias": module.in_proj_bias,
               "out_weight": module.out_proj.weight, "out_bias": module.out_proj.bias}
    for name, parameter in weights.items():
        with torch.no_grad():
            parameter.copy_(torch.randn(parameter.shape).double())
        case.tensors[name] = parameter
    valid = case.constant("valid", [[1, 1, 1, 1, 0], [1, 0, 1, 1, 1]])
    return case.finish(module(x, x, x, key_padding_mask=valid == 0, need_weights=False)[0])


def attention_case(name, terms):
    """Attention with position terms, from its definition."""
    batch, positions, heads, key_width, value_width, clip = 2, 6, 2, 4, 3, 2
    case = Case("attention_" + name)
    q = case.variable("query", batch, positions, heads * key_width)
    k = case.variable("key", batch, positions, heads * key_width)
    v = case.variable("value", batch, positions, heads * value_width)
    q, k = (t.reshape(batch, positions, heads, key_width).transpose(1, 2) for t in (q, k))
    v = v.reshape(batch, positions, heads, value_width).transpose(1, 2)
    offsets = torch.arange(positions)[None, :] - torch.arange(positions)[:, None]  # j - i
    clipped = offsets.clamp(-clip, clip) + clip
    if "angles" in terms:
        angles = case.variable("angles", positions, key_width // 2)
        c, s = torch.cos(angles), torch.sin(angles)

        def rotate(t):
            a, b = t[..., 0::2], t[..., 1::2]
            return torch.stack([a * c - b * s, a * s + b * c], dim=-1).reshape(t.shape)

        q, k = rotate(q), rotate(k)
    scores = q @ k.transpose(-1, -2)
    if "relative" in terms:
        keys = case.variable("relative_keys", 2 * clip + 1, key_width)
        scores = scores + torch.einsum("bhid,ijd->bhij", q, keys[clipped])
    scores = scores / math.sqrt(key_width)
    if "bias" in terms:
        scores = scores + case.variable("offset_bias", heads, 2 * positions - 1)[:, offsets + positions - 1]
    allowed = torch.ones(batch, positions)
    if "mask" in terms:
        allowed[0, 5] = allowed[1, 0] = 0
        case.constant("valid", allowed)
        scores = scores.masked_fill(allowed[:, None, None, :] == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if "weights" in terms:
        table = case.variable("offset_weights", heads, 2 * positions - 1)
        weights = weights + table[:, offsets + positions - 1] * allowed[:, None, None, :]
    out = weights @ v
    if "relative" in terms:
        values = case.variable("relative_values", 2 * clip + 1, value_width)
        out = out + torch.einsum("bhij,ijd->bhid", weights, values[clipped])
    return case.finish(out.transpose(1, 2).reshape(batch, positions, heads * value_width))


def cross_entropy_case():
    case = Case("cross_entropy")
    z = case.variable("logits", 5, 3, scale=3.0)
    labels = case.constant("labels", [0, 2, 1, 2, 0])
    weights = case.constant("class_weights", [0.5, 2.0, 1.25])
    return case.finish(F.cross_entropy(z, labels.long(), weight=weights).reshape(1))


def binary_cross_entropy_case():
    case = Case("binary_cross_entropy")
    z = case.variable("logits", 5, scale=3.0)
    targets = case.constant("targets", [0, 1, 1, 0, 0.25])
    weight = case.constant("positive_weight", [2.5])
    return case.finish(F.binary_cross_entropy_with_logits(z, targets, pos_weight=weight).reshape(1))


def smoothed_cross_entropy_case():
    case = Case("smoothed_cross_entropy")
    z = case.variable("logits", 5, 3, scale=3.0)
    labels = case.constant("labels", [0, 2, 1, 2, 0])
    weights = case.constant("class_weights", [0.5, 2.0, 1.25])
    return case.finish(F.cross_entropy(z, labels.long(), weight=weights, label_smoothing=0.1, reduction="sum").reshape(1))


def depthwise_case():
    case = Case("depthwise_convolution")
    x = case.variable("x", 2, 9, 3)
    weight = case.variable("weight", 5, 3)
    y = F.conv1d(x.transpose(1, 2), weight.T[:, None], padding=4, dilation=2, groups=3)
    return case.finish(y.transpose(1, 2))


def masked_batch_norm_case():
    """Statistics of the valid rows alone, then GELU; zeros at the others."""
    case = Case("masked_batch_norm")
    x, gain, offset = case.variable("x", 2, 5, 4), case.variable("gain", 4), case.variable("offset", 4)
    valid = case.constant("valid", [[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]]) == 1
    y = F.gelu(F.batch_norm(x[valid], None, None, gain, offset, training=True))
    return case.finish(torch.zeros_like(x).masked_scatter(valid[..., None].expand_as(x), y))


class Model(torch.nn.Module):
    """The reference model of tests/engine/reference_model.h."""

    def __init__(self, channels, width, heads, layers, classes):
        super().__init__()
        self.input = torch.nn.Linear(channels, width)
        self.layers = torch.nn.ModuleList(
            torch.nn.TransformerEncoderLayer(width, heads, 4 * width, dropout=0.0, activation="gelu", batch_first=True)
            for _ in range(layers))
        self.output = torch.nn.Linear(width, classes)

    def forward(self, x):
        h = self.input(x)
        for layer in self.layers:
            h = layer(h)
        return self.output(h.mean(1))


def engine_name(name):
    """PyTorch's name of a parameter -> ours."""
    return name.replace("self_attn.", "").replace("in_proj_", "in_proj.")


def model_case():
    """Loss and every gradient, then 20 steps of AdamW."""
    steps = 20
    case = Case("model")
    case.constant("config", [3, 8, 2, 2, 7, 3])  # channels, width, heads, layers, positions, classes
    model = Model(3, 8, 2, 2, 3).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
            parameter.copy_(parameter.float().double())
    x = case.constant("x", torch.randn(5, 7, 3).double())
    labels = case.constant("labels", [0, 1, 2, 1, 0]).long()
    for name, parameter in model.named_parameters():
        case.constant("before." + engine_name(name), parameter.detach().clone())
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01)
    losses = []
    for step in range(steps):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), labels)
        loss.backward()
        losses.append(loss.item())
        if step == 0:
            for name, parameter in model.named_parameters():
                case.constant("grad." + engine_name(name), parameter.grad.clone())
        optimizer.step()
    case.constant("losses", losses)
    for name, parameter in model.named_parameters():
        case.constant("after." + engine_name(name), parameter.detach().clone())
    return case


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    options.folder.mkdir(parents=True, exist_ok=True)
    cases = [
        linear_case("linear", lambda y: y), linear_case("linear_gelu", F.gelu), linear_case("linear_relu", F.relu),
        layer_norm_case(), batch_norm_case(), convolution_case(), convolution_per_sensor_case(), pool_case(),
        mean_pool_case(), multihead_case(), attention_case("plain", []), attention_case("rotary", ["angles"]),
        attention_case("shaw", ["relative"]), attention_case("bias", ["bias"]), attention_case("erpe", ["weights"]),
        attention_case("all", ["angles", "relative", "bias", "weights", "mask"]), cross_entropy_case(),
        binary_cross_entropy_case(), model_case(), smoothed_cross_entropy_case(), depthwise_case(), masked_batch_norm_case(),
    ]
    for case in cases:
        case.write(options.folder)


if __name__ == "__main__":
    main()
