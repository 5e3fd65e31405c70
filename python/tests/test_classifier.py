"""TimeSeriesTransformer on its own: shapes, files, pickles, interrupts, what is refused."""
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import faithful
from faithful import TimeSeriesTransformer, _estimator_settings


@pytest.fixture(scope="module")
def fitted(bumps, quick):
    return TimeSeriesTransformer(**quick).fit(*bumps)


FORMER_NAMES = {"rotation": "haar"}  # that files keep


def test_sensors_and_steps(bumps, tmp_path):
    X, y = bumps
    model = TimeSeriesTransformer(preset="dfstrans", segment=8, filters=8, heads=2, feed_forward=16, head_hidden=16,
                                  sensor_weights=True, step_weights=True, differences=1, epochs=30, learning_rate=5e-3, n_jobs=1).fit(X, y)
    assert model.score(X, y) > 0.9
    model.save(tmp_path / "m.safetensors")
    assert np.array_equal(TimeSeriesTransformer.load(tmp_path / "m.safetensors").predict_proba(X), model.predict_proba(X))


def test_learns(bumps, fitted):
    X, y = bumps
    assert fitted.score(X, y) > 0.9 and fitted.classes_.tolist() == ["bump", "flat"]
    assert (fitted.length_, fitted.n_channels_, fitted.n_features_in_) == (24, 2, 2)
    assert 1 <= len(fitted.history_) <= 6 and {"loss", "accuracy"} <= set(fitted.history_[0])


def test_probabilities_decisions_and_classes_agree(bumps, fitted):
    X, _ = bumps
    p = fitted.predict_proba(X)
    assert p.shape == (60, 2) and np.allclose(p.sum(axis=1), 1)
    decision = fitted.decision_function(X)
    assert np.array_equal(fitted.predict(X), fitted.classes_[(decision > 0).astype(int)])
    assert np.array_equal(fitted.predict(X), fitted.classes_[p.argmax(axis=1)])


def test_orders_of_axes_and_lists_are_the_same(bumps, quick, fitted):
    X, y = bumps
    p = fitted.predict_proba(X)
    swapped = TimeSeriesTransformer(axes="nct", **quick).fit(X.transpose(0, 2, 1), y)
    assert np.array_equal(swapped.predict_proba(X.transpose(0, 2, 1)), p)
    listed = TimeSeriesTransformer(**quick).fit(list(X), y)
    assert np.array_equal(listed.predict_proba([one.tolist() for one in X]), p)
    wide = TimeSeriesTransformer(**quick).fit(X.astype(np.float64)[:, :, ::1], y)
    assert np.array_equal(wide.predict_proba(X), p)


def test_threads_do_not_matter_and_seeds_do(bumps, quick, fitted):
    X, y = bumps
    p = fitted.predict_proba(X)
    assert np.array_equal(TimeSeriesTransformer(**{**quick, "n_jobs": 1}).fit(X, y).predict_proba(X), p)
    other = TimeSeriesTransformer(random_state=2, **quick).fit(X, y).predict_proba(X)
    assert not np.array_equal(other, p)
    state = TimeSeriesTransformer(random_state=np.random.RandomState(3), **quick).fit(X, y).predict_proba(X)
    again = TimeSeriesTransformer(random_state=np.random.RandomState(3), **quick).fit(X, y).predict_proba(X)
    assert np.array_equal(state, again)


def test_series_of_unequal_length(bumps, quick):
    X, y = bumps
    ragged = [one[: 24 - i % 5] for i, one in enumerate(X)]
    fitted = TimeSeriesTransformer(**quick).fit(ragged, y)
    assert fitted.length_ == 24 and fitted.predict_proba(ragged).shape == (60, 2)
    assert np.array_equal(fitted.predict_proba(ragged[4:5])[0], fitted.predict_proba(ragged)[4])
    boxed = np.empty(60, dtype=object)
    boxed[:] = ragged
    assert np.array_equal(fitted.predict_proba(boxed), fitted.predict_proba(ragged))


@pytest.mark.parametrize("encoding", list(faithful.encodings()))
def test_every_encoding_trains(encoding, bumps, quick):
    X, y = bumps
    fitted = TimeSeriesTransformer(encoding, **{**quick, "epochs": 1, "width": 24}).fit(X, y)
    assert np.isfinite(fitted.predict_proba(X)).all() and fitted.record_["config"]["encoding"] in (encoding, FORMER_NAMES.get(encoding))


def test_more_than_two_classes(bumps, quick):
    X, _ = bumps
    y = np.arange(60) % 3 + 5
    fitted = TimeSeriesTransformer(**{**quick, "epochs": 2}).fit(X, y)
    assert fitted.classes_.tolist() == [5, 6, 7] and fitted.predict_proba(X).shape == (60, 3)
    assert np.array_equal(fitted.predict(X), fitted.classes_[fitted.decision_function(X).argmax(axis=1)])


