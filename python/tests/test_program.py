"""The estimator and the program: the same bits on the same data, seed and split, in both directions."""
import csv
import io
import json

import numpy as np
import pytest

import faithful
from faithful import TimeSeriesTransformer, data


@pytest.fixture(scope="module")
def given(bumps, tmp_path_factory):
    """A set with a test part of its own, as arrays and as a file."""
    X, y = bumps
    file = tmp_path_factory.mktemp("given") / "bumps.npz"
    data.from_arrays(X, y, parts=["train"] * 40 + ["test"] * 20).save(file)
    return X[:40], y[:40], X[40:], y[40:], file


FLAGS = ["--preset", "plain", "--width", 16, "--heads", 2, "--layers", 1, "--epochs", 6, "--seed", 3, "--threads", 2]


@pytest.fixture(scope="module")
def by_program(given, program, tmp_path_factory):
    model = tmp_path_factory.mktemp("model") / "m.safetensors"
    program("train", given[4], "--split", "given", "--no-baselines", "--threshold", "best-f1", *FLAGS, "-o", model)
    return model, program("show", model, "--json")


@pytest.fixture(scope="module")
def by_estimator(given, quick):
    return TimeSeriesTransformer(validation=5, threshold="validation", random_state=3, **quick).fit(*given[:2])


def test_scores_are_the_same_to_the_last_bit(given, by_program, by_estimator):
    _, _, X, y, _ = given
    scores = json.loads(by_estimator._model.json)
    record = by_program[1]
    assert scores["record"]["history"] == record["record"]["history"]
    assert scores["record"]["cross_validation"] == record["record"]["cross_validation"]
    assert scores["threshold"] == record["threshold"]
    assert by_estimator.score(X, y) == record["record"]["test"]["accuracy"]


def test_models_are_the_same_to_the_last_bit(by_program, by_estimator):
    """Weights, scaler, config and threshold of both files; they differ in what they say about the data set."""
    def parts(file_bytes):
        size = int.from_bytes(file_bytes[:8], "little")
        return json.loads(file_bytes[8:8 + size]), file_bytes[8 + size:]
    (mine, my_weights), (theirs, their_weights) = parts(by_estimator._model.bytes()), parts(by_program[0].read_bytes())
    assert my_weights == their_weights
    assert {k: v for k, v in mine.items() if k != "__metadata__"} == {k: v for k, v in theirs.items() if k != "__metadata__"}
    for key in ("config", "scaler", "threshold", "classes", "channels"):
        assert by_estimator.record_[key] == json.loads(json.dumps(by_program[1][key])), key


def test_the_program_predicts_with_the_estimators_file(given, by_estimator, program, tmp_path):
    _, _, X, _, file = given
    by_estimator.save(tmp_path / "m.safetensors")
    lines = program("predict", tmp_path / "m.safetensors", file, "--part", "test").splitlines()
    rows = [dict(zip(lines[0].split(","), line.split(","))) for line in lines[1:]]
    assert np.array_equal(np.array([row["score"] for row in rows], np.float32), by_estimator.predict_proba(X)[:, 1])
    assert [row["class"] for row in rows] == by_estimator.predict(X).tolist()


def test_the_estimator_predicts_with_the_programs_file(given, by_program, by_estimator):
    _, _, X, _, _ = given
    loaded = TimeSeriesTransformer.load(by_program[0])
    assert np.array_equal(loaded.predict_proba(X), by_estimator.predict_proba(X))
    assert np.array_equal(loaded.predict(X), by_estimator.predict(X))


def test_safetensors_reads_the_programs_file(by_program, by_estimator):
    """Where the package of that name is installed (make test-pip)."""
    reader = pytest.importorskip("safetensors.numpy")
    tensors = reader.load_file(by_program[0])
    assert sum(one.size for one in tensors.values()) > 1000
    mine = reader.load(by_estimator._model.bytes())
    assert set(mine) == set(tensors) and all(np.array_equal(mine[name], tensors[name]) for name in mine)


