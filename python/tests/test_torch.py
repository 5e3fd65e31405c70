"""The modules of faithful.torch: numbers of the C++ library, gradients, buffers, devices."""
import copy
import types

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import faithful
import faithful.torch as ft
from torch_cases import D, H, NAMES, RECENT, S, TABLES, forward, heads_of, inputs, make, move_parameters, statements, table_of, \
    table_options


@pytest.mark.parametrize("name", TABLES)
def test_start_is_the_table(name):
    # kerple starts as its authors' code does, the library at 1.
    options = {**table_options(name), **({"parameters": make(name).learned()} if name == "kerple" else {})}
    wanted = faithful.encode(name, S, D, **options)
    np.testing.assert_allclose(table_of(make(name)).detach().numpy(), wanted, rtol=0, atol=1e-12)
    np.testing.assert_allclose(table_of(make(name, torch.float32)).detach().numpy(), wanted, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", TABLES)
def test_table_is_that_of_the_statement(name):
    """An independent statement of each encoding: tests/encoding/statements."""
    wanted = statements()[name]().table(S, D, **table_options(name))
    if wanted is not None:
        np.testing.assert_allclose(faithful.encode(name, S, D, **table_options(name)), wanted, rtol=0, atol=1e-14)


LEARNED = [(name, {}) for name in TABLES if faithful.encodings()[name].learned]


SPECTRAL = [("spectral-learned", more) for more in (
    {"learned_spectrum": "frequencies"}, {"learned_spectrum": "frequencies", "basis": "periodic", "period": 24}, {"spectrum": "gaussian"},
    {"spectrum": "matern", "smoothness": 0.5, "basis": "periodic"}, {"scale": "matched"})]


@pytest.mark.parametrize("name, more", [*LEARNED, ("tupe", {"tupe_relative": True}), *SPECTRAL])
def test_any_parameters_give_the_table(name, more):
    module = make(name, **more)
    wanted = faithful.encode(name, S, D, parameters=move_parameters(module), **table_options(name), **more)
    np.testing.assert_allclose(table_of(module).detach().numpy(), wanted, rtol=0, atol=1e-9)


SPECTRA = [{}, {"spectrum": "matern"}, {"spectrum": "gaussian", "length_scale": 2.0}, {"spectrum": "flat"}, {"basis": "periodic"},
           {"basis": "periodic", "period": 12}, {"basis": "cosine", "period": 30}]


def has_spectral_table(dim, more):
    return more.get("basis") != "periodic" or 3 <= dim <= more.get("period", dim)


@pytest.mark.parametrize("dim, more", [(dim, more) for dim in (2, 3, 6, 7, 12, 13, 14, 20) for more in SPECTRA
                                       if has_spectral_table(dim, more)])
def test_spectral_is_that_of_the_statement(dim, more):
    wanted = statements()["spectral"]().table(S, dim, **more)
    np.testing.assert_allclose(faithful.encode("spectral", S, dim, **more), wanted, rtol=0, atol=1e-14)


@pytest.mark.parametrize("name", [name for name, entry in faithful.encodings().items() if entry.kind == "additive"])
@pytest.mark.parametrize("scale", ["unit", "matched", 0.5])
def test_scales(name, scale):
    found = make(name, scale=scale).codes(S).detach().numpy()
    np.testing.assert_allclose(found, faithful.encode(name, S, D, scale=scale), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", [name for name, entry in faithful.encodings().items() if entry.real_positions])
def test_real_positions(name):
    at = [0.0, 0.5, 1.0, 4.0, 4.5, 9.0, 9.25]
    options = {**table_options(name), **({"parameters": make(name).learned()} if name == "kerple" else {})}
    wanted = faithful.encode(name, dim=D, positions=at, **options)
    np.testing.assert_allclose(table_of(make(name, positions=at)).detach().numpy(), wanted, rtol=0, atol=1e-12)


TIMES = [[0.0, 0.5, 1.0, 4.0, 4.5, 9.0, 9.25], [2.0, 3.0, 3.25, 3.5, 8.0, 8.5, 20.0]]
IN_ATTENTION = [name for name, entry in faithful.encodings().items()
                if entry.real_positions and issubclass(ft._base.MODULES.get(name, ft.Added), ft.InAttention) and name != "t-pe"]


@pytest.mark.parametrize("name", IN_ATTENTION)
def test_times_of_samples_are_positions_of_modules(name):
    """One call with the times of each sample, and a module made for the positions of each."""
    module, q = make(name), heads_of(inputs())
    move_parameters(module)
    found = ft.attention(q, q.flip(-1), q * 2, module, positions=torch.tensor(TIMES, dtype=torch.float64))
    for b, at in enumerate(TIMES):
        alone = make(name, positions=at)
        alone.load_state_dict(module.state_dict())
        wanted = ft.attention(q[b], q[b].flip(-1), q[b] * 2, alone)
        assert torch.allclose(found[b], wanted, rtol=0, atol=1e-12)
    even = torch.arange(S, dtype=torch.float64).expand(2, -1)
    assert torch.allclose(ft.attention(q, q, q, module, positions=even), ft.attention(q, q, q, module), rtol=0, atol=1e-12)


@pytest.mark.parametrize("scaling", [{"rope_scaling": "linear", "rope_factor": 2}, {"rope_scaling": "ntk", "rope_factor": 4},
                                     {"rope_scaling": "yarn", "rope_factor": 4, "rope_trained": 100}])
def test_scaled_rope_is_that_of_the_library(scaling):
    module, q = make("rope", **scaling), heads_of(inputs())
    np.testing.assert_allclose(table_of(module), faithful.encode("rope", S, D, heads=H, **scaling), rtol=0, atol=1e-12)
    factor = 0.1 * np.log(4) + 1 if scaling["rope_scaling"] == "yarn" else 1.0
    bare = make("rope", **scaling)
    bare.temperature = 1.0
    plain = (bare.rotate(q) @ bare.rotate(q).transpose(-1, -2) * factor ** 2 / (D // H) ** 0.5).softmax(-1) @ q
    assert torch.allclose(ft.attention(q, q, q, module), plain, atol=1e-12)
    turned, other = module(q, q)  # also where another attention takes them
    assert torch.allclose((turned @ other.transpose(-1, -2) / (D // H) ** 0.5).softmax(-1) @ q, plain, atol=1e-12)


def test_one_sided_heads_of_alibi_are_those_of_the_library():
    for heads in (1, 2, 3):
        options = {"heads": heads, "alibi_heads": "one-sided"}
        found = ft.encoding("alibi", S, dtype=torch.float64, **options)()
        np.testing.assert_allclose(found.numpy(), faithful.encode("alibi", S, **options), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["dft", "learned", "learned-frequency"])
def test_added(name):
    x, module = inputs(), make(name)
    np.testing.assert_allclose((module(x) - x).detach().numpy(), np.broadcast_to(table_of(module).detach(), x.shape), atol=1e-12)
    assert module(x[:, :3]).shape == (2, 3, D)


@pytest.mark.parametrize("pairing", ["interleaved", "halves"])
def test_rotation_is_that_of_the_library(pairing):
    module, x, pairs = make("rope", pairing=pairing), heads_of(inputs()).numpy(), D // H // 2
    cosines, sines = np.split(faithful.encode("rope", S, D, heads=H), 2, axis=1)
    wanted = x.copy()
    for i in range(pairs):
        a, b = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + pairs)
        wanted[..., a] = x[..., a] * cosines[:, i] - x[..., b] * sines[:, i]
        wanted[..., b] = x[..., a] * sines[:, i] + x[..., b] * cosines[:, i]
    np.testing.assert_allclose(module.rotate(torch.from_numpy(x)).numpy(), wanted, atol=1e-12)


def test_buckets_are_those_of_the_library():
    module = ft.encoding("t5", 300, heads=1, dtype=torch.float64)
    with torch.no_grad():
        module.weight.copy_(torch.arange(32.0)[:, None])
    assert np.array_equal(module().detach().numpy(), faithful.encode("t5", 300, heads=1, parameters=np.arange(32.0)))


def naive_attention(q, k, v, name, module):
    """One head at a time, one pair at a time, by the formulas of docs/encodings.md, on C++ tables."""
    out, kind = np.zeros_like(v), faithful.encodings()[name].kind
    parameters = {"parameters": move_parameters(module)} if faithful.encodings()[name].learned else {}
    table = faithful.encode(name, S, D, **table_options(name), **parameters)
    width = q.shape[-1]
    for h in range(H):
        for i in range(S):
            logits = np.array([q[h, i] @ k[h, j] for j in range(S)])
            rows = [int(np.clip(j - i, -3, 3)) + 3 for j in range(S)]
            if name == "shaw":
                logits += [q[h, i] @ table[0, r] for r in rows]
            if name == "deberta":
                of_queries, of_keys = table.reshape(2, -1, H, width)[:, :, h]
                logits += [q[h, i] @ of_queries[r] + k[h, j] @ of_keys[r] for j, r in enumerate(rows)]
            if name == "transformer-xl":
                angle = (np.arange(S) - i)[:, None] * 1e4 ** (-np.arange(D // 2) / (D // 2))
                waves = np.stack([np.cos(angle), np.sin(angle)], -1).reshape(S, -1)
                logits += k[h] @ module.content[h].detach().numpy() + waves @ module.weight[h].detach().numpy().T @ q[h, i]
            logits /= np.sqrt(width * {"tupe": 2, "deberta": 3}.get(name, 1))
            if kind == "logit bias":
                logits += table[h, i]
            weights = np.exp(logits - logits.max())
            weights /= weights.sum()
            if kind == "post-softmax weights":
                weights = weights + table[h, i]
            out[h, i] = weights @ v[h]
            if name == "shaw":
                out[h, i] += sum(w * table[1, r] for w, r in zip(weights, rows))
    return out


BY_FORMULA = {"logit bias", "post-softmax weights", "relative keys and values"}


@pytest.mark.parametrize("name", [name for name, entry in faithful.encodings().items() if entry.kind in BY_FORMULA])
def test_attention_by_the_formulas(name):
    module = make(name)
    q, k, v = (heads_of(inputs(seed=seed, batch=1))[0] for seed in range(3))
    wanted = naive_attention(q.numpy(), k.numpy(), v.numpy(), name, module)
    np.testing.assert_allclose(ft.attention(q, k, v, module).detach().numpy(), wanted, atol=1e-10)


def test_attention_masks_and_refuses_modules_of_the_input():
    q = heads_of(inputs())
    causal = torch.ones(S, S, dtype=torch.bool).tril()
    first = ft.attention(q, q, q, make("alibi"), mask=causal)[..., 0, :]
    assert torch.allclose(first, q[..., 0, :])  # the first position sees itself alone
    with pytest.raises(TypeError, match="expected a module that enters attention, or None, found Added"):
        ft.attention(q, q, q, make("dft"))


class OneWindow:
    """What a statement needs of a model around it (tests/encoding/statements)."""

    def __init__(self, weights, **config):
        self.c, self.p = types.SimpleNamespace(width=D, **config), weights

    def apply(self, name, x):
        return torch.nn.functional.linear(x, self.p[name + ".weight"], self.p[name + ".bias"])


@pytest.mark.parametrize("name, names, more, config", [
    ("cpe", ["depthwise.weight"], {"cpe_kernel": 5}, {"cpe_kernel": 5}),
    ("dywpe", ["channel.weight", "channel.bias", "scales", "gate.weight", "gate.bias", "value.weight", "value.bias"],
     {"dywpe_levels": 2}, {"dywpe_levels": 2}),
    ("dywpe", ["channel.weight", "channel.bias", "scales", "gate.weight", "gate.bias", "value.weight", "value.bias"],
     {"dywpe_levels": 3, "dywpe_wavelet": "haar"}, {"dywpe_levels": 3, "dywpe_wavelet": "haar"})])
def test_codes_of_the_signal_are_those_of_the_statement(name, names, more, config):
    module, x = make(name, **more), inputs()
    window = OneWindow({f"encoding.{key}": value for key, value in zip(names, module.parameters())}, **config)
    for steps in (S, 3):
        mask = torch.ones(2, steps, dtype=torch.bool)
        mask[1, steps - 1] = False
        part = x[:, :steps]
        wanted = part + statements()[name]().codes_of(window, part, mask)
        assert torch.allclose(module(part, mask), wanted, atol=1e-12)
        assert torch.allclose(module(part), part + statements()[name]().codes_of(window, part, torch.ones_like(mask)))
    with pytest.raises(ValueError, match=f"{name} has no table: a model computes its codes from the steps"):
        faithful.encode(name, S, D)


def test_t_pe_adds_the_similarity_of_the_steps():
    module, x = make("t-pe"), inputs()
    move_parameters(module)
    assert torch.equal(module(x), make("sinusoidal")(x))
    q, k, v = (heads_of(inputs(seed=seed)) for seed in range(1, 4))
    logits = torch.matmul(q, k.transpose(-2, -1)) / (D / H) ** 0.5
    logits = logits + module.weight[:, None, None] * torch.matmul(x, x.transpose(-2, -1)).unsqueeze(1) / D ** 0.5
    assert torch.allclose(ft.attention(q, k, v, module, signal=x), torch.matmul(logits.softmax(-1), v), atol=1e-12)
    with pytest.raises(ValueError, match="t-pe: expected signal, the steps"):
        ft.attention(q, k, v, module)


@pytest.mark.parametrize("more", [{}, {"spe": "conv", "spe_kernel": 4}])
def test_spe_meets_the_covariance_of_its_processes(more):
    """The mean of many draws is what the paper derives: q_c k_c times the covariance of the two processes, and a gate."""
    module = make("spe", spe_realizations=4096, **more)
    q, k = (heads_of(inputs(seed=seed, batch=1)) for seed in (1, 2))
    at = torch.arange(S, dtype=torch.float64)
    lag = at[:, None] - at[None, :]
    if more:
        filters = [module.query_filter.detach(), module.key_filter.detach()]  # [P, C]
        taps = range(len(filters[0]))
        covariance = torch.zeros(D, S, S, dtype=torch.float64)
        for p, other in ((p, other) for p in taps for other in taps):  # both see the noise at i + p = j + other
            covariance += (filters[0][p] * filters[1][other])[:, None, None] * (lag == other - p)
    else:
        frequency, phase = torch.pi * torch.sigmoid(module.frequencies), module.phases
        gains = torch.nn.functional.softplus(module.gains) ** 2 / (2 * module.gains.shape[1])
        angle = frequency[..., None, None] * lag + phase[..., None, None]
        covariance = (gains[..., None, None] * torch.cos(angle)).sum(1)
    gate = torch.sigmoid(module.gate)[:, None, None]
    covariance = ((1 - gate) * covariance + gate).reshape(H, D // H, S, S).detach()
    wanted = torch.einsum("bhic,bhjc,hcij->bhij", q, k, covariance)
    for training in (False, True):
        torch.manual_seed(1)
        a, b = module.train(training)(q, k)
        found = torch.matmul(a, b.transpose(-2, -1))
        assert (found - wanted).norm() < 0.1 * wanted.norm()  # R = 4096: 1 / sqrt(R) is 0.016


def test_spe_draws_in_training_alone():
    module, q = make("spe"), heads_of(inputs())
    assert torch.equal(forward(module, inputs()), forward(module, inputs()))
    module.train()
    assert not torch.equal(ft.attention(q, q, q, module), ft.attention(q, q, q, module))


def test_tape_erpe_is_both():
    module, tape, erpe = make("tape+erpe", heads=H), make("tape"), make("erpe")
    move_parameters(module)
    erpe.load_state_dict(module.state_dict())
    x = inputs()
    assert torch.equal(module(x), tape(x))
    q = heads_of(x)
    assert torch.equal(ft.attention(q, q, q, module), ft.attention(q, q, q, erpe))


@pytest.mark.parametrize("name", NAMES)
def test_gradients(name):
    module = make(name)
    names = [key for key, _ in module.named_parameters()]
    x = inputs(batch=1).requires_grad_()

    def run(x, *values):
        twin = copy.deepcopy(module)
        for key, value in zip(names, values):
            del twin._parameters[key]
            setattr(twin, key, value)
        return forward(twin, x)
    parameters = [p.detach().clone().requires_grad_() for p in module.parameters()]
    assert torch.autograd.gradcheck(run, (x, *parameters), fast_mode=True)


@pytest.mark.parametrize("name", NAMES)
def test_a_thousand_passes_leave_everything_as_it_was(name):
    module, x = make(name, torch.float32), inputs(torch.float32)
    tensors = {**dict(module.named_buffers()), **dict(module.named_parameters())}
    before = {key: value.detach().clone() for key, value in tensors.items()}
    versions = {key: value._version for key, value in tensors.items()}
    first = forward(module, x).detach().clone()
    for _ in range(1000):
        forward(module, x)
    assert torch.equal(forward(module, x), first)
    for key, value in tensors.items():
        assert torch.equal(value, before[key]) and value._version == versions[key], key


@pytest.mark.parametrize("name", NAMES)
def test_state_dict(name):
    module = make(name)
    state = module.state_dict()
    assert set(state) == {key for key, _ in module.named_parameters()}
    move_parameters(module)
    twin = make(name)
    twin.load_state_dict(module.state_dict())
    assert torch.equal(forward(twin, inputs()), forward(module, inputs()))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
def test_dtypes(name, dtype):
    x = inputs(dtype)
    added = isinstance(make(name), (ft.Added, ft.LearnedTable, ft.Nothing)) and not isinstance(make(name), ft.InAttention)
    if dtype == torch.float16 and not RECENT and not added:
        pytest.skip(f"torch {torch.__version__} multiplies no float16 on a CPU")
    for module in (make(name, torch.float32), make(name, torch.float32).to(dtype)):
        out = forward(module, x)
        assert out.dtype == dtype
        wanted = forward(make(name), x.double())
        assert torch.allclose(out.double(), wanted, atol={torch.bfloat16: 0.3, torch.float16: 0.05}.get(dtype, 1e-5))


@pytest.mark.parametrize("name", NAMES)
def test_meta_device(name):
    on_meta = make(name, torch.float32, device="meta")
    assert all(t.is_meta for t in (*on_meta.buffers(), *on_meta.parameters()))
    assert forward(on_meta, inputs(torch.float32).to("meta")).is_meta
    on_meta.to_empty(device="cpu").reset_parameters()
    assert torch.equal(forward(on_meta, inputs(torch.float32)), forward(make(name, torch.float32), inputs(torch.float32)))


def test_the_former_name_of_rotation():
    assert ft.encoding("haar", S, D).name == "rotation"


def test_complaints():
    with pytest.raises(ValueError, match="dft: expected at most 7 positions, found 8"):
        make("dft")(torch.zeros(1, 8, D))
    with pytest.raises(ValueError, match="dft: expected width 12, found 5"):
        make("dft")(torch.zeros(1, 4, 5))
    with pytest.raises(ValueError, match="rope: expected heads of width 4, found 6"):
        make("rope").rotate(torch.zeros(1, 4, 6))
    with pytest.raises(ValueError, match="the name of an encoding, found \"roap\""):
        ft.encoding("roap", 4, 8)
    with pytest.raises(TypeError, match="heads: expected a whole number, found 2.5"):
        ft.encoding("alibi", 4, heads=2.5)


@pytest.mark.parametrize("name", ["alibi", "erpe", "tape+erpe"])
@pytest.mark.parametrize("heads", [1, 2, 3])
def test_other_numbers_of_heads_are_refused(name, heads):
    """A query of one head must not become one of four."""
    position = ft.encoding(name, 6, 16, heads=4)
    with pytest.raises(ValueError, match=rf"{name.replace('+', '.')}: expected heads={heads} as in query, found 4"):
        ft.attention(*[torch.zeros(1, heads, 6, 4)] * 3, position)
