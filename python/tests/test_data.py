"""faithful.data: what the program reads, cuts and simulates, as arrays."""
import fractions
import gc

import numpy as np
import pytest

import faithful
from faithful import data


@pytest.fixture()
def table(tmp_path):
    file = tmp_path / "pump.csv"
    rows = [f"2024-01-01T00:00:{s:02d},{s}.5,{-s},{int(20 <= s < 25)}" for s in range(40)]
    file.write_text("time,flow,level,broken\n" + "\n".join(rows) + "\n")
    return file


def test_load(table):
    found = data.load(table, time="time", label="broken")
    one, = found
    assert found.channels == ["flow", "level"] and found.classes == ["normal", "anomalous"] and len(found) == 1
    assert one.values.dtype == np.float32 and np.array_equal(one.values[:, 0], np.arange(40) + 0.5)
    assert one.times[3] == np.datetime64("2024-01-01T00:00:03")
    assert np.array_equal(np.flatnonzero(one.labels), np.arange(20, 25)) and one.label is None


def test_arrays_outlive_the_data_set(table):
    values = data.load(table, time="time", label="broken")[0].values
    gc.collect()
    np.zeros(10_000_000)  # would land in memory that was given back
    assert np.array_equal(values[:, 1], -np.arange(40.0))


def test_what_was_checked_stays_as_it_is(table):
    one, = data.load(table, time="time", label="broken")
    for array in (one.values, one.times, one.labels):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]


def test_values_are_not_copied(table):
    found = data.load(table, time="time", label="broken")
    assert np.shares_memory(found[0].values, data.Dataset(found._core)[0].values)


def test_round_trip_through_files(tmp_path, program):
    random = np.random.default_rng(0)
    X = [random.normal(size=(n, 3)).astype(np.float32) for n in (5, 9, 4, 7)]
    made = data.from_arrays(X, ["b", "a", "b", "a"], channels=["x", "y", "z"], parts=["train", "train", "test", "test"], rate=50)
    made.save(tmp_path / "set.npz")
    again = data.load(tmp_path / "set.npz")
    assert again.classes == ["a", "b"] and again.channels == ["x", "y", "z"] and again.rate == 50
    for one, wanted in zip(again, X):
        assert np.array_equal(one.values, wanted)
    assert made.save(tmp_path / "set.csv")[0] == 'read it with series="series" part_column="part" label="label" label_of="series"'
    with pytest.raises(ValueError, match=r'write part\("train"\), then part\("test"\)'):
        made.save(tmp_path / "set.ts")
    values, y = again.part("train").arrays()
    assert y.tolist() == ["b", "a"] and [len(one) for one in values] == [5, 9]
    assert program("data", "info", tmp_path / "set.npz", "--json")["parts"][0]["series"] == 2


def test_elevator_is_that_of_the_program(tmp_path, program):
    program("data", "elevator", "--trips", 6, "--anomalies", 50, "--samples", 300, "--channels", 5, "--seed", 3, "-o",
            tmp_path / "lift.npz")
    wanted = data.load(tmp_path / "lift.npz")
    found = data.elevator(6, anomalies=50, samples=300, channels=5, seed=3)
    assert found.channels == wanted.channels and len(found) == 6
    for one, other in zip(found, wanted):
        assert np.array_equal(one.values, other.values) and one.label == other.label and one.spans == other.spans
    X, y = found.arrays()
    assert X.shape == (6, 300, 5) and sorted(y) == ["anomalous"] * 3 + ["normal"] * 3
    assert all(span.kind in data.elevator_faults() for one in found for span in one.spans)


def test_split_has_no_leak_and_scales_by_the_training_part(table):
    random = np.random.default_rng(1)
    series = random.normal(size=(1, 4000, 2)).astype(np.float32) * 5 + 3
    parts = data.from_arrays(series).split("blocked", window=20, stride=10, seed=2)
    assert parts.proof["shared_samples"] == 0 and parts.proof["shared_windows"] == 0
    assert len(parts.train) > len(parts.validation) > 0 and parts.train.X.shape[1:] == (20, 2)
    places = {name: {b + i for b in getattr(parts, name).begin for i in range(20)} for name in ("train", "test")}
    assert not places["train"] & places["test"]
    raw = series[0].astype(np.float64)
    mask = np.isin(np.arange(4000), sorted(places["train"]))
    assert abs(raw[mask].mean() - 3) < 0.3
    one = parts.test
    shift = raw[one.begin[0]:one.begin[0] + 20] - one.X[0] * raw[mask].std(axis=0)
    assert np.allclose(shift, raw[mask].mean(axis=0), atol=0.05)


def test_split_of_whole_series_pads():
    X = [np.ones((n, 1), np.float32) * n for n in (3, 5, 4, 5, 6, 3, 4, 5, 6, 7)]
    parts = data.from_arrays(X, list("ab") * 5).split("series", window=0, scaler="none")
    assert parts.train.X.shape[1] == 7 and parts.classes == ["a", "b"]
    for values, mask, number in zip(parts.train.X, parts.train.mask, parts.train.series):
        assert mask.sum() == len(X[number]) and values[mask == 0].sum() == 0 and values[0, 0] == len(X[number])


def test_scalers_by_name():
    X = np.random.default_rng(1).normal(3, 2, (20, 30, 2)).astype(np.float32)
    parts = {name: data.from_arrays(X, list("ab") * 10).split("series", window=0, scaler=name).train.X
             for name in ("none", "standard", "min-max", "robust")}
    assert parts["min-max"].min() == 0 and parts["min-max"].max() == 1
    assert abs(parts["standard"].mean()) < 1e-4 and abs(np.median(parts["robust"])) < 0.1 and abs(parts["none"].mean() - 3) < 0.5


