"""What the networks of trained models are made of: modules that hold arrays of a model file."""
from __future__ import annotations

from typing import NamedTuple, Optional

import torch
from torch import Tensor, nn
from torch.nn import functional


class Windows(NamedTuple):
    """What a network gets: windows, scaled and filled to their full length."""

    values: Tensor  # [B, length, C]; 0 where there is no sample
    valid: Tensor  # [B, length]: where a sample is
    times: Optional[Tensor]  # [B, length]: nanoseconds from the first sample on; None: not needed


class Arrays:
    """The arrays of one network, by name, as tensors and as modules."""

    def __init__(self, arrays, dtype, prefix="", taken=None):
        self.arrays, self.dtype = arrays, dtype
        self.shared = {}  # parameters that several layers have
        self.prefix, self.taken = prefix, set() if taken is None else taken  # names in the file of those that some module has

    def under(self, prefix):
        """Those whose names begin with it, without it."""
        found = {name[len(prefix):]: array for name, array in self.arrays.items() if name.startswith(prefix)}
        return Arrays(found, self.dtype, self.prefix + prefix, self.taken)

    def __contains__(self, name):
        return name in self.arrays

    def tensor(self, name):
        """A copy."""
        self.taken.add(self.prefix + name)
        return torch.tensor(self.arrays[name], dtype=self.dtype)

    def parameter(self, name, change=None):
        """change: what makes the parameter of the array"""
        tensor = self.tensor(name)
        return nn.Parameter((tensor if change is None else change(tensor)).contiguous())

    def once(self, name, change=None):
        """The same parameter in every call."""
        if name not in self.shared:
            self.shared[name] = self.parameter(name, change)
        return self.shared[name]

    def filled(self, module, name, change=None):
        """The module with `weight` and, where it has one, `bias` of this name."""
        module.weight = self.parameter(name + ".weight", change)
        if name + ".bias" in self:
            module.bias = self.parameter(name + ".bias", torch.flatten)
        return module

    def made(self, kind, name, *sizes, change=None, **options):
        return self.filled(kind(*sizes, dtype=self.dtype, **options), name, change)

    def affine(self, name):
        weight = self.arrays[name + ".weight"]
        if weight.ndim == 3:
            return Grouped(self, name)
        return self.made(nn.Linear, name, weight.shape[1], weight.shape[0], bias=name + ".bias" in self)

    def layer_norm(self, name):
        return self.made(nn.LayerNorm, name, len(self.arrays[name + ".weight"]))

    def convolution(self, name, columns):
        """Of samples [B, columns, T], as long as they are. The file has a block of columns for each of the K samples."""
        filters, size = self.arrays[name + ".weight"].shape
        taps = size // columns
        return self.made(nn.Conv1d, name, columns, filters, taps, padding=taps // 2, bias=name + ".bias" in self,
                         change=lambda weight: weight.view(filters, taps, columns).transpose(1, 2))

    def depthwise(self, name, dilation):
        taps, columns = self.arrays[name + ".weight"].shape
        return self.made(nn.Conv1d, name, columns, columns, taps, padding=taps // 2 * dilation, dilation=dilation, groups=columns,
                         bias=False, change=lambda weight: weight.t().unsqueeze(1))


class Grouped(nn.Module):
    """An affine map for each group: x [.., G, N, in] -> [.., G, N, out]."""

    def __init__(self, arrays, name):
        super().__init__()
        self.weight = arrays.parameter(name + ".weight")  # [G, out, in]
        self.bias = arrays.parameter(name + ".bias")  # [G, out]

    def forward(self, x):
        return torch.matmul(x, self.weight.transpose(-2, -1)) + self.bias.unsqueeze(-2)


