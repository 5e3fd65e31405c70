"""DataFrames as series: channels by the names of their columns, and times that never decrease."""
import datetime
import pickle

import numpy as np
import pytest

import faithful
from faithful import TimeSeriesTransformer
from faithful._adapter import _series
from faithful.data import from_arrays


class Table:
    """The least that a DataFrame of any library has."""

    def __init__(self, values, columns):
        self.values, self.columns, self.shape, self.ndim = np.asarray(values), columns, np.shape(values), 2

    def __array__(self, dtype=None, copy=None):
        return self.values if dtype is None else self.values.astype(dtype)


def of_pandas(values, columns):
    return pytest.importorskip("pandas").DataFrame(values, columns=columns)


@pytest.fixture(params=[Table, of_pandas], ids=["table", "pandas"])
def frame(request):
    return request.param


def frames(make, X, names=("a", "b")):
    """The channels of X, by default a and b, in the order of the names."""
    order = [{"a": 0, "b": 1}.get(name, i) for i, name in enumerate(names)]
    return [make(one[:, order], list(names)) for one in X]


def boxed(listed):
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


def test_a_data_set_has_the_names_of_the_columns(bumps, frame):
    X = bumps[0][:4]
    for given in (frames(frame, X), tuple(frames(frame, X)), boxed(frames(frame, X)), iter(frames(frame, X))):
        made = from_arrays(given)
        assert made.channels == ["a", "b"] and np.array_equal(made.arrays()[0], X)
    assert from_arrays(frames(frame, X), channels=["flow", "level"]).channels == ["flow", "level"]
    assert from_arrays(frames(frame, X, [0, 1])).channels == ["channel_1", "channel_2"]  # numbers are no names
    assert from_arrays([*frames(frame, X), X[0]]).channels == ["channel_1", "channel_2"]