@pytest.mark.parametrize("call, kind, message", [
    (lambda: data.load("nowhere.csv"), ValueError, "nowhere.csv: expected a file, found none of that name"),
    (lambda: data.load(5), TypeError, "file: expected a path, found 5"),
    (lambda: data.load("x.csv", missing="drop"), ValueError, 'missing: expected one of error, interpolate, zero, keep, auto, found "drop"'),
    (lambda: data.from_arrays([np.zeros((3, 2)), np.zeros((3, 1))]), ValueError, r"X\[1\]: expected shape \(time, 2 channels\)"),
    (lambda: data.from_arrays([]), ValueError, "expected at least one series, found none"),
    (lambda: data.from_arrays([np.zeros((3, 2))], ["a", "b"]), ValueError, "y: expected 1 labels, one for each series, found 2"),
    (lambda: data.from_arrays([np.zeros((3, 2))], 5), ValueError, r"y: expected one label for each series, shape \(1,\), found 5"),
    (lambda: data.from_arrays([np.zeros((3, 2))], np.ones((1, 2))), ValueError, r"y: .*shape \(1,\), found an array of shape \(1, 2\)"),
    (lambda: data.from_arrays([np.zeros((3, 2))], [""]), ValueError, "y: expected classes with a name, found an empty text"),
    (lambda: data.from_arrays([np.zeros((3, 2))], channels=["a"]), ValueError, "channels: expected 2 names, one for each channel, found 1"),
    (lambda: data.from_arrays([np.zeros((3, 2))], parts=["train"] * 2), ValueError, "parts: expected 1 parts, one for each series, found 2"),
    (lambda: data.from_arrays([np.zeros((3, 2))], parts=["trian"]), ValueError, '^parts: expected train, test or nothing, for each series, found "trian"'),
    (lambda: data.from_arrays([np.zeros((3, 2))], ["invalid"]), ValueError, 'expected another name for a class, found "invalid"'),
    (lambda: data.from_arrays(None), TypeError, r"X: expected an array \(series, time, channels\) or a list .*, found None"),
    (lambda: data.from_arrays([np.zeros((3, 2)), None]), TypeError, r"X\[1\]: expected an array of numbers, found None"),
    (lambda: data.from_arrays([3.0]), ValueError, r"X\[0\]: expected shape \(time, channels\), found an array of shape \(\)"),
    (lambda: data.from_arrays([np.full((3, 2), np.nan)]), ValueError, r"X\[0\]: .* NaN at \(0, 0\)"),
    (lambda: data.from_arrays(np.ma.masked_equal(np.ones((2, 3, 1)), 1)), ValueError, r"X\[0\]: .* NaN at \(0, 0\) and 2 more"),
    (lambda: data.from_arrays([np.zeros((3, 2)), np.ma.masked]), TypeError, r"X\[1\]: expected an array of numbers, found masked"),
    (lambda: data.from_arrays([np.zeros((3, 2))], ["a"], classes=["b"]), ValueError, "y: expected classes b, found 'a'"),
    (lambda: data.from_arrays([np.zeros((3, 2))], ["a"], classes=["b", "a", "a"]), ValueError, "^classes: expected each name once, found 'a' 2 times"),
    (lambda: data.from_arrays([np.zeros((3, 2))], channels=["a", "a"]), ValueError, "^channels: expected each name once, found 'a' 2 times"),
    (lambda: data.from_arrays([[[10**400, 1]]]), ValueError, r"^X\[0\]: expected finite numbers, found infinity or a value too large .* at \(0, 0\)"),
    (lambda: data.from_arrays([[[1, 2]], [[1, -10**5000]]]), ValueError, r"^X\[1\]: expected finite numbers, found infinity .* at \(0, 1\)"),
    (lambda: data.from_arrays([[[fractions.Fraction(10**400), None]]]), ValueError, r"^X\[0\]: expected finite numbers, found infinity .* at \(0, 0\)"),
    (lambda: data.from_arrays([[[1, 2], [3]]]), ValueError, r"^X\[0\]: expected (an array of )?numbers, found \[\[1, 2\], \[3\]\] \(list\): "),
    (lambda: data.from_arrays([np.zeros((3, 2))], rate=10**400), ValueError, r"^rate: expected a finite number, found 1000000000000000000000000000000000000\.\.\.$"),
    (lambda: data.from_arrays([np.zeros((3, 2))], rate=10**5000), ValueError, "^rate: expected a finite number, found a number of thousands of digits$"),
    (lambda: data.elevator(trips=10**5000), ValueError, "^trips: expected a whole number from 0 to .*, found a number of thousands of digits$"),
    (lambda: data.elevator(trips=-3), ValueError, "trips: expected a whole number from 0"),
    (lambda: data.elevator(3, faults=["rust"]), ValueError, "faults: expected bearing, .*, found 'rust'"),
    (lambda: data.from_arrays(np.zeros((2, 3, 1)), "ab").split("quarterly"), ValueError, "split: expected one of blocked"),
])
def test_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_a_fraction_is_a_number():
    half = fractions.Fraction(1, 2)
    made = data.from_arrays([[[half, 1]]], rate=half)
    assert made.rate == 0.5 and made[0].values.tolist() == [[0.5, 1]]


def test_an_array_without_masked_values_is_an_array():
    X = np.arange(12.0).reshape(2, 3, 2)
    assert np.array_equal(data.from_arrays(np.ma.masked_less(X, 0), np.ma.masked_array(["a", "b"])).arrays()[0], X)


def test_bad_cell_says_line_and_column(tmp_path):
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n3,x\n")
    with pytest.raises(ValueError, match="bad.csv:3:2: expected a number, found \"x\""):
        faithful.data.load(tmp_path / "bad.csv")
