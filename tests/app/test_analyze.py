"""`analyze`: the paper's numbers, strangers' tables, the page, and bad input."""
import json
import re

import numpy as np
import pytest
from program import rejected, run


def analysis(*arguments, **options):
    done = run("analyze", *arguments, "--json", **options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def sinusoidal(length, dim, base=1e4):
    angles = np.arange(length)[:, None] * base ** (-2 * np.arange(dim // 2) / dim)
    table = np.zeros((length, dim), np.float32)
    table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    return table


@pytest.fixture(scope="module")
def paper():
    return analysis("sinusoidal", "dft", "--length", 80, "--dim", 256)


def test_the_papers_numbers(paper):
    original, dft = paper
    assert [one["name"] for one in paper] == ["sinusoidal", "dft"]
    assert (original["length"], original["dim"]) == (80, 256)
    spectrum = original["spectrum"]
    assert len(spectrum["g"]) == 129
    assert f"{spectrum['normalizer']:.5f}" == "897.76781"
    assert [f"{spectrum['g'][0]:.6f}", f"{spectrum['g'][1]:.6f}"] == ["0.106987", "0.108916"]
    assert [f"{spectrum['g'][8]:.7f}", f"{spectrum['g'][32]:.8f}"] == ["0.0363221", "0.00491447"]
    assert f"{spectrum['crossover']:.2f}" == "103.04" and spectrum["lowest_bin_share"] == 76 / 128
    at = {(one["position"], one["weighting"], one["smoothed"], one["sigma_bins"]): one for one in original["reconstruction"]}
    for position in (5, 40, 75):
        one = at[position, "per-frequency", True, 4]
        assert (f"{one['peak']:.4f}", f"{one['fwhm']:.2f}", f"{one['width10']:.2f}") == ("0.3403", "11.90", "32.56")
        one = at[position, "per-basis-function", True, 4]
        assert (f"{one['peak']:.4f}", f"{one['fwhm']:.2f}") == ("0.3173", "13.52")
    assert f"{at[40, 'per-frequency', True, 1]['fwhm']:.1f}" == "27.3"
    assert {key[3] for key in at} == {.5, 1, 2, 4, 8}
    at = {(one["position"], one["weighting"], one["smoothed"], one["sigma_bins"]): one for one in dft["reconstruction"]}
    one = at[40, "per-frequency", False, None]
    assert (f"{one['peak']:.5f}", f"{one['l2_error']:.4f}") == ("0.99902", "0.0442")
    one = at[40, "per-frequency", True, 4]
    assert (f"{one['peak']:.4f}", f"{one['l2_error']:.4f}") == ("0.9973", "0.0734")
    ridge = {one["position"]: one for one in original["ridge"]}[40]
    assert (f"{ridge['peak']:.3f}", f"{ridge['fwhm']:.2f}") == ("0.327", "3.61")


def test_the_measures(paper):
    original, dft = (one["faithfulness"] for one in paper)
    assert [original[f"rank_{name}"] for name in ("fp64", "fp32", "fp16", "bf16")] == [44, 35, 30, 29]
    assert [dft[f"rank_{name}"] for name in ("fp64", "fp32", "fp16", "bf16")] == [80] * 4
    assert f"{original['stable_rank']:.2f}" == "1.61" and original["condition"] == "> 1/eps"
    assert f"{original['coherence']:.3f}" == "0.972" and dft["gram_deviation"] < 1e-13
    noise = original["noise"]
    assert f"{noise['error_rate'][noise['sigma'].index(.1)]:.2f}" == "0.24"
    assert dft["collisions"] == {"fp64": 0, "fp32": 0, "bf16": 0, "fp16": 0}
    assert dft["first_collision"]["fp64"] == 257
    assert original["distinct_offsets"] is None and original["sign_seen"] is None


def test_a_bias_has_no_spectrum():
    (alibi,) = analysis("alibi", "--length", 20, "--dim", 64)
    assert alibi["spectrum"] is None and alibi["reconstruction"] is None
    assert alibi["faithfulness"]["distinct_offsets"] == 20 and alibi["faithfulness"]["sign_seen"] is False
    assert alibi["faithfulness"]["first_collision"] is None


def test_a_period_makes_room(tmp_path):
    assert "positions 0 and 64" in rejected("analyze", "dft", "--length", 80, "--dim", 64)
    (dft,) = analysis("dft", "--length", 80, "--dim", 64, "--period", 80)
    assert dft["faithfulness"]["collisions"]["fp64"] == 0


def found(table, path):
    np.save(path, table)
    (one,) = analysis(path)
    return {finding["what"]: finding for finding in one["findings"]}


def test_strangers_tables(tmp_path):
    generator = np.random.default_rng(0)
    learned = found(generator.normal(size=(128, 64)).astype(np.float32), tmp_path / "learned.npy")
    assert "no-order" in learned and not any(one["weight"] == "fault" for one in learned.values())
    assert found(sinusoidal(80, 64), tmp_path / "right.npy")["sinusoidal"]["weight"] == "remark"
    wrong = found(sinusoidal(80, 64, base=100), tmp_path / "exponent.npy")["wrong-exponent"]
    assert wrong["weight"] == "fault" and "i/d instead of 2i/d" in wrong["text"]
    assert found(sinusoidal(64, 80).T, tmp_path / "axis.npy")["transposed"]["weight"] == "fault"


def test_the_page_stands_alone_and_says_what_is_wrong(tmp_path):
    np.save(tmp_path / "a&b.npy", sinusoidal(48, 32, base=100))
    done = run("analyze", "a&b.npy", "sinusoidal", "alibi", "-o", "out/report", "--heads", 2, cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.endswith("\nout/report/report.html\n"), done.stderr
    page = (tmp_path / "out/report/report.html").read_text()
    assert "Fault: It is a sinusoidal table" in page and "a&amp;b.npy" in page
    assert "<script" not in page and not re.search(r"(src|href)=[\"']?(?!#|data:)\w", page)
    ids = re.findall(r"\sid=[\"']([^\"']+)", page)
    assert len(ids) == len(set(ids))
    folder = {path.name for path in (tmp_path / "out/report").iterdir()}
    for name in ("frontier", "spectrum", "reconstruction", "table", "gram", "sigma-sweep", "noise", "singular-values"):
        assert f"{name}.svg" in folder and f"{name}.csv" in folder
    assert {"analysis.json", "measures.csv", "deltas.csv"} <= folder
    again = run("analyze", "a&b.npy", "sinusoidal", "alibi", "-o", "again", "--heads", 2, cwd=tmp_path)
    assert again.returncode == 0
    assert (tmp_path / "again/report.html").read_text() == page


def test_without_gnuplot_the_numbers_are_written(tmp_path):
    done = run("analyze", "dft", "--length", 8, "--dim", 8, "-o", "out", cwd=tmp_path, env={"PATH": "/nonexistent"})
    assert done.returncode == 0 and done.stderr.count("\n") == 1 and "gnuplot-nox" in done.stderr
    assert (tmp_path / "out/spectrum.csv").exists() and not list((tmp_path / "out").glob("*.svg"))


def test_bad_input(tmp_path):
    assert "did you mean" in rejected("analyze", "sinusodial", "--length", 8, "--dim", 8)
    assert rejected("analyze", "dft", "--length", 8, "--dim", 8, "--at", 9).startswith("--at: expected positions below 8")
    np.save(tmp_path / "nan.npy", np.array([[1.0, np.nan]]))
    assert "row 1, column 2" in rejected("analyze", tmp_path / "nan.npy")
    (tmp_path / "no.npy").write_text("not an array")
    assert "no.npy" in rejected("analyze", tmp_path / "no.npy")
    (tmp_path / "file").write_text("")
    assert "file" in rejected("analyze", "dft", "--length", 8, "--dim", 8, "-o", tmp_path / "file")
    assert (tmp_path / "file").read_text() == ""