def test_validation_by_folds_and_by_nothing(bumps, quick):
    X, y = bumps
    folds = TimeSeriesTransformer(validation=3, **{**quick, "epochs": 2}).fit(X, y)
    assert len(folds.record_["record"]["cross_validation"]) == 2
    none = TimeSeriesTransformer(validation=None, **{**quick, "epochs": 2}).fit(X, y)
    assert len(none.history_) == 2 and none.history_[0]["accuracy"] is None


def test_threshold_of_validation(bumps, quick):
    X, y = bumps
    fitted = TimeSeriesTransformer(threshold="validation", validation=0.15, **quick).fit(X, y)
    threshold = fitted.record_["threshold"]["value"]
    assert fitted.record_["threshold"]["from"] == "best F1 on validation"
    p = fitted.predict_proba(X)
    assert np.array_equal(fitted.predict(X) == "flat", p[:, 1].astype(float) >= threshold)


def test_pickle_and_file(bumps, fitted, tmp_path):
    X, _ = bumps
    p = fitted.predict_proba(X)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict_proba(X), p) and again.classes_.tolist() == ["bump", "flat"]
    fitted.save(tmp_path / "m.safetensors")
    loaded = TimeSeriesTransformer.load(tmp_path / "m.safetensors", n_jobs=1)
    assert np.array_equal(loaded.predict(X), fitted.predict(X)) and np.array_equal(loaded.predict_proba(X), p)
    assert loaded.get_params() == {**fitted.get_params(), "n_jobs": 1}
    loaded.save(tmp_path / "again.safetensors")
    assert (tmp_path / "m.safetensors").read_bytes() == (tmp_path / "again.safetensors").read_bytes()
    assert fitted._model.bytes() == (tmp_path / "m.safetensors").read_bytes()


def test_a_pickle_holds_no_arrays(fitted):
    """So that Pythons with other versions of NumPy read it (tools/pickles.py). Pickles of earlier versions had arrays."""
    assert b"numpy" not in pickle.dumps(fitted)
    old = TimeSeriesTransformer()
    old.__setstate__(fitted.__dict__)
    assert old.classes_ is fitted.classes_ and old._order is fitted._order
    unfitted = pickle.loads(pickle.dumps(TimeSeriesTransformer(epochs=3)))
    assert unfitted.epochs == 3 and not hasattr(unfitted, "classes_")


def test_damaged_pickle_is_refused(fitted):
    state = bytearray(fitted._model.bytes())
    state[-5] ^= 1
    from faithful import _core
    model = _core.Model.__new__(_core.Model)
    with pytest.raises(ValueError, match="model: expected"):
        model.__setstate__(bytes(state))


def test_threads_share_a_model(bumps, fitted):
    X, _ = bumps
    p, found = fitted.predict_proba(X), []
    workers = [threading.Thread(target=lambda: found.append(fitted.predict_proba(X))) for _ in range(4)]
    [one.start() for one in workers]
    [one.join() for one in workers]
    assert len(found) == 4 and all(np.array_equal(one, p) for one in found)


def test_other_threads_run_during_a_fit(bumps):
    """The GIL is free: a thread of Python goes on counting."""
    X, y = bumps
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)
    worker = threading.Thread(target=count)
    worker.start()
    start = time.perf_counter()
    TimeSeriesTransformer(epochs=8, n_jobs=1).fit(X, y)
    seconds = time.perf_counter() - start
    done.set()
    worker.join()
    assert counted[0] > 20 * seconds  # of a thousand a second at best; none at all where the GIL is held


INTERRUPTED = """
import numpy as np, faithful, signal, threading, os, time
signal.signal(signal.SIGINT, signal.default_int_handler)
X = np.random.default_rng(0).normal(size=(400, 100, 4)); y = np.arange(400) % 2
threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    faithful.TimeSeriesTransformer(epochs=100000, patience=0).fit(X, y)
except KeyboardInterrupt:
    print("stopped", faithful.TimeSeriesTransformer(epochs=1).fit(X, y).score(X, y) >= 0)
"""


def test_ctrl_c_stops_a_training():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=120)
    assert done.stdout == "stopped True\n", done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_predictions_after_a_fork(bumps, fitted):
    X, _ = bumps
    p = fitted.predict_proba(X)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if np.array_equal(fitted.predict_proba(X), p) else 1)
    assert os.waitpid(child, 0)[1] == 0


def refused(X, y, kind, message, **params):
    with pytest.raises(kind, match=message) as caught:
        TimeSeriesTransformer(**params).fit(X, y)
    assert not re.search(r"--[a-z]", str(caught.value))  # no flag of the program


