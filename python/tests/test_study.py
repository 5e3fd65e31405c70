"""choose and compare: the numbers of the program, arrays, figures and notebooks."""
import json

import numpy as np
import pytest

import faithful

TINY = {"width": 8, "heads": 2, "layers": 1}
FLAGS = ["--width", 8, "--heads", 2, "--layers", 1]


@pytest.fixture(scope="module")
def shapes(bumps, tmp_path_factory):
    """The same series as an object and as a file."""
    file = tmp_path_factory.mktemp("shapes") / "bumps.npz"
    faithful.data.from_arrays(*bumps).save(file)
    return faithful.data.load(file), file


@pytest.fixture(scope="module")
def choice(shapes):
    return faithful.choose(shapes[0], ["none", "dft"], folds=2, repeats=1, seed=3, steps=4, **TINY)


@pytest.fixture(scope="module")
def comparison(shapes):
    return faithful.compare(shapes[0], ["sinusoidal", "dft"], seeds=2, rates=[2e-3], epochs=1, gap_seeds=0, minirocket=False, **TINY)


def test_choose_has_the_numbers_of_the_program(shapes, choice, program):
    theirs = program("choose", shapes[1], "--encodings", "none,dft", "--folds", 2, "--repeats", 1, "--seed", 3, "--steps", 4, *FLAGS,
                     "--json")
    assert choice.to_dict() == theirs
    assert choice.encodings == ["erpe", "none", "dft"] and choice.values.shape == (3, 2)
    assert np.allclose(choice.values.mean(axis=1), choice.mean) and np.isnan(choice.p[0])
    assert np.allclose(choice.difference[1:], choice.mean[1:] - choice.mean[0])


def test_compare_has_the_numbers_of_the_program(shapes, comparison, program, tmp_path):
    theirs = program("compare", shapes[1], "--encodings", "sinusoidal,dft", "--seeds", 2, "--rates", "2e-3", "--epochs", 1,
                     "--gap-seeds", 0, "--no-minirocket", *FLAGS, "--json")
    assert comparison.to_dict() == theirs
    assert comparison.arms == ["sinusoidal", "dft", "none"]
    scores = comparison.scores()
    assert {len(one) for one in scores.values()} == {2}
    assert np.isclose(scores["dft"].mean(), comparison.groups[0]["arms"][1]["measures"]["f1"]["mean"])
    assert comparison.scores("auc_pr")["none"].shape == (2,)


def test_finished_runs_are_not_run_again(shapes, comparison, tmp_path):
    arguments = dict(seeds=2, rates=[2e-3], epochs=1, gap_seeds=0, minirocket=False, output=tmp_path / "kept", **TINY)
    first = faithful.compare(shapes[0], ["sinusoidal", "dft"], **arguments)
    lines = (tmp_path / "kept/runs.jsonl").read_text()
    again = faithful.compare([shapes[0]], ["sinusoidal", "dft"], **arguments)
    assert first.to_dict() == again.to_dict() == comparison.to_dict()
    assert (tmp_path / "kept/runs.jsonl").read_text() == lines and len(lines.splitlines()) == 1 + len(first.runs)  # one of settings


def test_what_is_shown(shapes, choice, comparison):
    assert choice.sentence in repr(choice) and choice.sentence.split("(")[0] in choice._repr_html_()
    assert "sinusoidal" in repr(comparison) and comparison.comparisons[0]["verdict"] in repr(comparison)
    assert comparison._repr_html_().count("<table>") == 2


def test_refused_arguments(shapes, comparison):
    for call, kind, message in [
            (lambda: faithful.compare([], ["dft"]), ValueError, "data: expected at least one data set, found none"),
            (lambda: faithful.compare(shapes[0], encoding="dft"), TypeError, "encoding: expected encodings, scales or rates"),
            (lambda: faithful.compare(shapes[0], ["dtf"]), ValueError, "dtf"),
            (lambda: faithful.choose(shapes[0], folds=1), ValueError, "folds: expected a whole number from 2"),
            (lambda: faithful.choose("x.csv"), TypeError, "data: expected a data set"),
            (lambda: comparison.scores("recal"), ValueError, "measure: expected one of f1, .*found 'recal'"),
            (lambda: comparison.scores(data="x"), ValueError, "data: expected one of .*, found 'x'")]:
        with pytest.raises(kind, match=message):
            call()


@pytest.fixture(scope="module")
def evaluated(shapes):
    model = faithful.fit(shapes[0], preset="plain", epochs=6, baselines=False, **TINY)
    return faithful.evaluate(model, shapes[0]), faithful.diagnose(model, shapes[0], above=0.2)


def test_results_in_notebooks(evaluated):
    found, alarms = evaluated
    assert "accuracy" in found._repr_html_().lower() and found._repr_html_().count("<table>") == 2
    assert len(alarms) > 0 and alarms[0].series in alarms._repr_html_()
    json.dumps(found.to_dict())


def test_figures(choice, comparison, evaluated):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    found, alarms = evaluated
    assert len(choice.plot().axes) == 1 and len(comparison.plot().axes) == 1
    assert [axes.get_title().split(",")[0] for axes in found.plot().axes] == ["scores", "windows", "reliability"]
    assert len(alarms.plot().axes) == 2
    figure = matplotlib.figure.Figure()
    assert alarms[0].plot(figure) is figure and len(figure.axes) == 2
    matplotlib.pyplot.close("all")
