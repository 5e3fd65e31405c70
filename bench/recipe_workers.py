"""PyTorch as a peer of the default recipe (preset "standard"): a process that is asked line by line.

    recipe_workers.py torch|compiled FOLDER       requests: train SHAPE THREADS BATCH, where SHAPE is CxTxK

FOLDER/SHAPE.json and .bin hold our weights, an input x and its logits (recipe_serve). The model takes these weights and must give these
logits, with its running statistics, before it is timed. A step is what PyTorch's documentation would have people write: its own modules,
convolutions over [B, C, T], the modules and the forward pass of TransformerEncoderLayer with scaled_dot_product_attention, to which the
weights of erpe are added as a product, AdamW with decay on matrices only (fused where PyTorch has that), gradients clipped.
"""
import sys

import torch
import torch.nn.functional as F

from engine_workers import check, engine_tensors, requests_of_words, say, timed, torch_name

DROPOUT, SMOOTHING, DECAY, CLIP = 0.2, 0.1, 0.01, 1.0


def masked(x, there):
    return x if there is None else x * there


class Block(torch.nn.Module):
    def __init__(self, width, dilation):
        super().__init__()
        self.depthwise = torch.nn.Conv1d(width, width, 5, padding=2 * dilation, dilation=dilation, groups=width, bias=False)
        self.pointwise = torch.nn.Conv1d(width, width, 1, bias=False)
        self.norm = torch.nn.BatchNorm1d(width)

    def forward(self, x, there):
        return x + masked(F.gelu(self.norm(self.pointwise(self.depthwise(x)))), there)


class Layer(torch.nn.TransformerEncoderLayer):
    """With a learned weight of each offset and head added to the attention weights, after the softmax (erpe)."""

    def __init__(self, width, heads, steps):
        super().__init__(width, heads, 4 * width, dropout=DROPOUT, activation="gelu", batch_first=True, norm_first=True)
        self.offset_weights = torch.nn.Parameter(torch.zeros(heads, 2 * steps - 1))
        places = torch.arange(steps)
        self.register_buffer("offsets", places[:, None] - places + steps - 1, persistent=False)

    def attended(self, x):
        heads, own = self.self_attn.num_heads, self.self_attn
        q, k, v = F.linear(x, own.in_proj_weight, own.in_proj_bias).unflatten(-1, (3, heads, -1)).permute(2, 0, 3, 1, 4)
        h = F.scaled_dot_product_attention(q, k, v) + self.offset_weights[:, self.offsets] @ v
        return own.out_proj(h.transpose(1, 2).flatten(2))

    def forward(self, x):
        x = x + self.dropout1(self.attended(self.norm1(x)))
        return x + self._ff_block(self.norm2(x))


