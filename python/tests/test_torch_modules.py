"""Modules of faithful.torch as torch.nn has them: start values, dtypes, a drop-in for a layer, compilation."""
import shutil

import pytest

torch = pytest.importorskip("torch")
from torch import nn
from torch.nn import functional

import faithful
import faithful.torch as ft
from torch_cases import D, H, NAMES, RECENT, S, heads_of, inputs, make, move_parameters, table_options

LEARNED = [name for name in NAMES if faithful.encodings()[name].learned]
START_ALIKE = {"spectral-learned", "learned-frequency", "t-pe", "pope", "erpe", "tape+erpe"}  # nothing of their start is random


def unseeded(name, **options):
    return ft.encoding(name, S, D, **{**table_options(name), **options}).eval()


def same(a, b):
    return all(torch.equal(x, y) for x, y in zip(a.parameters(), b.parameters()))


@pytest.mark.parametrize("name", LEARNED)
def test_start_values_follow_manual_seed_and_differ_from_layer_to_layer(name):
    torch.manual_seed(3)
    first, second = unseeded(name), unseeded(name)
    torch.manual_seed(3)
    assert same(unseeded(name), first) and same(unseeded(name), second)
    assert same(first, second) == (name in START_ALIKE)
    assert same(unseeded(name, seed=5), unseeded(name, seed=5))


@pytest.mark.parametrize("name", LEARNED)
def test_reset_parameters(name):
    module = unseeded(name)
    before = [p.detach().clone() for p in module.parameters()]
    move_parameters(module)
    torch.manual_seed(4)
    module.reset_parameters()
    torch.manual_seed(4)
    assert same(module, unseeded(name))
    assert all(torch.equal(a, b) for a, b in zip(before, module.parameters())) == (name in START_ALIKE)
    fixed = unseeded(name, seed=5)
    move_parameters(fixed)
    fixed.reset_parameters()
    assert same(fixed, unseeded(name, seed=5))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in LEARNED])
def test_fixed_tables_draw_nothing(name):
    before = torch.get_rng_state()
    tables = [dict(unseeded(name).named_buffers()) for _ in range(2)]
    assert torch.equal(torch.get_rng_state(), before)
    assert all(torch.equal(tables[0][key], tables[1][key]) for key in tables[0])


def test_kerple_starts_as_its_authors_do():
    rates = ft.encoding("kerple", S, heads=4096, seed=1).log_rates.exp()
    for row, top in zip(rates, (2.0, 1.0)):  # U(0, 2) and U(0, 1), at least 0.01
        assert 0.0099 < row.min() and row.max() <= top and abs(row.mean() - top / 2) < 0.03 * top


def test_low_precision_keeps_positions():
    bias = ft.encoding("alibi", 600, heads=8).to(torch.bfloat16)()
    assert bias.dtype == torch.bfloat16 and bias[0, 400, 399] == -0.5
    assert ft.encoding("alibi", 600, heads=8, dtype=torch.bfloat16)()[0, 400, 399] == -0.5
    module = ft.encoding("learned-frequency", 300, 16)
    wanted = module.codes(300)
    assert torch.allclose(module.to(torch.bfloat16).codes(300).float(), wanted, rtol=0, atol=0.25 * 2 ** -8)


def test_exact_values_train_in_low_precision():
    module = ft.encoding("learned-frequency", 300, 16, seed=1)
    module(torch.zeros(300, 16)).sum().backward()
    module = module.to(torch.bfloat16)
    assert {p.dtype for p in module.parameters()} == {p.grad.dtype for p in module.parameters()} == {torch.float32}
    torch.optim.AdamW(module.parameters(), lr=1e-3).step()
    assert ft.encoding("learned", 300, 16).to(torch.bfloat16).weight.dtype == torch.bfloat16
    assert ft.encoding("rope", 300, 16, heads=2).half().float().double().frequency.dtype == torch.float64


@pytest.mark.parametrize("name", [name for name, entry in faithful.encodings().items() if entry.kind == "logit bias"])
def test_autocast_keeps_positions(name):
    module = ft.encoding(name, 600, D, heads=H, seed=1)
    wanted = module(2, 600, offset=598, key_offset=0, part=True)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = module(2, 600, offset=598, key_offset=0, part=True)
    assert torch.allclose(found, wanted, rtol=0, atol=0.02 * max(1.0, wanted.abs().max().item()))


def test_a_part_is_not_given_for_the_whole():
    module, q = make("tupe"), heads_of(inputs())
    for name in ("tupe", "transformer-xl"):
        with pytest.raises(ValueError, match=f"{name}: this bias is not the whole encoding, .* pass part=True"):
            make(name)()
    logits = q @ q.transpose(-2, -1) / (2 * D / H) ** 0.5 + module(part=True)
    assert torch.allclose(ft.attention(q, q, q, module), logits.softmax(-1) @ q, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["alibi", "kerple", "t5", "fire", "dynamic-bias"])
def test_a_bias_is_a_mask_of_torch(name):
    if not RECENT:
        pytest.skip(f"torch {torch.__version__} has no scaled_dot_product_attention")
    module, q = make(name), heads_of(inputs())
    wanted = ft.attention(q, q, q * 2, module)
    assert torch.allclose(functional.scaled_dot_product_attention(q, q, q * 2, module()), wanted, rtol=0, atol=1e-12)