@pytest.mark.parametrize("call", [from_arrays, lambda X: TimeSeriesTransformer().fit(X, ["one", "other"] * (len(X) // 2))],
                         ids=["from_arrays", "fit"])
def test_frames_of_a_list_have_the_same_columns(call, bumps, frame):
    X = bumps[0][:4]
    good, swapped, other = frames(frame, X), frames(frame, X, "ba"), frames(frame, X, "zb")
    with pytest.raises(ValueError, match=r"^X\[2\]: expected the columns of X\[0\], \['a', 'b'\], found \['z', 'b'\]$"):
        call([good[0], good[1], other[2], swapped[3]])
    with pytest.raises(ValueError, match=r"^X\[1\]: expected the columns of X\[0\], \['a', 'b'\], found \['b', 'a'\], the same in another "
                                         "order$"):
        call([good[0], swapped[1], *good[2:]])
    with pytest.raises(ValueError, match=r"^X\[3\]: expected the columns of X\[1\], \['a', 'b'\], found \['b', 'a'\]"):
        call([X[0], *good[1:3], swapped[3]])
    with pytest.raises(TypeError, match=r"^X\[1\]: expected texts as names of all columns, or of none, found 'a' and 1$"):
        call([good[0], frame(X[1], ["a", 1]), *good[2:]])


def test_many_columns_are_shown_where_they_differ(frame):
    names = [f"sensor_{i}" for i in range(12)]
    found = [*names[:9], "new", *names[10:]]
    with pytest.raises(ValueError, match=r"^X\[1\]: expected the columns of X\[0\] from column 5 on, \['sensor_5', 'sensor_6', 'sensor_7', "
                                         r"'sensor_8', 'sensor_9'\], found \['sensor_5', .*, 'sensor_8', 'new'\]$"):
        from_arrays([frame(np.zeros((20, 12)), names), frame(np.zeros((20, 12)), found)])
    with pytest.raises(ValueError, match=r"from column 8 on, \['sensor_8', .*'sensor_11'\], found \['sensor_8', .*, 'sensor_11', 'more'\]$"):
        from_arrays([frame(np.zeros((20, 12)), names), frame(np.zeros((20, 13)), [*names, "more"])])


def test_a_column_twice_is_no_channel(bumps, frame):
    with pytest.raises(ValueError, match="^channels: expected each name once, found 'a' 2 times$"):
        from_arrays(frames(frame, bumps[0][:2], "aa"))
    assert from_arrays(frames(frame, bumps[0][:2], "aa"), channels=["a", "b"]).channels == ["a", "b"]


def test_the_estimator_knows_the_columns_of_a_list(bumps, quick, frame, tmp_path):
    X, y = bumps
    fitted = TimeSeriesTransformer(**quick).fit(frames(frame, X), y)
    plain = TimeSeriesTransformer(**quick).fit(X, y)
    assert fitted.feature_names_in_.tolist() == ["a", "b"] and fitted.feature_names_in_.dtype == object
    assert fitted.n_features_in_ == 2 and fitted._model.channels == ["a", "b"]
    fitted.save(tmp_path / "m.safetensors")
    for again in (fitted, TimeSeriesTransformer.load(tmp_path / "m.safetensors"), pickle.loads(pickle.dumps(fitted))):
        for given in (frames(frame, X), boxed(frames(frame, X)), X, list(X), [*frames(frame, X)[:30], *X[30:]],
                      frames(frame, X, [0, 1])):
            assert np.array_equal(again.predict_proba(given), plain.predict_proba(X))
        for call in (again.predict, again.predict_proba, again.decision_function, lambda given: again.score(given, y)):
            with pytest.raises(ValueError, match=r"^X\[0\]: expected the columns of training, \['a', 'b'\], found \['b', 'a'\], the same in "
                                                 "another order$"):
                call(frames(frame, X, "ba"))
        with pytest.raises(ValueError, match=r"^X\[1\]: expected the columns of training, \['a', 'b'\], found \['z', 'b'\]$"):
            again.predict([X[0], frames(frame, X, "zb")[1]])
        with pytest.raises(ValueError, match=r"^X\[0\]: expected the columns of training, \['a', 'b'\], found \['a'\]$"):
            again.predict(frames(frame, X, "a"))
    fitted.fit(X, y)
    assert not hasattr(fitted, "feature_names_in_") and fitted._model.bytes() == plain._model.bytes()
    assert np.array_equal(plain.predict_proba(frames(frame, X, "zb")), plain.predict_proba(X))  # trained without names
    for unnamed in ([X[0], *frames(frame, X)[1:]], frames(frame, X, [0, 1])):
        assert not hasattr(fitted.fit(unnamed, y), "feature_names_in_")


def test_one_model_of_every_kind_of_frame(bumps, quick):
    """A list, cells and rows of two indices: the same bytes, the same channels, the same refusal."""
    pandas = pytest.importorskip("pandas")
    X, y = bumps
    cells = pandas.DataFrame({c: [pandas.Series(one[:, i]) for one in X] for i, c in enumerate("ab")})
    rows = pandas.DataFrame(X.reshape(-1, 2), index=pandas.MultiIndex.from_product([range(60), range(24)]), columns=list("ab"))
    listed = TimeSeriesTransformer(**quick).fit(frames(of_pandas, X), y)
    for nested in (cells, rows):
        fitted = TimeSeriesTransformer(**quick).fit(nested, y)
        assert fitted._model.bytes() == listed._model.bytes() and fitted._model.channels == ["a", "b"]
        assert np.array_equal(fitted.predict_proba(frames(of_pandas, X)), listed.predict_proba(nested))
        with pytest.raises(ValueError, match=r"^X: expected the columns of training, \['a', 'b'\], found \['b', 'a'\]"):
            listed.predict(nested[["b", "a"]])
        with pytest.raises(ValueError, match=r"^X\[0\]: expected the columns of training, \['a', 'b'\], found \['b', 'a'\]"):
            fitted.predict(frames(of_pandas, X, "ba"))
    twice = pandas.DataFrame(X[:, :, [0, 0]].reshape(-1, 2), index=rows.index, columns=["a", "a"])
    assert TimeSeriesTransformer(**quick).fit(twice, y)._model.channels == ["channel_1", "channel_2"]


def test_data_sets_of_frames_are_matched_by_name(bumps, quick, frame):
    X, y = bumps
    data, swapped = from_arrays(frames(frame, X), y), from_arrays(frames(frame, X, "ba"), y)
    model = faithful.fit(data, window=0, split="series", baselines=False, **quick)
    estimator = TimeSeriesTransformer(**quick).fit(frames(frame, X), y)
    for one in (model, estimator):
        assert np.array_equal(faithful.predict(one, swapped).probabilities, faithful.predict(one, data).probabilities)
        assert faithful.evaluate(one, swapped).scores == faithful.evaluate(one, data).scores
        with pytest.raises(ValueError, match='expected channel "a", found only "z", "b"'):
            faithful.predict(one, from_arrays(frames(frame, X, "zb")))


def test_one_frame_is_no_list_of_series(bumps):
    given = of_pandas(bumps[0][0], ["a", "b"])
    with pytest.raises(TypeError, match=r"^X: expected an array .* or a list of arrays or DataFrames \(time, channels\), found a DataFrame "
                                        r"of shape \(24, 2\) \(for one series, pass \[X\]\)$"):
        from_arrays(given)
    assert from_arrays([given]).channels == ["a", "b"]


def test_the_adapters_keep_the_names(frame):
    """sktime gives a list of DataFrames [T, C]. It names the columns of arrays var_0, var_1, .."""
    named, = _series([frame(np.zeros((3, 2)), ["a", "b"])])
    assert named.columns == ["a", "b"] if frame is Table else named.columns.tolist() == ["a", "b"]
    assert type(_series([frame(np.zeros((3, 2)), ["var_0", "var_1"])])[0]) is np.ndarray


def test_the_classifier_of_sktime_knows_the_columns(bumps, quick):
    pytest.importorskip("sktime")
    from faithful.sktime import TimeSeriesTransformerClassifier
    X, y = bumps
    fitted = TimeSeriesTransformerClassifier(**quick).fit(frames(of_pandas, X), y)
    assert fitted.model_.feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="expected the columns of training"):
        fitted.predict(frames(of_pandas, X, "ba"))
    turned = X.transpose(0, 2, 1).astype(np.float64)
    plain = TimeSeriesTransformerClassifier(**quick).fit(turned, y)
    assert not hasattr(plain.model_, "feature_names_in_")
    assert np.array_equal(plain.predict_proba(frames(of_pandas, X)), fitted.predict_proba(turned))


# ---- times

def rows_of(X, samples, times):
    """Rows of two indices, sample and time."""
    pandas = pytest.importorskip("pandas")
    index = pandas.MultiIndex.from_arrays([np.repeat(samples, X.shape[1]), list(times) * len(X)])
    return pandas.DataFrame(X.reshape(-1, X.shape[2]), index=index, columns=list("ab"))


def kinds_of_times(count):
    """{kind: times that increase}"""
    pandas = pytest.importorskip("pandas")
    moments = pandas.date_range("2024-01-01", periods=count, freq="s")
    return {
        "numbers": np.arange(count), "fractions": np.arange(count) / 7, "moments": moments,
        "moments of a zone": moments.tz_localize("Europe/Berlin"), "steps": moments - moments[0],
        "periods": pandas.period_range("2024-01", periods=count, freq="M"),
        "days": [datetime.date(2024, 1, 1) + datetime.timedelta(days=i) for i in range(count)],
        "with a missing one": moments.where(np.arange(count) != 5),
        "missing numbers": pandas.array(np.where(np.arange(count) == 5, None, np.arange(count)), dtype="Int64"),
    }


KINDS = ["numbers", "fractions", "moments", "moments of a zone", "steps", "periods", "days", "with a missing one", "missing numbers"]


@pytest.mark.parametrize("kind", KINDS)
def test_times_within_a_series_never_decrease(kind, bumps, quick):
    X, y = bumps
    times = kinds_of_times(24)[kind]
    rows = rows_of(X, [f"pump {i}" for i in range(60)], times)
    fitted = TimeSeriesTransformer(**{**quick, "epochs": 1}).fit(rows, y)
    wanted = fitted.predict_proba(X)
    order = np.arange(len(rows))
    order[[24 * 7 + 9, 24 * 7 + 10]] = order[[24 * 7 + 10, 24 * 7 + 9]]
    shown = [str(rows.index.get_level_values(1)[24 * 7 + i]) for i in (9, 10)]
    for call in (fitted.predict, lambda given: fitted.fit(given, y)):
        with pytest.raises(ValueError) as caught:
            call(rows.iloc[order])
        assert str(caught.value) == (f"X: expected times that never decrease within a series, found {shown[0]} after {shown[1]} in series "
                                     "pump 7, at row 178 of X (sort the rows of each series by time)")
    for wrong in (rows[::-1], rows.sample(frac=1, random_state=1)):
        with pytest.raises(ValueError, match="expected times that never decrease within a series"):
            fitted.predict(wrong)
    turned = rows.iloc[np.arange(len(rows)).reshape(60, 24)[::-1].ravel()]  # samples in another order
    assert np.array_equal(fitted.predict_proba(turned), wanted[::-1])
    mixed = rows.iloc[np.arange(len(rows)).reshape(60, 24).T.ravel()]  # all samples step by step
    assert np.array_equal(fitted.predict_proba(mixed), wanted)


def test_equal_times_and_texts_are_taken(bumps, quick):
    X, y = bumps
    quick = {**quick, "epochs": 1}
    wanted = TimeSeriesTransformer(**quick).fit(X, y).predict_proba(X)
    for times in (np.arange(24) // 2, [f"step {24 - i}" for i in range(24)]):
        rows = rows_of(X, np.arange(60), times)
        assert np.array_equal(TimeSeriesTransformer(**quick).fit(rows, y).predict_proba(rows), wanted)


def test_rows_without_a_sample_are_refused(bumps):
    rows = rows_of(bumps[0][:3], [1.0, np.nan, 3.0], range(24))
    with pytest.raises(ValueError, match="^X: expected the sample of each row as the first level of the index, found nan at row 24$"):
        TimeSeriesTransformer().fit(rows, ["a", "b"])


@pytest.mark.parametrize("kind", KINDS[2:8])
def test_an_index_of_times_never_decreases(kind, bumps):
    """Of frames in a list, of series in cells, of series as rows, and of the columns of a table."""
    pandas = pytest.importorskip("pandas")
    X, y = bumps[0][:4], bumps[1][:4]
    times = pandas.Index(kinds_of_times(24)[kind])
    order = np.r_[0:9, 10, 9, 11:24]

    def listed(times):
        return [of_pandas(one, list("ab")) for one in X[:3]] + [pandas.DataFrame(X[3], index=times, columns=list("ab"))]

    def cells(times):
        return pandas.DataFrame({c: [pandas.Series(one[:, i], index=times) for one in X] for i, c in enumerate("ab")})

    def series(times):
        return [pandas.Series(one[:, 0], index=times) for one in X]

    def table(times):
        return pandas.DataFrame(X[:, :, 0], columns=times)

    def fit(X):
        return TimeSeriesTransformer(preset="plain", width=8, heads=2, layers=1, epochs=1).fit(X, y)

    for form, place in ((listed, "X[3]"), (cells, "X.iloc[0, 0]"), (series, "X[0]"), (table, "X.columns")):
        for call in (fit, from_arrays) if form is listed else (fit,):
            call(form(times))
            with pytest.raises(ValueError) as caught:
                call(form(times[order]))
            assert str(caught.value) == (f"{place}: expected times that never decrease, found {times[9]} after {times[10]} at position 10 of "
                                         "the index (sort it by time)")


@pytest.mark.parametrize("index", [range(9, -1, -1), [3, 1, 2, 0, 5, 4, 9, 8, 7, 6], list("jihgfedcba"), [True, False] * 5])
def test_other_labels_of_rows_are_no_times(index):
    given = pytest.importorskip("pandas").DataFrame(np.arange(20.0).reshape(10, 2), index=index, columns=["a", "b"])
    assert np.array_equal(from_arrays([given, given[::-1]])[1].values, given.to_numpy()[::-1])