def test_windows_of_a_timeline(program, tmp_path):
    """A model of windows, trained by the program on a timeline, answers to windows that are arrays."""
    random = np.random.default_rng(1)
    rows = random.normal(size=(600, 2)).astype(np.float32)
    broken = (np.arange(600) // 60) % 3 == 1
    rows[broken] += 2
    text = "a,b,broken\n" + "\n".join(f"{a},{b},{int(l)}" for (a, b), l in zip(rows, broken)) + "\n"
    (tmp_path / "line.csv").write_text(text)
    program("train", tmp_path / "line.csv", "--label", "broken", "--window", 20, "--stride", 20, *FLAGS[:-2], "-o",
            tmp_path / "m.safetensors")
    loaded = TimeSeriesTransformer.load(tmp_path / "m.safetensors")
    windows = rows.reshape(30, 20, 2)
    assert loaded.predict_proba(windows).shape == (30, 2) and loaded.classes_.tolist() == ["normal", "anomalous"]


def test_the_standard_preset_is_that_of_the_program(given, program, tmp_path):
    file = tmp_path / "m.safetensors"
    program("train", given[4], "--split", "given", "--no-baselines", "--preset", "standard", "--steps", 5, "--folds", 0, "--seed", 3,
            "-o", file)
    model = TimeSeriesTransformer(preset="standard", steps=5, validation=None, random_state=3, n_jobs=1).fit(*given[:2])
    assert np.array_equal(model.predict_proba(given[2]), TimeSeriesTransformer.load(file).predict_proba(given[2]))


def test_sets_are_those_of_the_program(given, program, tmp_path):
    file = tmp_path / "k.safetensors"
    program("train", given[4], "--split", "given", "--no-baselines", "--model", "kernels", "-o", file)
    rows = list(csv.DictReader(io.StringIO(program("predict", file, given[4], "--coverage", 0.8))))
    found = faithful.predict(file, data.load(given[4]), coverage=0.8)
    assert found.to_dict()["set"] == [row["set"] for row in rows] and list(found.to_dict()) == list(rows[0])
    assert all(one[0] == said for one, said in zip(found.sets, found.predicted)) and found.notes == []
    every = faithful.predict(file, data.load(given[4]), coverage=0.999)
    assert {len(one) for one in every.sets} == {len(every.classes)} and "every set has all classes" in every.notes[-1]
    assert faithful.predict(file, data.load(given[4])).sets is None
    with pytest.raises(ValueError, match="coverage: expected a number from 0.001 to 0.999, found 2"):
        faithful.predict(file, data.load(given[4]), coverage=2)


def test_a_model_of_kernels_is_loaded_and_predicts(given, program, tmp_path):
    file = tmp_path / "k.safetensors"
    program("train", given[4], "--split", "given", "--no-baselines", "--model", "kernels", "-o", file)
    lines = program("predict", file, given[4]).splitlines()[1:]
    predictions = faithful.predict(faithful.load_model(file), data.load(given[4]))
    assert len(lines) == 60 and predictions.predicted.tolist() == [line.split(",")[4] for line in lines]
    with pytest.raises(ValueError, match="expected a model of a Transformer, found another kind .use faithful.load_model."):
        TimeSeriesTransformer.load(file)


@pytest.mark.parametrize("options", [{"model": "linear"}, {"model": "kernels"}, {"preset": "best", "steps": 5}, {"ensemble": 2, "steps": 5}])
def test_every_kind_has_the_bytes_of_the_program(given, program, tmp_path, options):
    words = [text for name, value in options.items() for text in (f"--{name}", value)]
    program("train", given[4], "--split", "given", "--no-baselines", *words, "--folds", 2, "--seed", 3, "-o", tmp_path / "p.safetensors")
    model = faithful.fit(data.load(given[4]), split="given", folds=2, seed=3, baselines=False, **options)
    model.save(tmp_path / "m.safetensors")
    assert (tmp_path / "m.safetensors").read_bytes() == (tmp_path / "p.safetensors").read_bytes()


def test_kinds_without_options_say_so(given):
    with pytest.raises(ValueError, match='width does not apply to model="linear"'):
        faithful.fit(data.load(given[4]), model="linear", width=8)
