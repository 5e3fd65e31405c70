"""Labels and settings survive fit, save, load and pickle; the order of classes is the program's."""
import pickle

import numpy as np
import pytest

import faithful
from faithful import TimeSeriesTransformer, data
from faithful._labels import classes_from_json


def mixed(values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


LABELS = {
    "text digits": np.array(["1", "10", "2"]),
    "text with zeros": np.array(["01", "1", "2"]),
    "int": np.array([1, 2, 10]),
    "negative int8": np.array([-10, -2, 3], dtype=np.int8),
    "bool": np.array([False, True]),
    "float": np.array([0.0, 1.0, 2.0]),
    "float32": np.array([1.0, 2.0, 10.0], dtype=np.float32),
    "text": np.array(["a", "ä", "Ω | \n"]),
    "bytes": np.array([b"a", b"b\xff"]),
    "objects": mixed(["no", "yes"]),
    "mixed": mixed([1, "1", 2.5]),
}


@pytest.mark.parametrize("kind", LABELS)
def test_what_classes_held_comes_back(kind, bumps, quick, tmp_path):
    X, _ = bumps
    y = LABELS[kind][np.arange(60) % len(LABELS[kind])]
    fitted = TimeSeriesTransformer(**{**quick, "epochs": 1}).fit(X, y)
    assert fitted.classes_.dtype == y.dtype and set(fitted.classes_.tolist()) == set(y.tolist())
    fitted.save(tmp_path / "m.safetensors")
    loaded = TimeSeriesTransformer.load(tmp_path / "m.safetensors")
    for again in (loaded, pickle.loads(pickle.dumps(fitted)), pickle.loads(pickle.dumps(loaded))):
        assert again.classes_.dtype == fitted.classes_.dtype
        assert [(type(one), one) for one in again.classes_] == [(type(one), one) for one in fitted.classes_]
        assert np.array_equal(again.predict(X), fitted.predict(X))
    assert len(set(faithful.load_model(tmp_path / "m.safetensors").classes)) == len(fitted.classes_)


def test_a_list_of_several_kinds_stays_what_it_is(bumps, quick):
    X, _ = bumps
    fitted = TimeSeriesTransformer(**{**quick, "epochs": 1}).fit(X, [1, "1", True] * 20)
    assert [(type(one), one) for one in fitted.classes_] == [(int, 1), (str, "1"), (bool, True)]


def test_large_whole_numbers_come_back(bumps, quick, tmp_path):
    """A file in JSON would round them, or refuse them after the training."""
    X, _ = bumps
    for wanted in ([-2**64 - 1, 5], [5, 2**63 - 1], [5, 2**70 + 1], [5, 10**400]):
        fitted = TimeSeriesTransformer(**{**quick, "epochs": 1}).fit(X, wanted * 30)
        fitted.save(tmp_path / "m.safetensors")
        assert TimeSeriesTransformer.load(tmp_path / "m.safetensors").classes_.tolist() == fitted.classes_.tolist() == wanted


def test_columns_and_their_names_come_back(bumps, quick, tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = bumps
    frame = pandas.DataFrame(X[:, :5, 0], columns=list("abcde"))
    TimeSeriesTransformer(**quick).fit(frame, y).save(tmp_path / "m.safetensors")
    loaded = TimeSeriesTransformer.load(tmp_path / "m.safetensors")
    assert loaded.n_features_in_ == 5 and loaded.feature_names_in_.tolist() == list("abcde")


SETTINGS = {
    "plain": {"encoding": "rope", "rho": 100.0, "validation": 3, "threshold": "validation", "scaler": "robust"},
    "standard": {"preset": "standard", "encoding": "sinusoidal", "steps": 4, "epochs": None, "scale": 0.5, "random_state": np.random.RandomState(5)},
    "dfstrans": {"preset": "dfstrans", "segment": 8, "filters": 8, "feed_forward": 16, "head_hidden": 16, "stages": 2,
                 "width": None, "epochs": 1, "sensor_weights": True},
    "weights": {"class_weight": {"bump": np.float64(3)}, "missing": "mask", "axes": "ntc", "scaling": "window",
                "learning_rate": np.float32(0.01), "random_state": None},
    "share": {"validation": 0.25, "class_weight": "balanced", "smoothing": 0.1, "patience": 2},
}


@pytest.mark.parametrize("case", SETTINGS)
def test_loading_restores_all_settings(case, bumps, quick, tmp_path):
    clone = pytest.importorskip("sklearn.base").clone
    X, y = bumps
    fitted = TimeSeriesTransformer(**{**quick, "epochs": 2, **SETTINGS[case]}).fit(X, y)
    fitted.save(tmp_path / "m.safetensors")
    loaded = TimeSeriesTransformer.load(tmp_path / "m.safetensors", n_jobs=2)
    mine, theirs = loaded.get_params(), fitted.get_params()
    assert isinstance(mine.pop("random_state"), int) and theirs.pop("random_state", 0) != ""
    assert mine == theirs
    assert clone(loaded).fit(X, y)._model.bytes() == fitted._model.bytes()


TS = """@problemName toy
@timeStamps false
@missing false
@univariate true
@equalLength true
@seriesLength 12
@classLabel true 2 10 1
@data
"""


@pytest.fixture(scope="module")
def libras(tmp_path_factory):
    """A set like Libras, whose classes are numbers as texts."""
    folder = tmp_path_factory.mktemp("ts") / "toy"
    folder.mkdir()
    random = np.random.default_rng(5)
    for part in ("TRAIN", "TEST"):
        rows = [",".join(f"{v:.3f}" for v in random.normal(size=12)) + ":" + ["2", "10", "1"][i % 3] for i in range(24)]
        (folder / f"toy_{part}.ts").write_text(TS + "\n".join(rows) + "\n")
    return folder


def test_the_order_of_classes_is_the_programs(libras, program, tmp_path, quick):
    """The model orders texts that are numbers by number; classes_ is sorted, as scikit-learn has it."""
    file = tmp_path / "m.safetensors"
    program("train", libras, "--split", "given", "--no-baselines", "--preset", "plain", "--width", 16, "--heads", 2,
            "--layers", 1, "--epochs", 2, "--folds", 0, "--seed", 1, "-o", file)
    X, y = data.load(libras).part("train").arrays()
    fitted = TimeSeriesTransformer(**{**quick, "epochs": 2}).fit(X, y)
    loaded = TimeSeriesTransformer.load(file)
    assert fitted.classes_.tolist() == ["1", "10", "2"] and loaded.classes_.tolist() == ["1", "2", "10"]
    assert fitted._model.classes == loaded._model.classes == data.from_arrays(X, y).classes
    assert np.array_equal(fitted.predict_proba(X)[:, [0, 2, 1]], loaded.predict_proba(X))
    assert np.array_equal(fitted.predict(X), loaded.predict(X))
    assert np.array_equal(fitted.predict(X), fitted.classes_[fitted.decision_function(X).argmax(axis=1)])


def test_normal_comes_before_anomalous(bumps, quick):
    """In the model, where the second class is the one to detect; classes_ is sorted."""
    X, y = bumps
    y = np.where(y == "bump", "anomalous", "normal")
    fitted = TimeSeriesTransformer(**quick, threshold=0.6).fit(X, y)
    assert fitted._model.classes == ["normal", "anomalous"] and fitted.classes_.tolist() == ["anomalous", "normal"]
    assert fitted.score(X, y) > 0.9
    detected = fitted.predict(X) == "anomalous"
    assert np.array_equal(detected, fitted.predict_proba(X)[:, 0] >= 0.6)
    assert np.array_equal(detected, ~(fitted.decision_function(X) > 0))
    assert data.from_arrays(X, y).classes == ["normal", "anomalous"]


def test_an_empty_class_is_refused(bumps, quick):
    with pytest.raises(ValueError, match="y: expected classes with a name, found an empty text"):
        TimeSeriesTransformer(**quick).fit(bumps[0], ["", "a"] * 30)


@pytest.mark.parametrize("flags", [["--preset", "plain", "--folds", 3, "--epochs", 3, "--encoding", "rope"],
                                   ["--preset", "standard", "--folds", 0, "--steps", 4],
                                   ["--model", "dfstrans", "--segment", 4, "--filters", 4, "--folds", 0, "--epochs", 1,
                                    "--stages", 1, "--head-hidden", 8]])
def test_loading_restores_the_settings_of_the_program(flags, libras, program, tmp_path):
    clone = pytest.importorskip("sklearn.base").clone
    file = tmp_path / "m.safetensors"
    program("train", libras, "--split", "given", "--no-baselines", "--heads", 2, *flags, "--seed", 3, "-o", file)
    X, y = data.load(libras).part("train").arrays()
    loaded = TimeSeriesTransformer.load(file)
    again = clone(loaded).fit(X, y)
    same = [again.classes_.tolist().index(one) for one in loaded.classes_]
    assert np.array_equal(again.predict_proba(X)[:, same], loaded.predict_proba(X))
    assert again.history_ == loaded.history_ and again.random_state == 3


class NoTruth:
    """Like pandas.NA."""

    def __ne__(self, other):
        return self

    __hash__ = object.__hash__

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")


def refused_by_both(X, y, kind, message):
    """message: {each} is what has a label."""
    with pytest.raises(kind, match=message.format(each="sample")):
        TimeSeriesTransformer(epochs=1).fit(X, y)
    with pytest.raises(kind, match=message.format(each="series")):
        data.from_arrays(X, y)


MISSING = r"y: expected a label for each {each}, found a missing value \(NaN, None or masked\) at 4 and 1 more places"


@pytest.mark.parametrize("missing", [None, float("nan"), np.datetime64("NaT"), NoTruth(), np.ma.masked],
                         ids=["None", "NaN", "NaT", "NA", "masked"])
@pytest.mark.parametrize("labels", [["bump", "flat"], [0, 1], [1.0, 2.0]], ids=["texts", "ints", "floats"])
def test_a_missing_label_is_refused(labels, missing, bumps):
    """As pandas has them among texts and numbers."""
    y = labels * 30
    y[4] = y[7] = missing
    for given in (y, tuple(y), mixed(y)):
        refused_by_both(bumps[0], given, ValueError, MISSING)


@pytest.mark.parametrize("labels", [["bump", "flat"], [b"a", b"b"], [0, 1], [1.0, 2.0], [False, True], mixed(["a", 1])],
                         ids=["texts", "bytes", "ints", "floats", "truth", "objects"])
def test_a_masked_label_is_refused(labels, bumps):
    y = np.ma.masked_array(np.array(labels)[np.arange(60) % 2], np.isin(np.arange(60), [4, 7]))
    refused_by_both(bumps[0], y, ValueError, MISSING)
    with pytest.warns(UserWarning, match="column-vector"), pytest.raises(ValueError, match=MISSING.format(each="sample")):
        TimeSeriesTransformer().fit(bumps[0], y[:, None])


def test_missing_labels_of_pandas_are_refused(bumps):
    pandas = pytest.importorskip("pandas")
    for kind, values in {"string": ["a", "b"], "Int64": [0, 1], "boolean": [False, True], "category": ["a", "b"]}.items():
        y = pandas.Series(values * 30, dtype=kind)
        y[[4, 7]] = pandas.NA
        refused_by_both(bumps[0], y, ValueError, MISSING)
    times = pandas.Series(pandas.to_datetime(["2024-01-01"] * 60))
    times[[4, 7]] = pandas.NaT
    refused_by_both(bumps[0], times, ValueError, MISSING)


def test_none_is_read_from_files_of_earlier_versions():
    assert classes_from_json({"dtype": "|O", "values": [["NoneType", None], ["str", "a"]]}).tolist() == [None, "a"]


def test_a_label_that_no_file_can_hold_is_refused(bumps):
    refused_by_both(bumps[0], ["flat", "b\ud800"] * 30, ValueError,
                    r"^y: expected a text that UTF-8 can encode, found 'b\\ud800' \(str\) with a lone surrogate at character 1$")


def test_one_class_is_named_plainly(bumps, quick):
    with pytest.raises(ValueError, match=r"found one class, 0\.0, in 60 sample"):
        TimeSeriesTransformer(**quick).fit(bumps[0], np.zeros(60))
