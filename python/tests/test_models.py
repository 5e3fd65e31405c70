"""fit, evaluate, predict and diagnose on data sets: the numbers and the words of the program, to the last bit."""
import csv
import io
import pickle
import subprocess
import warnings

import numpy as np
import pytest

import faithful
from conftest import ROOT
from faithful import data

SMALL = {"preset": "plain", "width": 16, "heads": 2, "layers": 1, "epochs": 8, "window": 30, "stride": 10}
FLAGS = [text for name, value in SMALL.items() for text in (f"--{name}", value)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """pump.csv; june.csv, which has a mistake in it; good.csv without labels."""
    folder = tmp_path_factory.mktemp("models")
    lines = subprocess.run(["awk", "-f", ROOT / "examples/pump.awk"], capture_output=True, text=True, check=True).stdout.splitlines()
    (folder / "pump.csv").write_text("\n".join(lines) + "\n")
    random = np.random.default_rng(5)
    rows = [line.split(",") for line in lines[1:1501]]
    for i, row in enumerate(rows):  # noise, and a column more, and another order
        row[0] = f"{float(row[0]) + random.normal(0, 2):.4f}"
        row.append("2024-05-01T%02d:%02d:%02d" % (i // 3600, i // 60 % 60, i % 60))
    (folder / "june.csv").write_text("flow,temp,hum,hot,time\n" + "\n".join(
        ",".join([row[1], row[0], *row[2:]]) for row in rows) + "\n")
    (folder / "good.csv").write_text("temp,flow,hum\n" + "\n".join(",".join(row[:3]) for row in rows[:200]) + "\n")
    return folder


@pytest.fixture(scope="module")
def pump(folder):
    return data.load(folder / "pump.csv", label="hot")


@pytest.fixture(scope="module")
def june(folder):
    return data.load(folder / "june.csv", label="hot", time="time")


@pytest.fixture(scope="module")
def model(pump):
    return faithful.fit(pump, seed=3, **SMALL)


@pytest.fixture(scope="module")
def file(model, folder):
    model.save(folder / "m.safetensors")
    return folder / "m.safetensors"


JUNE = ("--label", "hot", "--time", "time")


def test_fit_writes_the_file_of_the_program(folder, file, program):
    program("train", folder / "pump.csv", "--label", "hot", "--seed", 3, *FLAGS, "-o", folder / "p.safetensors")
    assert (folder / "p.safetensors").read_bytes() == file.read_bytes()


@pytest.mark.parametrize("test_trips", [0, 8])
def test_window_and_split_follow_the_data(test_trips, program, tmp_path):
    """Whole trips; split by series, or as the set is split."""
    lift = data.elevator(30, anomalies=50, test_trips=test_trips, samples=60, channels=3)
    lift.save(tmp_path / "lift.npz")
    faithful.fit(data.load(tmp_path / "lift.npz"), preset="plain", epochs=2, baselines=False).save(tmp_path / "a.safetensors")
    program("train", tmp_path / "lift.npz", "--preset", "plain", "--epochs", 2, "--no-baselines", "-o",
            tmp_path / "b.safetensors")
    assert (tmp_path / "a.safetensors").read_bytes() == (tmp_path / "b.safetensors").read_bytes()


def test_model(model, file):
    assert model.classes == ["normal", "anomalous"] and model.channels == ["temp", "flow", "hum"] and model.length == 30
    assert model.record["test"]["f1"] > 0.5 and "linear" in model.record["baselines"]
    for again in (faithful.load_model(file), pickle.loads(pickle.dumps(model))):
        assert again.to_dict() == model.to_dict() and again.threshold == model.threshold
    assert repr(model) == "<Model: 3 channels, up to 30 samples, classes normal, anomalous>"


@pytest.mark.parametrize("held_out", [False, True])
def test_evaluate_is_that_of_the_program(held_out, folder, pump, june, model, file, program):
    arguments = [folder / "pump.csv", "--label", "hot", "--held-out"] if held_out else [folder / "june.csv", *JUNE]
    wanted = program("evaluate", file, *arguments, "--resamples", 300, "--seed", 2, "--json")
    found = faithful.evaluate(model, pump if held_out else june, held_out=held_out, resamples=300, seed=2)
    assert found.to_dict() == wanted
    assert found.intervals["f1"] == tuple(wanted["intervals"]["f1"]) and found.scores["f1"] == wanted["scores"]["f1"]
    assert np.array_equal(found.confusion, wanted["scores"]["confusion"]) and found.events == wanted["scores"]["events"]
    counted = [((found.truth == t) & (found.predicted == p)).sum() for t in (0, 1) for p in (0, 1)]
    assert counted == found.confusion.ravel().tolist()
    assert np.array_equal(found.predicted == 1, found.probabilities[:, 1].astype(float) >= found.threshold)
    assert set(found.end - found.begin) == {30} and set(found.series) == {"pump" if held_out else "june"}
    rows = found.probabilities[found.truth >= 0].astype(float)
    truth = found.truth[found.truth >= 0]
    assert np.isclose(found.scores["log_loss"], -np.log(np.maximum(rows[np.arange(len(rows)), truth], 1e-7)).mean())
    assert np.isclose(found.scores["brier"], ((rows - np.eye(2)[truth]) ** 2).sum(axis=1).mean())
    assert sum(one["count"] for one in found.reliability) == found.scores["windows"] == len(rows)
    ece = sum(one["count"] * abs(one["right"] - one["confidence"]) for one in found.reliability) / len(rows)
    assert np.isclose(found.scores["ece"], ece) and 0 < found.scores["ece_floor"] < 0.5
    for word in ("AUC-PR", "95 % intervals", "events detected", "log loss", "by chance"):
        assert word in repr(found)


def test_evaluate_takes_files_and_estimators(june, model, file, bumps, quick):
    assert faithful.evaluate(str(file), june).to_dict() == faithful.evaluate(file, june, n_jobs=1).to_dict()
    estimator = faithful.TimeSeriesTransformer(**quick).fit(*bumps)
    found = faithful.evaluate(estimator, data.from_arrays(*bumps))
    assert "too good" in found.notes[0]  # the same arrays
    assert "about 33 % of the data" in faithful.evaluate(estimator, data.from_arrays(bumps[0][:20], bumps[1][:20])).notes[0]
    found = faithful.evaluate(estimator, data.from_arrays(*bumps, name="new"))
    assert found.scores["accuracy"] == estimator.score(*bumps) and found.events is None
    assert "trained on this data" in found.notes[0]  # whatever its name
    everything = faithful.TimeSeriesTransformer(**{**quick, "epochs": 1, "validation": None}).fit(*bumps)
    assert "trained on this data" in faithful.evaluate(everything, data.from_arrays(*bumps)).notes[0]
    assert faithful.evaluate(everything, data.from_arrays(bumps[0] + 1, bumps[1], name="new")).notes == []
    assert np.array_equal(found.probabilities, estimator.predict_proba(bumps[0]))
    with pytest.raises(ValueError, match="not fitted yet"):
        faithful.evaluate(faithful.TimeSeriesTransformer(), june)


def test_more_than_two_classes(bumps, quick, program, tmp_path):
    X, _ = bumps
    waves = data.from_arrays(X, np.array(["a", "b", "c"])[np.arange(60) % 3], name="waves")
    waves.save(tmp_path / "waves.npz")
    estimator = faithful.TimeSeriesTransformer(**{**quick, "epochs": 1}).fit(*waves.arrays())
    estimator.save(tmp_path / "m.safetensors")
    found = faithful.evaluate(estimator, waves)
    assert found.to_dict() == program("evaluate", tmp_path / "m.safetensors", tmp_path / "waves.npz", "--json")
    assert found.threshold is None and found.confusion.shape == (3, 3) and "macro F1" in repr(found)
    predictions = faithful.predict(estimator, waves)
    assert np.array_equal(predictions.predicted, estimator.predict(X))
    assert list(predictions.to_dict()) == ["series", "begin", "end", "p(a)", "p(b)", "p(c)", "class", "status", "reason"]
    with pytest.raises(ValueError, match="scores: expected a model of two classes, found 3"):
        predictions.scores
    with pytest.raises(ValueError, match="class_name: expected a class that the model knows, found none"):
        faithful.diagnose(estimator, waves)


def test_a_prediction_says_whether_it_can_be_trusted(bumps, quick):
    X, y = bumps
    estimator = faithful.TimeSeriesTransformer(**{**quick, "epochs": 1}).fit(X, y)
    seen, far, lost = X[:1], 1e6 * X[:1], np.full_like(X[:1], 1e38)
    found = faithful.predict(estimator, data.from_arrays(np.concatenate([seen, far, lost])))
    assert list(found.status) == ["ok", "out_of_range", "invalid"]
    assert found.predicted[2] == "invalid" and np.isnan(found.probabilities[2]).all()
    assert found.reason[0] == "" and "training saw" in found.reason[1] and "training saw" in found.reason[2]


def test_fit_says_which_argument_is_wrong(pump):
    with pytest.raises(ValueError, match="^model: expected auto, encoder, dfstrans, kernels or linear, found 'bogus'$"):
        faithful.fit(pump, model="bogus")
    with pytest.raises(ValueError, match='preset="fast" does not go with model="linear"'):
        faithful.fit(pump, model="linear", preset="fast")


def test_evaluate_says_what_is_wrong(pump, june, model, folder, bumps, quick):
    assert faithful.evaluate(model, pump).notes == [
        "the model was trained on this data, so the scores are too good: held_out takes only its test part"]
    with pytest.raises(ValueError, match=r'good.csv: expected labels to compare with, found none \(label="COLUMN"\)'):
        faithful.evaluate(model, data.load(folder / "good.csv"))
    with pytest.raises(ValueError, match=r"expected the data that the model was trained on, .* \(leave out held_out\)"):
        faithful.evaluate(model, june, held_out=True)
    with pytest.raises(ValueError, match=r"X: expected 3 channels, found 2"):
        faithful.evaluate(model, data.from_arrays(*bumps))
    everything = faithful.TimeSeriesTransformer(**{**quick, "epochs": 1, "validation": None}).fit(*bumps)
    names = data.from_arrays(*bumps)
    with pytest.raises(ValueError, match="held_out: expected a model whose training left a test part with labels, found none"):
        faithful.evaluate(everything, names, held_out=True)


def test_predict_is_that_of_the_program(june, folder, model, file, program):
    rows = list(csv.DictReader(io.StringIO(program("predict", file, folder / "june.csv", "--time", "time"))))
    found = faithful.predict(model, june)
    said = found.to_dict()
    assert list(said) == list(rows[0]) and len(found) == len(rows) == 148
    assert np.array_equal(found.scores, np.array([row["score"] for row in rows], np.float32))
    for name in ("series", "begin", "end", "class"):
        assert [str(one) for one in said[name]] == [row[name] for row in rows]
    for name in ("start_time", "end_time"):
        assert [one[:19] for one in said[name]] == [row[name][:19] for row in rows]
    assert len(found.notes) == 1 and "temp reads 12.8566 at sample 564; training saw 19 to 25" in found.notes[0]
    assert repr(found).startswith("148 windows: ")


def test_data_sets_stay_as_they_are(june, model):
    before = june[0].values.copy()
    faithful.predict(model, june), faithful.evaluate(model, june), faithful.diagnose(model, june, normal=june)
    assert june.channels == ["flow", "temp", "hum"] and np.array_equal(june[0].values, before)


@pytest.mark.parametrize("arguments, flags", [
    ({}, []), ({"most": 2, "above": 0.4, "only_series": ["1"], "class_name": "anomalous"},
               ["--most", 2, "--above", 0.4, "--series", 1, "--class", "anomalous"])])
def test_diagnose_is_that_of_the_program(arguments, flags, june, folder, model, file, program):
    call = ["diagnose", file, folder / "june.csv", *JUNE, *flags]
    found = faithful.diagnose(model, june, **arguments)
    wanted = program(*call, "--json")
    assert found.to_dict() == wanted and len(found) == len(wanted["alarms"]) >= 2
    words = program(*call)
    assert found.summary.replace("most=\"N\"", "--most N") in words
    for alarm in found.alarms[:2]:
        assert alarm.advice in words and alarm.truth_words in words
        assert alarm.truth["false_alarm"] or alarm.truth_words.startswith("The fault according to the labels: 2024-05-01")
        assert f"Look first at {alarm.sensors[0]}" in repr(alarm) and repr(alarm) in repr(found)
        assert np.isclose(alarm.shares.sum(), 1) and (np.diff(alarm.shares) <= 0).all()
        assert alarm.spans.shape[1] == 2 and {len(one) for one in alarm.times.values()} == {len(alarm.pieces)}
        assert set(alarm.times) == {"attention", "occlusion", "gradient", "disagreement"}


def test_diagnose_with_a_normal_and_without_an_alarm(june, folder, model, file, pump, program):
    bare = data.load(folder / "june.csv", ignore=["hot", "time"])
    found = faithful.diagnose(model, bare, normal=data.load(folder / "good.csv"))
    assert found.normal.endswith("of good") and found[0].truth is None and found[0].truth_words == ""
    labelled = data.load(folder / "june.csv", label="hot", ignore=["time"])  # as the program reads it: hot was the label
    found = faithful.diagnose(model, labelled, normal=folder / "good.csv")
    assert found.to_dict() == program("diagnose", file, folder / "june.csv", "--time", "none", "--normal", folder / "good.csv", "--json")
    none = faithful.diagnose(model, june, above=1.0)
    assert len(none) == 0 and none.summary.startswith("no alarm: the highest score is ")
    assert "above=0.9" in none.summary and repr(none).endswith(none.summary)
    held_out = faithful.diagnose(model, pump, held_out=True)
    assert held_out.to_dict() == program("diagnose", file, folder / "pump.csv", "--label", "hot", "--held-out", "--json")


def test_the_name_of_a_series_does_not_matter(tmp_path, folder):
    lines = (folder / "pump.csv").read_text().splitlines()
    (tmp_path / "runs").mkdir()
    for number in range(4):
        (tmp_path / "runs" / f"{number}.csv").write_text("\n".join([lines[0], *lines[1 + 1500 * number:][:1500]]) + "\n")
    for name in ("0", "monday"):
        (tmp_path / f"{name}.csv").write_text((folder / "good.csv").read_text())
    known, new = (data.load(tmp_path / f"{name}.csv") for name in ("0", "monday"))
    runs = data.load(tmp_path / "runs", label="hot")
    model = faithful.fit(runs, **{**SMALL, "epochs": 1}, baselines=False)
    assert model.notes[0].startswith("split series: 4 of 4 series have anomalies, so whole series are held out; scaling")
    own = faithful.fit(runs, **{**SMALL, "epochs": 1}, split="blocked", scaling="series", baselines=False)
    for one in (model, own):
        assert (faithful.predict(one, known).scores == faithful.predict(one, new).scores).all()
    assert faithful.predict(model, new).notes == [] and "scale_as" in faithful.predict(own, new).notes[0]
    as_first = faithful.predict(own, new, scale_as="0")
    assert as_first.notes == [] and (as_first.scores != faithful.predict(own, new).scores).any()
    window = faithful.fit(runs, **{**SMALL, "epochs": 1}, scaling="window", baselines=False)
    assert window.to_dict()["scaler"]["scaling"] == "window"
    raised = data.from_arrays([one.values + 1000 for one in new], channels=new.channels)
    np.testing.assert_allclose(faithful.predict(window, raised).scores, faithful.predict(window, new).scores, atol=2e-2)


def test_thresholds_by_a_rule(model, june):
    curve = model.to_dict()["threshold"]["curve"]
    assert curve["smoothed_f1"] == model.threshold and curve["thresholds"] == sorted(curve["thresholds"], reverse=True)
    for rule in (0.9, "f1", "false-alarms=0/1000samples"):
        found = faithful.evaluate(model, june, threshold=rule, resamples=10)
        predicted = faithful.predict(model, june, threshold=rule)
        assert np.array_equal(found.predicted == 1, found.probabilities[:, 1].astype(float) >= found.threshold)
        assert np.array_equal(predicted.predicted == model.classes[1], found.predicted == 1)
        assert faithful.diagnose(model, june, threshold=rule, most=1).threshold == found.threshold
    assert found.threshold != model.threshold
    assert any("flags every normal window" in note for note in faithful.predict(model, june, threshold=0).notes)
    with pytest.raises(ValueError, match="threshold: expected false-alarms=N/1000samples, because the training data has no"):
        faithful.evaluate(model, june, threshold="false-alarms=1/day")


def test_fit_takes_a_threshold(pump):
    fitted = faithful.fit(pump, threshold=0.3, baselines=False, **{**SMALL, "epochs": 1})
    assert fitted.threshold == 0.3 and fitted.to_dict()["threshold"]["from"] == "given"


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """A log with a column of words, and one that is the label two samples later; a model that ignores both."""
    folder = tmp_path_factory.mktemp("log")
    rng = np.random.default_rng(4)
    rows = ["when;a;b;broken;alarm;crew"]
    broken = np.arange(900) % 90 >= 70
    for t in range(900):
        a, b = rng.normal(size=2)
        rows.append(f"{1.7e9 + t:.0f};{a + broken[t]:.3f};{b:.3f};{int(broken[t])};{int(broken[t - 2])};Eve")
    (folder / "log.csv").write_text("\n".join(rows) + "\n")
    said = dict(time="when", label="broken")
    leaky = data.load(folder / "log.csv", ignore=["crew"], **said)
    fit = dict(window=20, stride=10, epochs=1, baselines=False, preset="plain", width=8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = faithful.fit(data.load(folder / "log.csv", ignore=["crew", "alarm"], **said), **fit)
    return folder, leaky, model, fit


def test_fit_warns_of_columns_that_give_the_labels_away(log):
    _, leaky, _, fit = log
    with pytest.warns(UserWarning) as found:
        faithful.fit(leaky, **fit)
    assert [str(one.message) for one in found] == [
        'column "alarm" gives the labels away: it equals the label, 2 samples later. If it was made from the labels, or is '
        'not known when you predict, leave it out: ignore="alarm"']
    assert found[0].filename == __file__


def test_files_are_read_as_the_training_data_was(log):
    folder, _, model, _ = log
    file = folder / "log.csv"
    same = data.load(file, time="when", label="broken", ignore=["crew", "alarm"])
    assert np.array_equal(faithful.predict(model, file).probabilities, faithful.predict(model, same).probabilities)
    assert faithful.predict(model, str(file)).start_time is not None
    assert faithful.evaluate(model, file).to_dict() == faithful.evaluate(model, same).to_dict()
    assert len(faithful.diagnose(model, file)) == len(faithful.diagnose(model, same))
    again = data.load(file, model=model)
    assert again.channels == ["a", "b"] and again[0].labels is not None and again[0].times is not None
    assert data.load(file, model=model, label="alarm")[0].labels[72] == 1
    (folder / "bare.csv").write_text("b;a;shift\n" + 30 * "1;2;night\n")
    found = faithful.predict(model, folder / "bare.csv")
    assert found.notes == ['columns that the model does not know are ignored: "shift" '
                           '(where one of them tells series apart: series="COLUMN")'] and found.start_time is None
    (folder / "less.csv").write_text("b;shift\n" + 30 * "1;2\n")
    with pytest.raises(ValueError, match='expected channel "a", found only "b"'):
        faithful.predict(model, folder / "less.csv")
    with pytest.raises(TypeError, match="model: expected a Model"):
        data.load(file, model="log.safetensors")
