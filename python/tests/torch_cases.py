"""What the tests of faithful.torch share: every encoding of the catalog as a small module, and one pass of any of them."""
import pathlib
import sys

import torch

import faithful
import faithful.torch as ft

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "encoding"))
from statements import statements  # noqa: F401, E402

torch.set_num_threads(1)  # what is computed here is small

S, D, H = 7, 12, 3
NAMES = list(faithful.encodings())
TABLES = [name for name, entry in faithful.encodings().items() if entry.kind not in ("none", "from the signal", "stochastic")]
OPTIONS = {"shaw": {"clip": 3}, "deberta": {"clip": 3}, "tape+erpe": {"heads": H}, "t-pe": {"heads": H}, "mtan": {"time_dim": 5}, "time2vec": {"time_dim": 4}}
RECENT = int(torch.__version__.split(".")[0]) >= 2


def make(name, dtype=torch.float64, length=S, dim=D, **options):
    options = {"seed": 1, **table_options(name), **options}  # the seed of faithful.encode
    return ft.encoding(name, length, dim, dtype=dtype, **options).eval()  # spe draws in training


def table_options(name):
    without = ("additive", "concatenated", "from the signal", "none")
    heads = {} if faithful.encodings()[name].kind in without else {"heads": H}
    return {**OPTIONS.get(name, {}), **heads}


def inputs(dtype=torch.float64, seed=0, batch=2):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(batch, S, D, generator=generator, dtype=torch.float64).to(dtype)


def heads_of(x):
    return x.view(*x.shape[:-1], H, D // H).transpose(-2, -3)  # [B, H, S, d_h]


def forward(module, x):
    """One pass of any module, as a tensor that depends on x."""
    if not isinstance(module, ft.InAttention):
        return module(x)
    if isinstance(module, ft.Added):  # it enters the input too
        x = module(x)
    q = heads_of(x)
    return ft.attention(q, q.flip(-1), q * 2, module, signal=x)


def table_of(module):
    """What the module is made of, in the shape of faithful.encode."""
    if isinstance(module, ft.Concatenated):
        return module.features(S)
    if isinstance(module, ft.Shaw):
        return torch.stack([module.keys, module.values])
    if isinstance(module, (ft.LogitBias, ft.WeightBias)):
        return module(part=True)
    if isinstance(module, ft.Deberta):
        return module()
    return module.codes(S)


def move_parameters(module):
    """Away from the start values, as training does; the same in the layout of faithful.encode(parameters=...)."""
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter += 0.3 * torch.randn(parameter.shape, generator=generator, dtype=torch.float64).to(parameter)
    return module.learned().tolist()
