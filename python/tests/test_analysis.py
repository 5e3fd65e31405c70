"""analyze: the numbers of `faithful analyze --json`, its texts and figures."""
import numpy as np
import pytest

import faithful


@pytest.mark.parametrize("name", ["sinusoidal", "dft", "rope", "alibi", "shaw", "none"])
def test_numbers_are_those_of_the_program(name, program):
    wanted, = program("analyze", name, "--length", 20, "--dim", 32, "--heads", 4, "--json")
    assert faithful.analyze(name, 20, 32, heads=4).to_dict() == wanted


def test_numbers_of_a_table_and_of_options(program, tmp_path):
    table = np.random.default_rng(2).normal(size=(15, 6))
    table[7] = table[3]
    np.save(tmp_path / "mine.npy", table)
    wanted, = program("analyze", tmp_path / "mine.npy", "--json", "--at", "2,3", "--sigma-bins", "2")
    found = faithful.analyze(table, name=str(tmp_path / "mine.npy"), at=[2, 3], sigma_bins=2)
    assert found.to_dict() == wanted
    assert found.kind == "table" and any(one["what"] == "duplicate-rows" for one in found.findings)
    wanted, = program("analyze", "rotation", "--length", 9, "--dim", 12, "--seed", 4, "--json")
    assert faithful.analyze("rotation", 9, 12, seed=4).to_dict() == wanted


def test_arrays_and_names():
    found = faithful.analyze("dft", 80, 256)
    assert (found.name, found.length, found.dim) == ("dft", 80, 256)
    assert np.array_equal(found.table, faithful.encode("dft", 80, 256))
    assert np.allclose(found.cosines, np.eye(80), atol=1e-12)
    assert set(found.curves) == {5, 40, 75} and found.curves[40].argmax() == 40
    assert np.isclose(found.faithfulness["min_distance"], np.sqrt(2))
    found.to_dict()["faithfulness"].clear()
    assert found.faithfulness["min_distance"] > 1  # a copy was given


def test_texts():
    found = faithful.analyze(np.eye(4)[[0, 1, 2, 2]], name="<mine>")
    assert "smallest distance" in repr(found) and "fault" in repr(found)
    page = found._repr_html_()
    assert "&lt;mine&gt;" in page and "<mine>" not in page and page.startswith("<table>")


@pytest.mark.parametrize("name", ["sinusoidal", "alibi"])
def test_plot(name):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    figure = faithful.analyze(name, 12, 16).plot()
    axes = figure.axes
    assert len(axes) == 4 and len(axes[0].images) == 1
    assert len(axes[3].lines) == (1 if name == "sinusoidal" else 0)  # of 5, 40, 75 one is below 12
    figure.canvas.draw()


@pytest.mark.parametrize("call, kind, message", [
    (lambda: faithful.analyze([[1, 2], [np.nan, 3]]), ValueError, r"table: .* found NaN at \(1, 0\)"),
    (lambda: faithful.analyze([1.0, 2.0]), ValueError, r"expected a table of shape .*, found an array of shape \(2,\)"),
    (lambda: faithful.analyze(np.eye(3), 3), TypeError, "length: expected with the name of an encoding only"),
    (lambda: faithful.analyze("dft", 8, 8, at=[9]), ValueError, "9"),
    (lambda: faithful.analyze("dft", 8, 8, at=[1.5]), TypeError, "at: expected a whole number, found 1.5"),
    (lambda: faithful.analyze(np.zeros((0, 3))), ValueError, "expected"),
])
def test_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
