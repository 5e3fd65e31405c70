"""What each encoding can do in PyTorch: the checks behind the table of docs/python.md, one for each column.

    python3 python/tests/torch_support.py          writes the table; needs PyTorch 2.13, onnx, onnxscript and onnxruntime

A check gives the text of its cell. What fails without being refused in words is an AssertionError, and no cell.
"""
import io
import logging
import pathlib
import re
import sys
import warnings

import numpy as np
import torch

import faithful
import faithful.torch as ft
from faithful.torch._attend import logits_of
from faithful.torch._positions import Call
from torch_cases import D, H, NAMES, S, forward, heads_of, inputs, make, move_parameters

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "python.md"
MARK = "<!-- written by python/tests/torch_support.py -->\n"
TIMES = [0.0, 0.5, 1.0, 4.0, 4.5, 5.5, 6.0]
LONG = {"dft": lambda steps: {"period": steps}, "spe": lambda steps: {"spe_realizations": 4}}


def moved(name, dtype=torch.float64, **options):
    """A module whose parameters are not those of its start: zeros would hide what they do."""
    module = make(name, dtype, **options)
    move_parameters(module)
    return module


def enters_input(module):
    return not isinstance(module, ft.InAttention) or isinstance(module, ft.Added)


def coded(module, x, there=None, **positions):
    """What the first layer gets: x with its codes, where the module has any."""
    if isinstance(module, ft.FromSignal):
        return module(x, there)
    return module(x, **positions) if enters_input(module) else x


def attend(module, x, there=None, **more):
    """Self-attention over steps x [B, S, D]. there [B, S]: the steps that a module of the signal may look at."""
    x = coded(module, x, there)
    q = heads_of(x[..., -D:])  # the features of mtan are at the end
    return ft.attention(q, q.flip(-1), q * 2, module if isinstance(module, ft.InAttention) else None, signal=x, **more)


# Numbers of low precision

