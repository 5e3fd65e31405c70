"""encode, decode, encodings and fourier: the program's numbers, closed forms, what is refused."""
import sys

import numpy as np
import pytest

import faithful
from faithful import fourier

NAMES = [name for name, entry in faithful.encodings().items() if entry.kind not in ("none", "from the signal", "stochastic")]


def test_catalog_is_that_of_the_program(program):
    listed = program("list", "--json")
    found = faithful.encodings()
    assert [entry["name"] for entry in listed] == list(found)
    for entry in listed:
        mine = found[entry["name"]]
        assert (mine.kind, mine.description, mine.enters, mine.learned, mine.start, mine.citation) == tuple(
            entry[key] for key in ("kind", "description", "enters", "learned", "start", "citation"))
        assert len(mine.parameters) == len(entry["parameters"])
    assert found["dft"].parameters["positions"][0] == "none" and found["mtan"].parameters["time_dim"][0] == "16"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype, flag", [(np.float64, "f64"), (np.float32, "f32")])
def test_tables_are_those_of_the_program(name, dtype, flag, program, tmp_path):
    file = tmp_path / "table.npy"
    program("encode", name, "--length", 9, "--dim", 16, "--heads", 4, "--dtype", flag, "-o", file)
    mine = faithful.encode(name, 9, 16, heads=4, dtype=dtype)
    assert mine.dtype == dtype and np.array_equal(mine, np.load(file))


@pytest.mark.parametrize("dim", [1, 2, 3, 7, 8, 80])
def test_dft_is_the_basis_read_at_a_position(dim):
    assert np.array_equal(faithful.encode("dft", dim, dim), fourier.basis(dim).T)


def test_options_of_encode():
    halves = faithful.encode("sinusoidal", 5, 6, layout="halves", first_position=1)
    at = np.arange(1, 6)[:, None] * 1e4 ** (-2 * np.arange(3) / 6)
    assert np.allclose(halves, np.hstack([np.sin(at), np.cos(at)]), rtol=0, atol=1e-15)
    by_position = faithful.encode("sinusoidal", dim=4, positions=[0.0, 0.5])
    assert np.allclose(by_position[1], [np.sin(0.5), np.cos(0.5), np.sin(0.005), np.cos(0.005)])
    assert np.array_equal(faithful.encode("dft", 4, 8, scale=2), faithful.encode("dft", 4, 8, scale="2"))
    assert np.array_equal(faithful.encode("learned", 2, 3, parameters=np.arange(6.0)), np.arange(6.0).reshape(2, 3))


def test_the_former_name_of_rotation():
    """It was called haar, which is also a wavelet."""
    assert "rotation" in faithful.encodings() and "haar" not in faithful.encodings()
    assert np.array_equal(faithful.encode("haar", 5, 8, seed=3), faithful.encode("rotation", 5, 8, seed=3))


def test_arrays_own_their_memory():
    table = faithful.encode("dft", 64, 64)
    assert table.flags.c_contiguous and table.flags.writeable and table.base is not None
    copy = table.copy()
    faithful.encode("dft", 64, 64)[:] = 0
    assert np.array_equal(table, copy)


@pytest.mark.parametrize("length, dim, period", [(1, 1, None), (2, 2, None), (7, 7, None), (80, 256, None), (80, 64, 80)])
def test_decode_undoes_encode(length, dim, period):
    codes = faithful.encode("dft", length, dim, period=period)
    assert np.array_equal(faithful.decode(codes, period=period), np.arange(length))
    assert faithful.decode(codes[-1], period=period) == length - 1
    noisy = codes + np.random.default_rng(1).normal(size=codes.shape) * 0.2 / np.sqrt(dim)
    assert np.array_equal(faithful.decode(noisy, period=period), np.arange(length))


@pytest.mark.parametrize("length, dim, options", [(1, 1, {}), (5, 12, {}), (12, 9, {}), (80, 256, {"length_scale": 3.0}),
                                                  (9, 9, {"spectrum": "matern", "smoothness": 0.5, "basis": "periodic"})])
def test_decode_undoes_encode_of_spectral(length, dim, options):
    codes = faithful.encode("spectral", length, dim, scale=2, **options)
    assert np.array_equal(faithful.decode(codes, encoding="spectral", scale=2, **options), np.arange(length))
    assert faithful.decode(codes[-1], encoding="spectral", length=length, scale=2, **options) == length - 1


