"""encode, decode, list and show, as a user calls them."""
import json
import struct

import numpy as np
import pytest
from program import rejected, run

KINDS = {entry["name"]: entry["kind"] for entry in json.loads(run("list", "--json").stdout)}
CATALOG = list(KINDS)
TABLES = [name for name, kind in KINDS.items() if kind not in ("none", "from the signal", "stochastic")]


def test_list_knows_every_encoding_and_tells_about_each():
    text = run("list").stdout
    for name in CATALOG:
        assert f"\n{name} " in "\n" + text
        assert run("list", name).stdout.startswith(f"{name}: ")
    assert rejected("list", "dtf") == 'encoding: expected the name of an encoding, found "dtf" (known: ' + ", ".join(CATALOG) + ")"


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("dtype", ["f64", "f32"])
def test_every_encoding_is_written_for_numpy(tmp_path, name, dtype):
    path = tmp_path / "table.npy"
    done = run("encode", name, "--length", 20, "--dim", 32, "--heads", 4, "--clip", 5, "--time-dim", 6, "--dtype", dtype, "-o", path)
    assert done.returncode == 0, done.stderr
    table = np.load(path)
    shapes = {"rope": (20, 8), "fope": (20, 8), "pope": (20, 16), "shaw": (2, 11, 8), "deberta": (2, 11, 32), "mtan": (20, 6), "time2vec": (20, 6)}
    if KINDS[name] in ("logit bias", "post-softmax weights"):
        shapes[name] = (4, 20, 20)
    assert table.shape == shapes.get(name, (20, 32))
    assert table.dtype == {"f64": np.float64, "f32": np.float32}[dtype]
    assert np.isfinite(table).all()


def test_sinusoidal_is_the_formula(tmp_path):
    run("encode", "sinusoidal", "--length", 50, "--dim", 16, "-o", tmp_path / "t.npy")
    s, i = np.arange(50)[:, None], np.arange(8)[None, :]
    angle = s * 10000.0 ** (-2 * i / 16)
    table = np.load(tmp_path / "t.npy")
    assert np.allclose(table[:, 0::2], np.sin(angle), rtol=0, atol=1e-15)
    assert np.allclose(table[:, 1::2], np.cos(angle), rtol=0, atol=1e-15)


@pytest.mark.parametrize("dim", [1, 2, 3, 255, 256, 257, 1021, 4096])
def test_dft_is_orthonormal_and_decodes(tmp_path, dim):
    path = tmp_path / "t.npy"
    length = min(dim, 512)
    run("encode", "dft", "--length", length, "--dim", dim, "-o", path)
    table = np.load(path)
    assert np.abs(table @ table.T - np.eye(length)).max() <= 1e-14
    assert run("decode", path).stdout.split() == [str(s) for s in range(length)]
    noise = np.random.default_rng(1).normal(size=table.shape)
    noise *= 0.999 * np.sqrt(2) / 2 / np.linalg.norm(noise, axis=1, keepdims=True)
    np.save(path, table + noise)
    assert json.loads(run("decode", path, "--json").stdout) == list(range(length))


def test_dft_of_width_65536_is_orthonormal_where_sampled(tmp_path):
    run("encode", "dft", "--length", 64, "--dim", 65536, "-o", tmp_path / "t.npy")
    table = np.load(tmp_path / "t.npy")
    gram = np.array([[np.sum((a * b).astype(np.longdouble)) for b in table] for a in table])
    assert np.abs(gram - np.eye(64)).max() <= 1e-14


def test_more_positions_than_dimensions(tmp_path):
    assert rejected("encode", "dft", "--length", 80, "--dim", 64) == (
        "--length: expected at most --dim 64 positions for dft, found 80 "
        "(positions 0 and 64 have the same code; use --dim 80 or --period 80)")
    path = tmp_path / "t.npy"
    assert run("encode", "dft", "--length", 80, "--dim", 64, "--period", 80, "-o", path).returncode == 0
    assert run("decode", path, "--period", 80).stdout.split() == [str(s) for s in range(80)]


@pytest.mark.parametrize("length, dim, options, basis", [
    (80, 256, [], "periodic basis, period 256, exponential spectrum, length scale 13.3"),
    (64, 64, ["--spectrum", "matern", "--smoothness", 0.5], "cosine basis, period 128, matern spectrum, length scale 10.7, smoothness 0.5"),
    (100, 64, ["--length-scale", 5], "cosine basis, period 200, exponential spectrum, length scale 5"),
    (64, 64, ["--basis", "periodic", "--period", 64, "--spectrum", "flat"], "periodic basis, period 64, flat spectrum")])
