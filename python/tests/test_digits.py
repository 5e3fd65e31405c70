"""Values with more digits than single precision has: a warning, with the rule and the words of the readers."""
import pickle
import re
import warnings

import numpy as np
import pytest

import faithful
from faithful import TimeSeriesTransformer
from faithful.data import from_arrays

WORDS = (r'^channel "{}" has values from {} to {}, and single precision keeps only multiples of {} there: subtract a constant from it '
         "first, else small differences are lost$")
SINGLE = np.float32


def said(call):
    """What a call warns of, all of it here."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    assert all(one.category is UserWarning and one.filename == __file__ for one in found)
    return [str(one.message) for one in found]


def steps_from(value, count):
    """count + 1 neighbours of single precision."""
    return (np.array(value, SINGLE).view(np.int32) + np.arange(count + 1, dtype=np.int32)).view(SINGLE).astype(np.float64)


CASES = {
    "a counter": 1e9 + np.arange(10.0), "below zero": -1e9 - 7 * np.arange(10.0), "around zero": np.linspace(-1e9, 1e9, 9),
    "from 1e9 to 0": np.array([0, 1e9, 1e9 + 1]), "seconds since 1970": 1.7e9 + np.arange(100.0), "a pressure": 101325.1 + 0.01 * np.arange(9),
    "small": 1e-3 + 1e-10 * np.arange(9), "tiny": 1e-5 + 1e-12 * np.arange(9), "1e16": 1e16 + np.arange(9), "large": 3e38 * (1 + 1e-7 * np.arange(9)),
    "a constant": np.full(9, 12345.678), "zero": np.zeros(9), "2^24 - 1": np.full(9, 2.0**24 - 1), "2^24": np.full(9, 2.0**24),
    "a date": np.full(9, 20240131.0), "subnormal": np.arange(9) * 1e-44, "123456789": 123456789 + np.arange(9),
    **{f"{count} steps from {value:g}": steps_from(value, count) for value in (1.5, 1e9, 12345.678) for count in (1, 63, 64)},
    "64 steps across 2^24": steps_from(2.0**24 - 32, 64), "127 steps across 2^24": steps_from(2.0**24 - 100, 127),
    "128 steps, then twice as far": np.r_[steps_from(1.0, 128), steps_from(2.0, 1)],
}


@pytest.mark.parametrize("name", CASES)
def test_the_rule_and_the_words_are_those_of_the_reader(name, tmp_path):
    column = np.asarray(CASES[name], np.float64)
    (tmp_path / "x.csv").write_text("flow,level\n" + "".join(f"{one!r},{i % 2}\n" for i, one in enumerate(column.tolist())))
    wanted = faithful.data.load(tmp_path / "x.csv").notes
    other = (np.arange(len(column)) % 2).astype(float)
    for X in ([np.column_stack([column, other])], np.stack([column, other], axis=1)[:, None]):  # one series, and many
        assert said(lambda: from_arrays(X, channels=["flow", "level"])) == wanted


def test_some_are_said_and_some_are_not():
    """So that the test above compares more than silence."""
    noted = {name for name, column in CASES.items() if said(lambda: from_arrays([np.asarray(column)[:, None]]))}
    assert {"a counter", "small", "1e16", "2^24", "a date", "63 steps from 1.5", "63 steps from 1e+09"} <= noted
    assert not noted & {"around zero", "from 1e9 to 0", "a constant", "zero", "2^24 - 1", "64 steps from 1.5", "64 steps from 1e+09"}


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.uint64, object])
def test_every_kind_of_number(dtype):
    X = (10**9 + np.arange(20)).reshape(2, 5, 2).astype(dtype)
    assert said(lambda: from_arrays(X)) == said(lambda: from_arrays(list(X))) == said(lambda: from_arrays(X.tolist()))
    assert re.search(WORDS.format("channel_2", 1000000000, 1000000000, 64), said(lambda: from_arrays(X))[1])


def test_ten_equal_values_are_said():
    with pytest.warns(UserWarning, match=WORDS.format("channel_1", 1000000000, 1000000000, 64)):
        made = from_arrays([1e9 + np.arange(10.)[:, None]])
    assert len(np.unique(made[0].values)) == 1


def test_many_short_series_and_few_long_ones():
    X = np.random.default_rng(1).normal(size=(3000, 50, 3))
    X[:, :, 1] = 7
    assert said(lambda: from_arrays(X)) == []
    X[2999, 49, 1] = 7.00001
    long = list(X.reshape(2, -1, 3))
    wanted = ['channel "channel_2" has values from 7 to 7.00001, and single precision keeps only multiples of 4.76837158203125e-07 there: '
              "subtract a constant from it first, else small differences are lost"]
    assert said(lambda: from_arrays(X)) == said(lambda: from_arrays(long)) == wanted


@pytest.fixture(scope="module")
def small(bumps):
    return bumps[0][:20], bumps[1][:20]


def counted(X):
    """Its channel 0 counts from 1e9."""
    return X.astype(np.float64) + np.array([1e9, 0])


def test_fit_says_it_once(small, quick):
    X, y = small
    estimator = TimeSeriesTransformer(**{**quick, "epochs": 1})
    found = said(lambda: estimator.fit(counted(X), y))
    assert found == said(lambda: from_arrays(counted(X))) and len(found) == 1
    for again in (estimator, pickle.loads(pickle.dumps(estimator))):
        assert said(lambda: [again.predict(counted(X)), again.predict_proba(counted(X)[:3]), again.decision_function(counted(X))]) == []
    assert "^" + said(lambda: estimator.fit([one[:, :1] for one in counted(X)], y))[0][:19] == '^channel "channel_1"'
    assert said(lambda: estimator.fit(X, y)) == []


def test_predict_says_it_where_fit_did_not(small, quick, tmp_path):
    X, y = small
    quick = {**quick, "epochs": 1}
    wanted = said(lambda: from_arrays(counted(X)))
    for method in ("predict", "predict_proba", "decision_function"):
        estimator = TimeSeriesTransformer(**quick).fit(X, y)
        assert said(lambda: estimator.predict(X)) == []
        before = dict(estimator.__dict__)
        assert said(lambda: getattr(estimator, method)(counted(X))) == wanted
        assert said(lambda: [getattr(estimator, method)(counted(X)), estimator.score(counted(X), y)]) == []
        assert said(lambda: estimator.predict(counted(X)[..., ::-1]))[0].startswith('channel "channel_2" has')
        assert set(estimator.__dict__) - set(before) <= {"_coarse"}
    estimator.save(tmp_path / "m.safetensors")
    assert said(lambda: TimeSeriesTransformer.load(tmp_path / "m.safetensors").predict(counted(X))) == wanted


def test_missing_values_and_tables(small, quick):
    X, y = small
    holes = counted(X)
    holes[:, 3:, 0], holes[:, 1, 0] = np.nan, 1e9 + 1
    for how in ("mask", "interpolate"):
        found = said(lambda: TimeSeriesTransformer(missing=how, **{**quick, "epochs": 1}).fit(holes, y))
        assert [one[:19] for one in found] == ['channel "channel_1"']
    never = np.where(np.arange(2) == 0, X, np.nan)
    assert said(lambda: TimeSeriesTransformer(missing="mask", **{**quick, "epochs": 1}).fit(never, y)) == []
    assert len(said(lambda: TimeSeriesTransformer(**{**quick, "epochs": 1}).fit(counted(X)[..., 0], y))) == 1


def test_channels_have_the_names_of_columns(small, quick):
    pandas = pytest.importorskip("pandas")
    X, y = small
    frames = [pandas.DataFrame(one, columns=["counter", 'the "other"']) for one in counted(X)[..., ::-1]]
    frames = [one.rename(columns={"counter": 'the "other"', 'the "other"': "counter"}) for one in frames]
    for call in (from_arrays, lambda X: TimeSeriesTransformer(**{**quick, "epochs": 1}).fit(X, y)):
        assert [one[:21] for one in said(lambda: call(frames))] == ['channel "counter" has']