def position_part(module, steps, dtype):
    """What positions contribute, for the last positions of a window of so many steps."""
    generator = torch.Generator().manual_seed(2)

    def numbers(*shape):  # the same for each dtype, so that only positions differ
        return (0.1 * torch.randn(*shape, generator=generator)).to(torch.bfloat16).to(dtype)
    found = []
    if isinstance(module, ft.FromSignal):
        x = numbers(1, steps, D)
        found.append((module(x) - x)[:, -4:])
    elif enters_input(module):
        x = torch.zeros(1, 4, module.options.get("dim", D), dtype=dtype)
        found.append(module(x, offset=steps - 4))
    if isinstance(module, ft.InAttention):
        q, k = numbers(1, H, 3, D // H), numbers(1, H, steps, D // H)
        places = Call(offset=steps - 3).places(module, q, k)
        signal = numbers(1, 3, D), numbers(1, steps, D)
        found.append(logits_of(q, k, module, places, signal))
        weights = module.weight_bias(places)
        found.extend([] if weights is None else [weights])
    return found


def low_precision(name, dtype, steps):
    dim = steps if name == "onehot" else D  # it has no more positions than its width
    options = {"length": steps, "dim": dim, **LONG.get(name, lambda _: {})(steps)}
    reference = moved(name, **options)
    low = make(name, torch.float32, **options).to(dtype)
    low.load_state_dict(reference.state_dict())
    for key in low.EXACT:
        assert key not in low._parameters or torch.equal(low._parameters[key], reference._parameters[key].float())
    reference.load_state_dict({key: value.double() for key, value in low.state_dict().items()})
    with torch.no_grad():
        for found, wanted in zip(position_part(low, steps, dtype), position_part(reference, steps, torch.float64)):
            assert found.dtype in (dtype, torch.float32)
            error = (found.double() - wanted).abs() / wanted.abs().clamp(min=1)
            # Rounding to the dtype, and angles of float32: 32,768 radians have a last place of 0.004.
            assert error.max() < 2 * torch.finfo(dtype).eps + 0.004, f"{name}: off by {error.max():.3g}"


def in_low_precision(dtype):
    def check(name):
        for steps in (4096, *([] if name == "onehot" else [32768])):  # 32,768 codes of onehot are 8 GiB
            low_precision(name, dtype, steps)
        return "yes"
    return check


# Masks

def hide_last(kind, batch=2):
    """(arguments of attention, there [B, S]): the last two steps of each sample are hidden."""
    there = torch.ones(batch, S, dtype=torch.bool)
    there[:, S - 2:] = False
    seen = there[:, None, None, :].expand(batch, 1, S, S)
    added = torch.zeros(batch, 1, S, S, dtype=torch.float64).masked_fill(~seen, float("-inf"))
    least = torch.zeros(S, S).masked_fill(~seen[0, 0], torch.finfo(torch.float32).min)
    return {"padding": {"padding": there}, "boolean": {"mask": seen}, "additive": {"mask": added}, "least": {"mask": least}}[kind], there


def assert_blind(module, x, hidden, seen_rows, **more):
    """What is hidden changes neither the seen rows nor their gradients, and has gradient 0."""
    def run(x):
        x = x.clone().requires_grad_()
        out = attend(module, x, **more)[..., seen_rows, :]
        weights = torch.linspace(-1, 1, out.numel(), dtype=out.dtype).view_as(out)
        parameters = [p for p in module.parameters()]
        found = torch.autograd.grad((out * weights).sum(), [x, *parameters], allow_unused=True)
        return out.detach(), found[0], [torch.zeros(()) if g is None else g for g in found[1:]]
    other = x.clone()
    other[:, hidden] = torch.randn(other[:, hidden].shape, generator=torch.Generator().manual_seed(4), dtype=x.dtype)
    out, gradient, of_parameters = run(x)
    for a, b in zip((out, gradient, *of_parameters), (lambda o, g, p: (o, g, *p))(*run(other))):
        assert torch.allclose(a, b, rtol=0, atol=1e-10)
    assert not gradient[:, hidden].any() and out.isfinite().all()


def masks(name):
    module, x = moved(name), inputs()
    for kind in ("padding", "boolean", "additive", "least"):
        more, there = hide_last(kind)
        assert_blind(module, x, slice(S - 2, S), slice(0, S - 2), there=there, **more)
    more, there = hide_last("padding")
    garbage = x.masked_fill(~there[..., None], float("nan"))
    found = attend(module, garbage, there, **more)[..., :S - 2, :]
    assert torch.allclose(found, attend(module, x, there, **more)[..., :S - 2, :], rtol=0, atol=1e-12)
    rows_of_none(module, x)
    return "yes"


def rows_of_none(module, x):
    """A row that sees no key is zero, and sends back no gradient."""
    seen = torch.ones(S, S, dtype=torch.bool)
    seen[2] = False
    for mask in (seen, torch.zeros(S, S, dtype=torch.float64).masked_fill(~seen, float("-inf"))):
        x = x.clone().requires_grad_()
        out = attend(module, x, mask=mask)
        assert not out[..., 2, :].any() and out.isfinite().all()
        gradient, = torch.autograd.grad(out.square().sum(), x)
        assert gradient.isfinite().all()
    nothing = torch.zeros(2, S, dtype=torch.bool)
    assert not attend(module, x, nothing, padding=nothing).any()


def causal_mask(name):
    module, x = moved(name), inputs()
    seen = torch.ones(S, S, dtype=torch.bool).tril()
    ways = ({"causal": True}, {"mask": seen}, {"mask": torch.zeros(S, S).masked_fill(~seen, float("-inf"))})
    outs = [attend(module, x, **way) for way in ways]
    assert all(torch.allclose(out, outs[0], rtol=0, atol=1e-12) for out in outs)
    if isinstance(module, ft.FromSignal):
        return "no"  # a code looks at later steps, as its definition wants
    for way in ways:
        for row in (0, 3):
            assert_blind(module, x, slice(row + 1, S), slice(row, row + 1), **way)
    return "yes"


# Positions of a call

def refused(call, words):
    try:
        call()
    except ValueError as problem:
        assert re.search(words, str(problem)), problem
        return True
    return False


def cache(name):
    """Steps one by one, and two by two, with keys of all steps before: the same as all at once."""
    module, x = moved(name), inputs()
    if isinstance(module, ft.FromSignal):
        return "no"
    inside, wanted = module if isinstance(module, ft.InAttention) else None, attend(module, x, causal=True)
    for size in (1, 2):
        steps = []
        for first in range(0, S, size):
            part = coded(module, x[:, first:first + size], offset=first)
            steps.append(part)
            signal = torch.cat(steps, dim=1)
            q, k = heads_of(part[..., -D:]), heads_of(signal[..., -D:])
            for places in ({"offset": first, "key_offset": 0},
                           {"positions": torch.arange(first, first + part.shape[1]), "key_positions": torch.arange(k.shape[-2])}):
                found = ft.attention(q, k.flip(-1), k * 2, inside, signal=(part, signal), causal=True, **places)
                assert torch.allclose(found, wanted[..., first:first + size, :], rtol=0, atol=1e-12)
    return "yes"


def cross(name):
    """More keys than queries, and more queries than keys."""
    module, x = moved(name), inputs()
    inside, x = module if isinstance(module, ft.InAttention) else None, coded(module, inputs())
    q = heads_of(x[..., -D:])
    whole = ft.attention(q, q.flip(-1), q * 2, inside, signal=x)
    few = ft.attention(q[..., 2:5, :], q.flip(-1), q * 2, inside, signal=(x[:, 2:5], x), offset=2)
    assert torch.allclose(few, whole[..., 2:5, :], rtol=0, atol=1e-12)
    seen = torch.arange(S) < 4
    whole = ft.attention(q, q.flip(-1), q * 2, inside, signal=x, mask=seen.expand(S, S))
    few = ft.attention(q, q.flip(-1)[..., :4, :], q[..., :4, :] * 2, inside, signal=(x, x[:, :4]))
    assert torch.allclose(few, whole, rtol=0, atol=1e-12)
    return "yes"


def real_positions(name):
    """Real positions of each call; at construction alone; or none."""
    module, x, at = moved(name), inputs(), torch.tensor(TIMES, dtype=torch.float64)
    entry = faithful.encodings()[name]
    if isinstance(module, (ft.FromSignal, ft.Nothing)):
        return "no"
    q = heads_of(x)

    def both(module, **positions):
        found = [coded(module, x, **positions)] if enters_input(module) else []
        if isinstance(module, ft.InAttention):
            found.append(ft.attention(q, q.flip(-1), q * 2, module, signal=x, **positions))
        return found
    if refused(lambda: both(module, positions=at), "expected whole numbers"):
        return "at construction" if entry.real_positions else "no"
    given = make(name, positions=TIMES)
    given.load_state_dict(module.state_dict())
    for found, wanted in zip(both(module, positions=at.expand(2, -1)), both(given)):
        assert torch.allclose(found, wanted, rtol=0, atol=1e-9)
    assert refused(lambda: both(module, positions=at.bfloat16()), "which rounds them")
    return "yes"


def beyond_length(name):
    """Steps after `length`: by the formula, or an error that says what to do."""
    short, x = make(name, length=4, **({"dywpe_levels": 1} if name == "dywpe" else {})), inputs()
    move_parameters(short)
    if refused(lambda: attend(short, x), "make the module with a greater length"):
        return "no"
    assert torch.allclose(attend(short, x, causal=True)[..., :4, :], attend(short, x[:, :4], causal=True), rtol=0, atol=1e-12) \
        or isinstance(short, ft.FromSignal)
    entry = faithful.encodings()[name]
    if entry.real_positions and enters_input(short) and entry.kind == "additive":
        wanted = faithful.encode(name, 4, D, positions=[3.0, 4.0, 5.0, 6.0], **({"parameters": short.learned()} if entry.learned
                                 and name != "t-pe" else {}))
        np.testing.assert_allclose(short.codes(4, offset=3).detach().numpy(), wanted, rtol=0, atol=1e-12)
    if not {"tape", "tape+erpe", "mtan", "time2vec", "fope"} & {name}:  # what these do depends on `length` itself
        long = make(name, **({"dywpe_levels": 1} if name == "dywpe" else {}))
        long.load_state_dict(short.state_dict(), strict=True)
        assert torch.allclose(attend(short, x), attend(long, x), rtol=0, atol=1e-12)
    return "yes"


# Compilers

class Whole(torch.nn.Module):
    """One pass of each of these encodings: they are compiled or exported together, because each time takes seconds."""

    def __init__(self, *names):
        super().__init__()
        self.positions = torch.nn.ModuleList(make(name, torch.float32) for name in names)

    def forward(self, x):
        return tuple(forward(position, x) for position in self.positions)


def together(run):
    """A check of one encoding that runs all of them, once."""
    found = {}

    def check(name):
        if not found:
            module, x = Whole(*NAMES), inputs(torch.float32)
            found.update(zip(NAMES, run(module, x)))
            found["wanted"] = dict(zip(NAMES, module(x)))
        np.testing.assert_allclose(found[name], found["wanted"][name].detach().numpy(), rtol=0, atol=2e-5)
        return "yes"
    return check


def compiled(module, x):
    torch._dynamo.reset()
    x = x.requires_grad_()
    outs = torch.compile(module, fullgraph=True, backend="aot_eager")(x)
    gradients = [torch.autograd.grad(sum((1 + i) * out.square().sum() for i, out in enumerate(some)), x)[0]
                 for some in (outs, module(x))]
    assert torch.allclose(*gradients, rtol=1e-4)
    return [out.detach().numpy() for out in outs]


def exported(module, x):
    return [out.detach().numpy() for out in torch.export.export(module, (x,)).module()(x)]


def in_onnx(module, x):
    import onnxruntime
    file = io.BytesIO()
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module.eval(), (x,), dynamo=True, verbose=False).save(file)
    session = onnxruntime.InferenceSession(file.getvalue(), providers=["CPUExecutionProvider"])
    return session.run(None, {session.get_inputs()[0].name: x.numpy()})