@pytest.mark.parametrize("dim", [1, 2, 3, 7, 8, 101])
def test_transform(dim):
    basis = fourier.basis(dim)
    assert np.allclose(basis @ basis.T, np.eye(dim), rtol=0, atol=1e-14)
    x = np.random.default_rng(0).normal(size=(2, 3, dim))
    coefficients = fourier.transform(x)
    assert np.allclose(coefficients, x @ basis.T, rtol=0, atol=1e-12)
    assert np.allclose(fourier.inverse(coefficients), x, rtol=0, atol=1e-12)
    assert np.allclose(fourier.frequencies(dim), 2 * np.pi * np.arange(dim // 2 + 1) / dim)
    assert fourier.transform(x[0, 0].astype(np.float32)[::-1]).shape == (dim,)  # any dtype and stride


def test_density():
    g = fourier.density([0.0, np.pi / 2], 8, 0.1)
    assert np.isclose(g.sum(), 1) and np.isclose(g[0], 0.5) and np.isclose(g[2], 0.5)


REFUSED = [
    (lambda: faithful.encode("dft", 80, 64), ValueError, "length: expected at most dim 64 positions for dft, found 80"),
    (lambda: faithful.encode("sinusoidl", 8, 8), ValueError, 'did you mean sinusoidal'),
    (lambda: faithful.encode("none", 8, 8), ValueError, "expected an encoding that has a table, found 'none'"),
    (lambda: faithful.encode("dft", 8.5, 8), TypeError, r"length: expected a whole number, found 8.5 \(float\)"),
    (lambda: faithful.encode("dft", True, 8), TypeError, "length: expected a whole number, found True"),
    (lambda: faithful.encode("dft", -1, 8), ValueError, "length: expected a whole number from 1 to .*, found -1"),
    (lambda: faithful.encode("dft", 8), ValueError, "dim: expected at least 1"),
    (lambda: faithful.encode("dft", 8, 8, perod=9), TypeError, "did you mean period"),
    (lambda: faithful.encode("dft", 8, 8, dtype=np.int32), TypeError, "expected float32 or float64, found int32"),
    (lambda: faithful.encode("dft", 8, 8, scale=-1), ValueError, "scale: expected as-defined, unit, matched or a pos"),
    (lambda: faithful.encode("alibi", 8, heads=0), ValueError, "heads: expected a whole number from 1"),
    (lambda: faithful.encode("mtan", 8, time_dim=0), ValueError, "time_dim: expected a whole number of at least 1"),
    (lambda: faithful.encode("learned", 2, 2, parameters=[1.0]), ValueError, "expected 4 numbers for learned, found 1"),
    (lambda: faithful.encode("sinusoidal", 2, 2, positions=[0, np.nan]), ValueError, "positions: .* found NaN at"),
    (lambda: faithful.encode(5, 2, 2), TypeError, r"name: expected a text, found 5 \(int\)"),
    (lambda: faithful.decode(np.zeros((2, 2, 2))), ValueError, r"codes: .*\(n, d\), found an array of shape \(2, 2, 2\)"),
    (lambda: faithful.decode([[1, np.inf]]), ValueError, r"codes: expected finite numbers, found infinity"),
    (lambda: faithful.decode([[1.0]], encoding="tape"), ValueError, "encoding: expected dft or spectral, found 'tape'"),
    (lambda: faithful.decode([[1.0]], scale=0), ValueError, "scale: expected a positive number, found 0"),
    (lambda: faithful.decode(["a"]), TypeError, "codes: expected numbers, found dtype <U1"),
    (lambda: fourier.transform([1j]), ValueError, "expected real numbers, found dtype complex128"),
    (lambda: fourier.basis(0), ValueError, "dim: expected a whole number from 1"),
    (lambda: fourier.transform(3.0), ValueError, r"at least one value along the last axis, found shape \(\)"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refused(number):
    call, kind, message = REFUSED[number]
    with pytest.raises(kind, match=message):
        call()


def test_instruction_sets_are_those_of_libhwy(program):
    """The module asks the machine by itself (python/static/highway.cpp); the program asks Highway's own library."""
    from faithful import _core
    said = program("encode", "dft", "--length", 1, "--dim", 1, check=False, FAITHFUL_ISA="none of these")
    assert f"expected one of {', '.join(_core.instruction_sets())}, found" in said


def test_version(program):
    assert faithful.__version__ in program("--version")
    assert sys.modules["faithful._core"].version == faithful.__version__