def test_spectral_says_its_basis_and_decodes(tmp_path, length, dim, options, basis):
    path = tmp_path / "t.npy"
    done = run("encode", "spectral", "--length", length, "--dim", dim, *options, "-o", path)
    assert done.stdout == f"{path}: spectral ({length}, {dim}), f64; {basis}\n"
    found = run("decode", path, "--encoding", "spectral", *options)
    assert found.stdout.split() == [str(s) for s in range(length)] and found.stderr == ""
    np.save(path, 3 * np.load(path)[::-1])
    assert json.loads(run("decode", path, "--encoding", "spectral", "--scale", 3, "--json", *options).stdout) == list(range(length))[::-1]
    assert "are guesses: look at --length-scale" in run("decode", path, "--encoding", "spectral", *options).stderr
    assert basis in run("analyze", "spectral", "--length", length, "--dim", dim, *options).stdout


def test_spectral_refuses_options_without_meaning(tmp_path):
    size = ("encode", "spectral", "--length", 8, "--dim", 4)
    assert rejected(*size, "--smoothness", 2) == "--smoothness applies only to --spectrum matern"
    assert rejected(*size, "--spectrum", "flat", "--length-scale", 2) == (
        "--length-scale does not apply to --spectrum flat: it weighs all frequencies alike")
    np.save(tmp_path / "t.npy", np.ones((2, 4)))
    assert rejected("decode", tmp_path / "t.npy", "--encoding", "spectral", "--scale", 0).startswith("--scale: expected a positive number")


def test_scale_and_positions(tmp_path):
    path, positions = tmp_path / "t.npy", tmp_path / "p.csv"
    for scale, norm in {"unit": 1, "matched": np.sqrt(8), "2.5": 2.5}.items():
        run("encode", "dft", "--length", 16, "--dim", 16, "--scale", scale, "-o", path)
        assert np.allclose(np.linalg.norm(np.load(path), axis=1), norm)
    assert run("decode", path, "--scale", 2.5).stdout.split() == [str(s) for s in range(16)]
    positions.write_text("0\n0.5\n2.25\n")
    run("encode", "dft", "--length", 3, "--dim", 5, "--positions-file", positions, "-o", path)
    angle = 2 * np.pi * np.array([0, 0.5, 2.25]) / 5
    assert np.allclose(np.load(path)[:, 1], np.sqrt(2 / 5) * np.cos(angle))


def test_csv_reads_back_to_the_same_bits(tmp_path):
    printed = run("encode", "rotation", "--length", 7, "--dim", 9, "--seed", 3).stdout
    run("encode", "rotation", "--length", 7, "--dim", 9, "--seed", 3, "-o", tmp_path / "t.csv")
    run("encode", "rotation", "--length", 7, "--dim", 9, "--seed", 3, "-o", tmp_path / "t.npy")
    table = np.load(tmp_path / "t.npy")
    assert (np.loadtxt(printed.splitlines(), delimiter=",") == table).all()
    assert (np.loadtxt(tmp_path / "t.csv", delimiter=",") == table).all()


def test_the_former_name_of_rotation():
    printed = [run("encode", name, "--length", 7, "--dim", 9).stdout for name in ("rotation", "haar")]
    assert printed[0] == printed[1]
    assert run("list", "haar").stdout.startswith("rotation: ")


def test_bad_usage_of_encode(tmp_path):
    assert rejected("encode", "sinusoid", "--length", 4, "--dim", 4).endswith('found "sinusoid" (did you mean sinusoidal?)')
    assert rejected("encode", "dft", "--length", 4, "--dim", 0) == '--dim: expected a whole number of at least 1, found "0"'
    assert rejected("encode", "dft", "--length", -4, "--dim", 4) == '--length: expected a whole number of at least 1, found "-4"'
    assert rejected("encode", "dft", "--dim", 4).startswith("encode: --length is missing")
    assert rejected("encode", "dft", "--length", 4) == "--dim: expected at least 1, found none"
    assert rejected("encode", "dft", "--length", 4, "--dim", "4x").startswith("--dim: expected a whole number")
    assert rejected("encode", "none", "--length", 4).startswith("encoding: expected an encoding with a table")
    assert "use -o table.npy" in rejected("encode", "alibi", "--length", 4)
    assert rejected("encode", "dft", "--length", 4, "--dim", 4, "-o", tmp_path / "t.txt").startswith("--output: expected a file name that ends in")
    assert "no folder" in rejected("encode", "dft", "--length", 4, "--dim", 4, "-o", tmp_path / "none" / "t.npy")
    assert "--scale: expected as-defined" in rejected("encode", "dft", "--length", 4, "--dim", 4, "--scale", "big")
    assert list(tmp_path.iterdir()) == []