def test_complaints_about_calls():
    module, q = make("t5"), heads_of(inputs())
    with pytest.raises(ValueError, match="key_positions: expected the positions of the 7 keys, for there are 3 queries"):
        ft.attention(q[..., :3, :], q, q, module, positions=torch.arange(3))
    with pytest.raises(ValueError, match="positions: expected 7 positions, one for each step, found 3"):
        ft.attention(q, q, q, module, positions=torch.arange(3))
    with pytest.raises(ValueError, match="erpe: expected queries and keys at most 6 positions apart, found 16"):
        ft.attention(q, q, q, make("erpe"), offset=10, key_offset=0)
    assert ft.attention(q, q, q, make("erpe"), offset=100).shape == q.shape  # near keys of a long series
    with pytest.raises(ValueError, match="learned: expected at most 7 positions, found 9.* make the module with a greater length"):
        make("learned")(inputs(), positions=torch.arange(2, 9))
    with pytest.raises(ValueError, match="learned: expected positions from 0 on, found -1"):
        make("learned")(inputs()[:, :2], offset=-1)
    with pytest.raises(TypeError, match="mask: expected a boolean mask .* found torch.int64"):
        ft.attention(q, q, q, mask=torch.ones(S, S, dtype=torch.int64))


# The drop-in layer

def layers(position=None, **options):
    """A layer of torch and ours, with the same weights."""
    torch.manual_seed(1)
    theirs = nn.TransformerEncoderLayer(D, H, 20, **options).double()
    ours = ft.TransformerEncoderLayer(D, H, 20, position=position, **options).double()
    ours.load_state_dict(theirs.state_dict(), strict=position is None)
    return theirs, ours


@pytest.mark.parametrize("options", [{}, {"batch_first": True}, {"norm_first": True, "activation": "gelu", "batch_first": True}])
@pytest.mark.parametrize("training", [True, False])
def test_layer_without_position_is_that_of_torch(options, training):
    theirs, ours = (layer.train(training) for layer in layers(dropout=0.0, **options))
    x = inputs() if options.get("batch_first") else inputs().transpose(0, 1)
    hidden = ~torch.ones(S, S, dtype=torch.bool).tril()
    added = torch.zeros(S, S, dtype=torch.float64).masked_fill(hidden, float("-inf"))
    absent = torch.zeros(2, S, dtype=torch.bool)
    absent[1, S - 2:] = True
    cases = [{}, {"src_mask": hidden}, {"src_mask": added}, {"src_key_padding_mask": absent},
             {"src_mask": hidden, "src_key_padding_mask": absent}, {"src_mask": hidden.expand(2 * H, S, S)}]
    for case in cases:
        found, wanted = ours(x, **case), theirs(x, **case)
        seen = ~absent if options.get("batch_first") else ~absent.T
        rows = seen if "src_key_padding_mask" in case else torch.ones_like(seen)
        assert torch.allclose(found[rows], wanted[rows], rtol=0, atol=1e-10)
    assert torch.allclose(ours(inputs()[0]), theirs(inputs()[0]), rtol=0, atol=1e-10)  # without a batch


@pytest.mark.parametrize("name", ["rope", "t5", "erpe", "shaw", "tupe", "transformer-xl", "tape+erpe"])
def test_layer_attends_with_its_position(name):
    position = make(name)
    move_parameters(position)
    _, layer = layers(position, dropout=0.0, batch_first=True)
    x, mine = inputs(), layer.self_attn
    q, k, v = (heads_of(part) for part in functional.linear(x, mine.in_proj_weight, mine.in_proj_bias).chunk(3, dim=-1))
    attended = mine.out_proj(ft.attention(q, k, v, position).transpose(1, 2).flatten(2))
    h = layer.norm1(x + attended)
    wanted = layer.norm2(h + layer.linear2(functional.relu(layer.linear1(h))))
    assert torch.allclose(layer(x), wanted, rtol=0, atol=1e-10)
    stack = nn.TransformerEncoder(layer, 2).eval()
    absent = torch.zeros(2, S, dtype=torch.bool)
    absent[1, S - 2:] = True
    other = x.clone()
    other[1, S - 2:] = 3
    found = [stack(one, src_key_padding_mask=absent)[~absent] for one in (x, other)]
    assert torch.allclose(*found, rtol=0, atol=1e-10)


def test_layer_drops_weights_in_training_alone():
    _, layer = layers(make("t5"), dropout=0.5, batch_first=True)
    assert not torch.equal(layer.train()(inputs()), layer(inputs()))
    assert torch.equal(layer.eval()(inputs()), layer(inputs()))


def test_layer_complains():
    with pytest.raises(TypeError, match="position: expected a module that enters attention, found Added. dft enters the input"):
        ft.TransformerEncoderLayer(D, H, position=make("dft"))
    with pytest.raises(ValueError, match="position: expected heads=2 as in this layer, found 3"):
        ft.TransformerEncoderLayer(D, 2, position=make("alibi"))
    with pytest.raises(ValueError, match="position: expected an encoding of positions alone, found t-pe"):
        ft.TransformerEncoderLayer(D, H, position=make("t-pe"))


@pytest.mark.skipif(not RECENT, reason=f"torch {torch.__version__} cannot compile modules")
@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ on PATH, which it needs")
def test_compile_to_machine_code():
    """The default backend (inductor), on one model that has an encoding of the input, a rotation and a bias."""
    torch._dynamo.reset()
    added, rotary, bias = make("dft", torch.float32), make("rope", torch.float32), make("t5", torch.float32)

    def model(x):
        q = heads_of(added(x))
        return ft.attention(q, q, ft.attention(q, q, q, rotary, causal=True), bias)
    x = inputs(torch.float32)
    assert torch.allclose(torch.compile(model)(x), model(x), atol=1e-5)
