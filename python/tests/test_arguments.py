"""A bad value of every argument: the message names the argument as Python spells it, and no flag of the program.

test_classifier.py does the same for the estimator.
"""
import inspect
import re

import numpy as np
import pytest

import faithful
from faithful import _core, data
from faithful._model import _FIT
from faithful._options import ENCODING

LINE = data.from_arrays(np.zeros((1, 400, 2), np.float32))
SETTINGS = {one["name"]: one for one in
            [*_core.encoding_settings(), *_core.model_settings(), *_core.split_settings(), *_core.train_settings(),
             *_core.read_settings(), *_core.elevator_settings()]}
FREE = ("label", "positive", "time", "series", "part_column", "values", "axes", "data_dir")  # any text, checked by the data


def named(call, name):
    """The call is refused, in words that begin with the argument."""
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    message = str(caught.value)
    assert re.match(rf"{name}(\[\d+\])?: expected ", message), message
    assert not re.search(r"--[a-z]", message), message


def bad_values(name):
    """Of another kind, and of the right kind but not allowed."""
    yield object()
    setting = SETTINGS.get(name)
    if setting is not None and isinstance(setting["default"], str):
        yield "\ud800"  # half of a character, which UTF-8 cannot encode
    if setting is None or name in FREE:
        return
    kind = type(setting["default"])
    if kind is str:
        yield "nowhere"
    elif kind in (int, float):
        yield float("nan") if name == "first_position" else -1
        yield 10**400  # beyond all floats


@pytest.mark.parametrize("name", sorted(ENCODING))
def test_encode(name):
    encoding = next((one for one, entry in faithful.encodings().items() if name in entry.parameters), "sinusoidal")
    for value in bad_values(name):
        arguments = {"length": 8, "dim": 8, name: value}
        named(lambda: faithful.encode(encoding, **arguments), name)
        named(lambda: faithful.analyze(encoding, **arguments), name)


@pytest.mark.parametrize("name", sorted(data._READ))
def test_load(name, tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    for value in bad_values(name):
        named(lambda: data.load(tmp_path / "x.csv", **{name: value}), name)


@pytest.mark.parametrize("name", sorted(data._SPLIT))
def test_split(name):
    for value in bad_values(name):
        named(lambda: LINE.split(**{name: value}), name)


@pytest.mark.parametrize("name", sorted(data._ELEVATOR))
def test_elevator(name):
    for value in bad_values(name):
        named(lambda: data.elevator(**{"trips": 4, name: value}), name)


@pytest.mark.parametrize("name", sorted({*_FIT, *inspect.signature(faithful.fit).parameters} - {"options"}))
def test_fit(name, tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n" + "".join(f"{i % 7},{int(i % 100 > 80)}\n" for i in range(2000)))
    pump = data.load(tmp_path / "x.csv", label="b")
    preset = "dfstrans" if SETTINGS.get(name, {}).get("applies_to") == "dfstrans" else "plain"
    more = {"preset": ["huge", "\ud800"], "model": ["\ud800"], "threshold": ["\ud800"], "seed": [-1], "n_jobs": [0]}
    for value in [*bad_values(name), *more.get(name, [])]:
        named(lambda: faithful.fit(**{"data": pump, "window": 20, "preset": preset, name: value}), name)


def test_fit_knows_no_other_name():
    with pytest.raises(TypeError, match=r"epoch: expected the name of an option.*did you mean epochs\?"):
        faithful.fit(LINE, epoch=3)


@pytest.fixture(scope="module")
def trained(bumps, quick):
    return faithful.TimeSeriesTransformer(**{**quick, "epochs": 1}).fit(*bumps), data.from_arrays(*bumps)


WRONG = {"resamples": [0, 2.5], "level": [0, 1, "high"], "above": [-0.1, 1.5], "most": [0], "n_jobs": [0],
         "class_name": ["leak"], "only_series": ["1", ["nobody"]], "scale_as": ["nobody"], "seed": [-1],
         "threshold": ["best", 1.5, "false-alarms=2", "\ud800"], "model": ["\ud800"], "data": ["\ud800"]}


@pytest.mark.parametrize("function, name", [
    (function, name) for function in ("evaluate", "predict", "diagnose", "load_model")
    for name in inspect.signature(getattr(faithful, function)).parameters])
def test_calls_with_a_model(function, name, trained):
    first = {"file": object()} if function == "load_model" else {"model": trained[0], "data": trained[1]}
    for value in [object(), *WRONG.get(name, [])]:
        named(lambda: getattr(faithful, function)(**{**first, name: value}), name)


def test_numbers_beyond_all_floats(bumps):
    X, y = bumps
    estimator = faithful.TimeSeriesTransformer
    named(lambda: faithful.fourier.transform([10**400]), "values")
    named(lambda: faithful.decode([[10**400] * 8]), "codes")
    named(lambda: faithful.analyze([[10**400] * 8] * 3), "table")
    named(lambda: faithful.encode("dft", 10, 8, positions=[10**400]), "positions")
    named(lambda: estimator().fit([[[10**400, 1]]] * 60, y), "X")
    named(lambda: estimator().fit([[10**400, 1]] * 60, y), "X")
    named(lambda: estimator().fit(X, y, sample_weight=[10**400] * 60), "sample_weight")
    named(lambda: estimator().fit(X, y, sample_weight=10**400), "sample_weight")
    named(lambda: estimator(class_weight={"bump": 10**400}).fit(X, y), "class_weight")
    named(lambda: estimator(validation=10**400).fit(X, y), "validation")
    named(lambda: estimator(threshold=10**400).fit(X, y), "threshold")
    named(lambda: estimator(random_state=10**400).fit(X, y), "random_state")


def test_rows_of_unequal_length_are_named(bumps):
    y = bumps[1][:2]
    for X in ([[[1, 2], [3]]] * 2, [[[1, 2], [3, 4]], [[1, 2], [3]]], [[1, 2], [3]]):
        named(lambda: faithful.TimeSeriesTransformer().fit(X, y), "X")
    named(lambda: faithful.fourier.transform([[1, 2], [3]]), "values")


def test_none_is_no_array():
    named(lambda: faithful.fourier.transform(None), "values")
    named(lambda: faithful.decode(None), "codes")
    named(lambda: faithful.analyze(None), "table")
    named(lambda: faithful.analyze("\ud800", 4, 4), "what")


class Frame:
    """Like a DataFrame, whose text has many lines."""

    columns, shape = ["a"], (3, 1)

    def __repr__(self):
        return "   a\n0  1\n1  2"


def test_arrays_for_a_data_set_are_named_first():
    X, y = np.zeros((4, 5, 2)), ["a", "b"] * 2
    wanted = r"data: expected a data set \(faithful.data.load or from_arrays\), found "
    with pytest.raises(TypeError, match=wanted + r"an array of shape \(4, 5, 2\)"):
        faithful.fit(X, y)
    with pytest.raises(TypeError, match=wanted + r"a Frame of shape \(3, 1\)$"):
        faithful.fit(Frame())
    with pytest.raises(TypeError, match=r"found 'one', 'two' \(Lines\)$"):
        faithful.fit(type("Lines", (), {"__repr__": lambda self: "'one',\n 'two'"})())


@pytest.mark.parametrize("preset", ["best", "fast"])
def test_presets_of_fit_are_not_those_of_the_estimator(preset):
    with pytest.raises(ValueError, match=rf"preset: expected paper, .*, found '{preset}'.*call faithful.fit\(data, preset='{preset}'\)"):
        faithful.TimeSeriesTransformer(preset=preset).fit(np.zeros((4, 5, 2)), ["a", "b"] * 2)