class Model(torch.nn.Module):
    """x [B, T, C] -> [B, K]. Means of `average` samples, first differences with a norm, branches, blocks, two samples a step, one layer."""

    def __init__(self, shape, tensors):
        super().__init__()
        channels, length, _ = map(int, shape.split("x"))
        branches = [tensors[f"stem.branches.{i}.weight"].shape for i in range(3)]
        filters, kernels = branches[0][0], [taps // (2 * channels) for _, taps in branches]
        self.steps, width = tensors["position"].shape[-1], tensors["embedding.bias"].shape[0]
        self.average = max(1, (length + 50) // 100)
        self.padding = 2 * self.steps * self.average - length  # in whole rows, for the shapes here
        rows = torch.arange(2 * self.steps) * self.average < length
        self.register_buffer("there", rows.float()[None, None] if self.padding else None, persistent=False)
        self.differences = torch.nn.BatchNorm1d(channels, affine=False)
        self.branches = torch.nn.ModuleList(torch.nn.Conv1d(2 * channels, filters, k, padding=k // 2, bias=False) for k in kernels)
        self.norm = torch.nn.BatchNorm1d(3 * filters)
        self.blocks = torch.nn.ModuleList(Block(3 * filters, dilation) for dilation in (2, 4))
        self.input = torch.nn.Linear(2 * 3 * filters, width)
        self.layers = torch.nn.ModuleList([Layer(width, 4, self.steps)])
        self.last_norm = torch.nn.LayerNorm(width)
        self.output = torch.nn.Linear(width, tensors["head.bias"].shape[0])

    def forward(self, x):
        if self.padding:
            x = F.pad(x, (0, 0, 0, self.padding))
        if self.average > 1:
            x = x.unflatten(1, (-1, self.average)).mean(2)
        x = x.transpose(1, 2)
        x = torch.cat([x, masked(self.differences(F.pad(x[..., 1:] - x[..., :-1], (1, 0))), self.there)], 1)
        h = masked(F.gelu(self.norm(torch.cat([branch(x) for branch in self.branches], 1))), self.there)
        for block in self.blocks:
            h = block(h, self.there)
        h = self.input(h.transpose(1, 2).reshape(len(h), self.steps, -1))
        h = F.dropout(h, DROPOUT, self.training)
        for layer in self.layers:
            h = layer(h)
        return self.output(self.last_norm(h).mean(1))


def states(tensors, columns):
    """Our tensors by the names and in the layouts of the model."""
    for name, value in tensors.items():
        value = torch.from_numpy(value.copy())
        if name in ("x", "logits", "position"):
            continue
        if name.startswith("stem.branches."):  # ours is [out, tap * channels]
            value = value.reshape(len(value), -1, columns).transpose(1, 2)
        elif name.endswith("depthwise.weight"):  # ours is [tap, column]
            value = value.T[:, None]
        elif name.endswith("pointwise.weight"):
            value = value[..., None]
        name = name.removeprefix("stem.")
        if name.startswith("norm.") and len(value) == len(tensors["embedding.bias"]):
            name = "last_" + name
        yield torch_name(name).replace("attention.offset", "offset").replace(".mean", ".running_mean").replace(".variance", ".running_var"), value


def model_of(shape, folder):
    tensors = engine_tensors(folder, shape)
    model = Model(shape, tensors)
    columns = 2 * int(shape.split("x")[0])
    missing, unexpected = model.load_state_dict(dict(states(tensors, columns)), strict=False)
    if unexpected or [name for name in missing if not name.endswith("num_batches_tracked")]:
        sys.exit(f"the weights do not fit: {missing} {unexpected}")
    with torch.no_grad():
        check(f"PyTorch {torch.__version__}", model.eval()(torch.from_numpy(tensors["x"].copy())).numpy(), tensors)
    return model.train()


def step_of(shape, batch, compiled, folder):
    model = model_of(shape, folder)
    matrices = [p for p in model.parameters() if p.dim() > 1]
    vectors = [p for p in model.parameters() if p.dim() <= 1]
    groups = [{"params": matrices, "weight_decay": DECAY}, {"params": vectors, "weight_decay": 0.0}]
    try:
        optimizer = torch.optim.AdamW(groups, lr=1e-3, fused=True)
    except (TypeError, RuntimeError):  # PyTorch 1
        optimizer = torch.optim.AdamW(groups, lr=1e-3)
    channels, length, classes = map(int, shape.split("x"))
    x, labels = torch.randn(batch, length, channels), torch.arange(batch) % classes
    run = torch.compile(model) if compiled else model

    def step():
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(run(x), labels, label_smoothing=SMOOTHING).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()

    return step


def main(kind, folder):
    compiled = kind == "compiled"
    if compiled and not hasattr(torch, "compile"):
        return
    say(name=f"PyTorch {torch.__version__}" + (" compiled" if compiled else ""))
    torch.set_flush_denormal(True)  # as ours does
    steps = {}
    for _, shape, threads, batch in requests_of_words():
        torch.set_num_threads(int(threads))
        key = shape, threads, batch
        if key not in steps:
            steps[key] = step_of(shape, int(batch), compiled, folder)
            timed(steps[key])
        say(ms=timed(steps[key]))


if __name__ == "__main__":
    main(*sys.argv[1:])