def test_refused_shapes_and_values(bumps, fitted):
    X, y = bumps
    refused(X[0, 0], y, ValueError, r"X: expected shape \(samples, time, channels\).*found an array of shape \(2,\)")
    refused(X[..., None], y, ValueError, r"found an array of shape \(60, 24, 2, 1\)")
    refused(X, y[:5], ValueError, "y: expected 60 labels, one for each sample, found 5")
    refused(X, None, ValueError, "y: expected the class of every sample, found None")
    refused(X, ["a"] * 60, ValueError, "expected at least two classes, found one class, .*'a'")
    refused(X[:1], y[:1], ValueError, "expected two samples or more, found 1 sample")
    refused(X, np.linspace(0, 1, 60), ValueError, "Unknown label type: continuous")
    refused(X, np.ones((60, 2)), ValueError, r"y: expected one label for each sample, .*shape \(60, 2\)")
    refused(X, [["a", "b"]] * 60, ValueError, r"y: expected one label for each sample, .*shape \(60, 2\)")
    refused(X, np.where(np.arange(60) < 59, 1.0, np.inf), ValueError, "y: expected classes, found infinity")
    refused(None, y, TypeError, "^X: expected an array of numbers, found None$")
    refused([X[0], None], y[:2], TypeError, r"^X\[1\]: expected an array of numbers, found None$")
    refused([X[0], 3.0], y[:2], ValueError, r"X\[1\]: expected shape \(time, 2 channels\), found an array of shape \(\)")
    refused(np.where(X > 2, np.nan, X), y, ValueError, r"X: expected finite numbers, found NaN at \(\d+, \d+, \d+\)")
    refused(np.where(X > 2, np.inf, X), y, ValueError, "infinity")
    refused(X.astype(np.float64) * 1e300, y, ValueError, "infinity or a value too large for float32")
    refused(X.astype(str), y, TypeError, "X: expected numbers, found dtype <U")
    for predict in (fitted.predict, fitted.predict_proba, fitted.decision_function):  # finite, and too large to score
        with pytest.raises(ValueError, match=r"expected readings that the model can score, found .* reads -?3e\+38"):
            predict(np.where(X > 2, np.float32(3e38), X))
    refused(X + 1j, y, ValueError, "expected real numbers, found dtype complex64")
    refused([X[0], X[1][:, :1]], ["a", "b"], ValueError, r"X\[1\]: expected shape \(time, 2 channels\), found .*\(24, 1\)")
    refused(X[:3], y[:3], ValueError, "expected at least 5 samples for 5 folds", validation=5)
    with pytest.raises(ValueError, match="X: expected 2 channels, as in training, found 3$"):
        fitted.predict(np.zeros((1, 24, 3)))
    with pytest.raises(ValueError, match="expected at most the 24 samples of the longest series in training, found 25"):
        fitted.predict(np.zeros((1, 25, 2)))


@pytest.mark.parametrize("params, kind, message", [
    ({"encoding": "dtf"}, ValueError, "expected the name of an encoding, found \"dtf\""),
    ({"epochs": -1}, ValueError, "epochs: expected a whole number from 0"),
    ({"epochs": 2.5}, TypeError, "epochs: expected a whole number, found 2.5"),
    ({"dropout": 2.0}, ValueError, "dropout"),
    ({"learning_rate": -1.0}, ValueError, "learning_rate"),
    ({"heads": 5}, ValueError, "heads"),
    ({"preset": "huge"}, ValueError, "preset: expected one of paper, plain, small, base, large, standard, dfstrans, found \"huge\""),
    ({"scaler": "log"}, ValueError, "scaler"),
    ({"validation": 1.5}, ValueError, "validation: expected a share between 0 and 1"),
    ({"axes": "tcn"}, ValueError, "axes: expected auto, ntc or nct, found 'tcn'"),
    ({"random_state": "one"}, TypeError, "random_state: expected a whole number, found 'one'"),
    ({"threshold": "best"}, ValueError, "threshold: expected a number from 0 to 1, f1, false-alarms"),
    ({"threshold": None}, TypeError, "threshold: expected a number, found None"),
    ({"n_jobs": 0}, ValueError, "n_jobs: expected a number of threads, or a negative number .-1: all., found 0"),
    ({"pooling": "max"}, ValueError, "pooling: expected one of mean, attention, token, found \"max\""),
])
def test_refused_parameters(params, kind, message, bumps):
    refused(*bumps, kind, message, **params)


@pytest.mark.parametrize("setting", [*_estimator_settings.MODEL.values(), *_estimator_settings.TRAIN.values()], ids=lambda one: one["name"])
def test_every_setting_is_named_as_an_argument(setting, bumps):
    name, form = setting["name"], setting["applies_to"]
    preset = form if form == "dfstrans" else "small"
    wrong = {bool: [], str: ["nowhere"], int: [-1], float: [float("nan") if name == "first_position" else -1]}
    values = [object(), *wrong[type(setting["default"])]]
    for value in values:
        refused(*bumps, (TypeError, ValueError), f"^{name}: expected ", preset=preset, **{name: value})
    if form in ("encoder", "dfstrans"):
        other, value = ("small", 2) if form == "dfstrans" else ("dfstrans", 8)
        value = True if isinstance(setting["default"], bool) else value
        refused(*bumps, ValueError, f'^{name} applies only to preset="{form}"', preset=other, **{name: value})