def test_damaged_files_get_one_clear_line(tmp_path):
    path = tmp_path / "t.npy"
    np.save(path, np.arange(6.0).reshape(2, 3))
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    assert rejected("show", path) == f"{path}: expected 48 bytes of data for shape (2, 3) of <f8, found 47"
    path.write_bytes(whole[:9])
    assert rejected("show", path).startswith(f"{path}: expected ")
    path.write_bytes(b"")
    assert rejected("show", path).startswith(f"{path}: expected ")
    path.write_bytes(b"PNG, not an array" * 10)
    assert rejected("show", path).startswith(f"{path}: expected a .npy file")
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 1000000000), }"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
    assert rejected("show", path).startswith(f"{path}: expected ")
    np.save(path, np.array([[1.0, np.nan]]))
    assert rejected("decode", path) == f"{path}: row 1, column 2: expected a finite number, found nan"
    assert rejected("show", tmp_path / "none.npy").startswith(f"{tmp_path / 'none.npy'}: expected ")
    assert rejected("show", tmp_path / "t.png").endswith("found another name")
    csv = tmp_path / "t.csv"
    csv.write_text("1,2\n3,x\n")
    assert rejected("decode", csv).startswith(f'{csv}:2:2: expected a number, found "x"')


@pytest.mark.parametrize("ending", ["npy", "npz", "csv", "csv.gz"])
def test_random_bytes_never_crash(tmp_path, ending):
    random = np.random.default_rng(5)
    path = tmp_path / f"t.{ending}"
    for size in (1, 10, 100, 1000, 10000):
        path.write_bytes(random.bytes(size))
        assert rejected("show", path)


def test_show_agrees_with_numpy(tmp_path):
    np.savez(tmp_path / "two.npz", a=np.array([[1.0, -2.0], [np.nan, 4.0]]), b=np.arange(3, dtype=np.int16))
    shown = json.loads(run("show", tmp_path / "two.npz", "--json").stdout)["arrays"]
    assert shown[0] == {"name": "a", "type": "<f8", "shape": [2, 2], "not_finite": 1, "min": -2.0, "mean": 1.0, "max": 4.0}
    assert shown[1] == {"name": "b", "type": "<i2", "shape": [3], "not_finite": 0, "min": 0.0, "mean": 1.0, "max": 2.0}
    assert run("show", tmp_path / "two.npz").stdout == "a: <f8 (2, 2), -2 to 4, mean 1, 1 not finite\nb: <i2 (3,), 0 to 2, mean 1\n"


def test_decode_says_what_is_no_code(tmp_path):
    """Another scale, another encoding and nonsense gave positions without a word."""
    run("encode", "dft", "--length", 16, "--dim", 16, "--scale", 2.5, "-o", tmp_path / "scaled.npy")
    run("encode", "sinusoidal", "--length", 16, "--dim", 16, "-o", tmp_path / "other.npy")
    np.save(tmp_path / "nonsense.npy", np.full((16, 16), 1e300))
    for name in "scaled", "other", "nonsense":
        done = run("decode", tmp_path / f"{name}.npy")
        assert done.returncode == 0 and len(done.stdout.split()) == 16
        assert done.stderr == ("faithful: 16 of 16 rows are far from every code, so their positions are guesses: look at "
                               "--period, --scale and the table\n")
    assert run("decode", tmp_path / "scaled.npy", "--scale", 2.5).stderr == ""


def test_decode_says_where_rows_lie_between_codes(tmp_path):
    """A table of another period or length gave wrong positions without a word."""
    right = [str(position) for position in range(80)]
    cases = [(("dft", "--length", 80, "--dim", 64, "--period", 80), (), ("--period", 80),
              "32 of 80 rows lie between codes (up to 0.69 from the nearest, which is 1.4 from the next): noise, or a table of "
              "another --period or --scale, whose positions are guesses"),
             (("spectral", "--length", 80, "--dim", 64), ("--encoding", "spectral", "--length", 100), ("--encoding", "spectral"),
              "40 of 80 rows lie between codes (up to 0.11 from the nearest, which is 0.27 from the next): noise, or a table of "
              "another --length-scale, --length or --scale, whose positions are guesses")]
    for encode, wrong, said, note in cases:
        assert run("encode", *encode, "-o", tmp_path / "t.npy").returncode == 0
        done = run("decode", tmp_path / "t.npy", *wrong)
        assert done.returncode == 0 and done.stdout.split() != right and done.stderr == f"faithful: {note}\n"
        table = np.load(tmp_path / "t.npy")
        noise = np.random.default_rng(1).normal(0, 0.004, table.shape)
        for exact in table, table.astype(np.float32), table.astype(np.float16), table + noise:
            np.save(tmp_path / "exact.npy", exact)
            done = run("decode", tmp_path / "exact.npy", *said)
            assert done.stdout.split() == right and done.stderr == ""