class BatchNorm(nn.Module):
    """Over the valid rows of x [B, .., T, W], zeros at the others. Columns are those of [W], or of [C, 1, W]: each sensor's."""

    MOMENTUM = 0.1

    def __init__(self, arrays, name):
        super().__init__()
        def columns(values):
            return values if values.dim() == 1 else values.unsqueeze(1)
        learned = name + ".weight" in arrays
        self.weight, self.bias = (arrays.parameter(name + end, columns) if learned else None for end in (".weight", ".bias"))
        self.register_buffer("mean", columns(arrays.tensor(name + ".mean")))
        self.register_buffer("variance", columns(arrays.tensor(name + ".variance")))

    def forward(self, x, valid):
        """valid: [B, .., T, 1]"""
        mean, variance = self.of_batch(x, valid) if self.training else (self.mean, self.variance)
        x = (x - mean) / torch.sqrt(variance + 1e-5)
        if self.weight is not None:
            x = x * self.weight + self.bias
        return x * valid

    def of_batch(self, x, valid):
        over = [axis for axis in range(x.dim() - 1) if self.mean.dim() == 1 or axis != x.dim() - 3]
        count = valid.sum()
        mean = ((x * valid).sum(over, keepdim=True) / count).view(self.mean.shape)
        variance = (((x - mean) ** 2 * valid).sum(over, keepdim=True) / count).view(self.mean.shape)
        with torch.no_grad():
            self.mean += self.MOMENTUM * (mean - self.mean)
            self.variance += self.MOMENTUM * (variance * count / (count - 1).clamp(min=1) - self.variance)
        return mean, variance


class Differences(nn.Module):
    """x [B, .., T, W], with its differences in time beside it: [B, .., T, (1 + orders) W]."""

    def __init__(self, arrays, orders):
        super().__init__()
        self.orders = orders
        if orders:
            self.norm = BatchNorm(arrays, "differences")

    def forward(self, x, valid):
        """valid: [B, .., T, 1]. A difference is 0 where one of its samples is missing, or before the window."""
        if not self.orders:
            return x
        found, order, there = [], x, valid
        for _ in range(self.orders):
            order = order - before(order)
            there = there & before(there)
            found.append(order * there)
        return torch.cat([x, self.norm(torch.cat(found, dim=-1), valid)], dim=-1)


def before(x):
    """Row t is row t - 1 of x [.., T, W]; zeros (or False) come first."""
    return torch.cat([torch.zeros_like(x[..., :1, :]), x[..., :-1, :]], dim=-2)


def along_time(convolution, x):
    """x [B, T, W] -> [B, T, filters]"""
    return convolution(x.transpose(1, 2)).transpose(1, 2)


class Block(nn.Module):
    """x + GELU(norm(pointwise(depthwise(x))))"""

    def __init__(self, arrays, number):
        super().__init__()
        name = f"stem.blocks.{number}."
        self.depthwise = arrays.depthwise(name + "depthwise", 2 ** (number + 1))
        self.pointwise = arrays.affine(name + "pointwise")
        self.norm = BatchNorm(arrays, name + "norm")

    def forward(self, x, valid):
        return x + functional.gelu(self.norm(self.pointwise(along_time(self.depthwise, x)), valid))


class Stem(nn.Module):
    """Many columns are mixed to few; convolutions of several lengths side by side, then residual blocks."""

    def __init__(self, config, arrays, columns):
        super().__init__()
        narrow = config.get("bottleneck", 0)
        self.bottleneck = arrays.affine("stem.bottleneck") if narrow else nn.Identity()
        columns = narrow or columns
        self.branches = nn.ModuleList(arrays.convolution(f"stem.branches.{i}", columns) for i in range(config["branches"]))
        self.norm = BatchNorm(arrays, "stem.norm")
        self.blocks = nn.ModuleList(Block(arrays, i) for i in range(config.get("blocks", 0)))

    def forward(self, x, valid):
        x = self.bottleneck(x)
        x = functional.gelu(self.norm(torch.cat([along_time(one, x) for one in self.branches], dim=-1), valid))
        for block in self.blocks:
            x = block(x, valid)
        return x


def filled_to(x, length):
    """Zeros (or False) after the last sample: x [B, T, ..] -> [B, length, ..]"""
    return functional.pad(x, [0, 0] * (x.dim() - 2) + [0, length - x.shape[1]])


def averaged(x, valid, count):
    """The mean of the valid ones of `count` samples: x [B, T, C] -> [B, T / count, C]; and where there is one"""
    x, valid = x.unflatten(1, (-1, count)), valid.unflatten(1, (-1, count))
    there = valid.sum(-1, keepdim=True)
    return (x * valid.unsqueeze(-1)).sum(2) / there.clamp(min=1), valid.any(-1)