def traced(name):
    module, x = Whole(name), inputs(torch.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # lengths become constants, and tracing is an older way
        run = torch.jit.trace(module, (x,))
    assert torch.allclose(run(2 * x)[0], module(2 * x)[0], atol=1e-6)
    return "yes"


def scripted(name):
    module, x = make(name, torch.float32), inputs(torch.float32)
    if isinstance(module, ft.InAttention):
        return "no"  # attention asks each module for what it has
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an older way
        try:
            run = torch.jit.script(module)
        except RuntimeError:  # the compiler knows too little Python for it
            return "no"
    assert torch.equal(run(x), module(x)) and torch.equal(run(x[:, :3], offset=2), module(x[:, :3], offset=2))
    return "yes"


CHECKS = {"bfloat16": in_low_precision(torch.bfloat16), "float16": in_low_precision(torch.float16), "masks": masks,
          "causal": causal_mask, "cache": cache, "cross": cross, "real positions": real_positions,
          "beyond length": beyond_length, "compile": together(compiled), "export": together(exported), "ONNX": together(in_onnx), "jit.trace": traced, "jit.script": scripted}


def table():
    lines = ["| encoding | " + " | ".join(CHECKS) + " |", "|---" * (len(CHECKS) + 1) + "|"]
    for name in NAMES:
        lines.append(f"| {name} | " + " | ".join(check(name) for check in CHECKS.values()) + " |")
    return "\n".join(lines) + "\n"


def committed():
    """{(encoding, column): text} of docs/python.md"""
    lines = PAGE.read_text().split(MARK)[1].split("\n\n")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {(row[0], column): cell for row in rows[2:] for column, cell in zip(rows[0][1:], row[1:])}


if __name__ == "__main__":
    before, after = PAGE.read_text().split(MARK)
    PAGE.write_text(before + MARK + table() + "\n" + after.split("\n\n", 1)[1])
    sys.exit(0)
