"""What users of scikit-learn, aeon and sktime expect: threads, weights, missing values, shapes, words."""
import os
import re
import subprocess
import sys

import numpy as np
import pytest

from faithful import TimeSeriesTransformer, _core, _options


@pytest.fixture(scope="module")
def fitted(bumps, quick):
    return TimeSeriesTransformer(**quick).fit(*bumps)


def test_threads_without_joblib(monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(_core, "default_threads", lambda: 8)
    assert [_options.threads(n) for n in (None, 1, 3, -1, -2, -100)] == [1, 1, 3, 8, 7, 1]
    monkeypatch.setenv("OMP_NUM_THREADS", "4,2")  # what joblib says to its workers
    assert [_options.threads(n) for n in (None, 6, -1, -2)] == [1, 6, 4, 3]
    with pytest.raises(ValueError, match="n_jobs: expected a number of threads, or a negative number .-1: all., found 0"):
        _options.threads(0)
    with pytest.raises(TypeError, match="n_jobs: expected a whole number, found 'all'"):
        _options.threads("all")


def test_threads_by_joblib(monkeypatch):
    joblib = pytest.importorskip("joblib")
    monkeypatch.setattr(_core, "default_threads", lambda: 8)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert _options.threads(None) == 1 and _options.threads(-1) == min(8, joblib.cpu_count())
    with joblib.parallel_backend("threading", n_jobs=3):
        assert _options.threads(None) == 3 and _options.threads(2) == 2
    with joblib.parallel_backend("sequential"):
        assert _options.threads(-1) == 1


NESTED = """
import joblib, os, sys
from faithful import _options
def count():
    import sys; sys.modules["joblib"] = joblib
    return _options.threads(None), _options.threads(-1), int(os.environ["OMP_NUM_THREADS"])
for one in joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(count)() for _ in range(2)):
    assert one[0] == 1 and one[1] <= one[2], one
print("done")
"""


def test_threads_in_workers_of_joblib():
    pytest.importorskip("joblib")
    done = subprocess.run([sys.executable, "-c", NESTED], capture_output=True, text=True, env=os.environ, timeout=120)
    assert done.stdout == "done\n", done.stderr


def test_weights_of_classes_are_weights_of_samples(bumps, quick):
    X, y = bumps
    quick = {**quick, "class_weights": "none"}
    weights = np.where(y == "bump", 3.0, 1.0)
    by_sample = TimeSeriesTransformer(**quick).fit(X, y, weights).predict_proba(X)
    by_class = TimeSeriesTransformer(**{**quick, "class_weights": None, "class_weight": {"bump": 3}}).fit(X, y).predict_proba(X)
    without = TimeSeriesTransformer(**quick).fit(X, y).predict_proba(X)
    assert np.array_equal(by_sample, by_class) and not np.array_equal(by_sample, without)
    assert by_sample[:, 0].mean() > without[:, 0].mean()
    # One weight for all changes nothing.
    assert np.array_equal(TimeSeriesTransformer(**quick).fit(X, y, np.full(60, 7.0)).predict_proba(X), without)
    assert np.array_equal(TimeSeriesTransformer(**quick).fit(X, y, sample_weight=2).predict_proba(X), without)


def test_a_weight_of_zero_leaves_a_sample_out(bumps, quick):
    X, y = bumps
    weights = np.arange(60) % 4 != 0
    some = TimeSeriesTransformer(**quick).fit(X, y, weights)
    assert np.array_equal(some.predict_proba(X), TimeSeriesTransformer(**quick).fit(X[weights], y[weights]).predict_proba(X))
    with pytest.raises(ValueError, match="expected at least two classes, found one class"):
        TimeSeriesTransformer(**quick).fit(X, y, y == "bump")


def test_balanced_is_the_library_s_auto(bumps, quick):
    X, y = bumps
    balanced = TimeSeriesTransformer(**quick, class_weight="balanced").fit(X, y)
    assert np.array_equal(balanced.predict_proba(X), TimeSeriesTransformer(**quick, class_weights="auto").fit(X, y).predict_proba(X))


@pytest.mark.parametrize("params, weights, message", [
    ({}, [1.0, 2.0], r"sample_weight: expected shape \(60,\), a weight a sample of X, found an array of shape \(2,\)"),
    ({}, -np.ones(60), "sample_weight: expected numbers of at least 0, found -1"),
    ({}, np.zeros(60), "sample_weight: expected a weight above 0, found zero for every sample"),
    ({}, np.full(60, np.nan), "sample_weight: expected finite numbers, found NaN"),
    ({"class_weight": {"dent": 1}}, None, "class_weight: expected classes of y, .'bump', 'flat'., found 'dent'"),
    ({"class_weight": {"bump": -1}}, None, "class_weight: expected numbers of at least 0, found -1"),
    ({"class_weight": "even"}, None, "class_weight: expected a dict, \"balanced\" or None, found 'even'"),
    ({"class_weight": "balanced", "class_weights": "none"}, None, "class_weight: expected without class_weights, found both"),
])
def test_refused_weights(params, weights, message, bumps, quick):
    with pytest.raises(ValueError, match=message):
        TimeSeriesTransformer(**{**quick, **params}).fit(*bumps, weights)


def holes(X):
    out = X.copy()
    out[::3, 5:8, 0] = np.nan
    out[1::3, -4:] = np.nan
    return out


def test_missing_values_are_interpolated(bumps, quick):
    X, y = bumps
    filled = holes(X)
    for one in filled:
        for c in range(2):
            known = ~np.isnan(one[:, c])
            one[:, c] = np.interp(np.arange(24), np.flatnonzero(known), one[known, c].astype(np.float64))
    line = TimeSeriesTransformer(missing="interpolate", **quick).fit(holes(X), y)
    whole = TimeSeriesTransformer(**quick).fit(filled, y)
    assert np.allclose(line.predict_proba(holes(X)), whole.predict_proba(filled), atol=1e-5)
    with pytest.raises(ValueError, match=r'expected a number in channel "channel_2" of series "series_1", found only missing'):
        line.predict(np.where(np.arange(2) == 1, np.nan, X[:1]))


def test_missing_values_are_masked(bumps, quick):
    X, y = bumps
    masked = TimeSeriesTransformer(missing="mask", **quick).fit(holes(X), y)
    cut = [one[:-4] if i % 3 == 1 else one for i, one in enumerate(X)]  # steps without a reading at the end are padding
    whole = TimeSeriesTransformer(**quick).fit(cut, y)
    padded = X.copy()
    padded[1::3, -4:] = np.nan
    again = TimeSeriesTransformer(missing="mask", **quick).fit(padded, y)
    assert np.array_equal(again.predict_proba(padded), whole.predict_proba(cut))
    assert masked.score(holes(X), y) > 0.8
    hidden, mean = X[:1].copy(), X[:1].copy()
    known = ~np.isnan(holes(X)[:, :, 0])  # what the scaler has seen
    hidden[0, 3, 0], mean[0, 3, 0] = np.nan, X[:, :, 0][known].astype(np.float64).mean()
    assert np.allclose(masked.predict_proba(hidden), masked.predict_proba(mean), atol=1e-5)
    with pytest.raises(ValueError, match=r"X\[1\]: expected at least one reading, found NaN alone"):
        masked.predict(np.where(np.arange(2)[:, None, None] == 1, np.nan, X[:2]))


def masked(X):
    """holes(X), with a number under the mask that no sensor reads."""
    return np.ma.masked_array(np.nan_to_num(holes(X), nan=-9999), np.isnan(holes(X)))


def boxed(X):
    array = np.empty(len(X), dtype=object)
    array[:] = list(X)
    return array


FORMS = {
    "array": lambda X: X,
    "list of arrays": list,
    "lists of rows": lambda X: [list(one) for one in X],
    "lists of numbers": lambda X: [[list(row) for row in one] for one in X],
    "array of arrays": boxed,
    "objects": lambda X: X.astype(object),
}


@pytest.mark.parametrize("how", ["interpolate", "mask"])
def test_a_masked_value_is_missing(how, bumps, quick):
    X, y = bumps
    wanted = TimeSeriesTransformer(missing=how, **quick).fit(holes(X), y)
    probabilities = wanted.predict_proba(holes(X))
    for name, form in FORMS.items():
        given = form(masked(X))
        assert np.array_equal(wanted.predict_proba(given), probabilities), name
        assert np.array_equal(wanted.predict(given), wanted.predict(holes(X))), name
        assert np.array_equal(wanted.decision_function(given), wanted.decision_function(holes(X))), name
        assert TimeSeriesTransformer(missing=how, **quick).fit(given, y)._model.bytes() == wanted._model.bytes(), name


@pytest.mark.parametrize("form", FORMS)
def test_a_masked_value_is_refused_as_nan_is(form, bumps, fitted):
    for call in (fitted.predict, fitted.predict_proba, lambda X: TimeSeriesTransformer().fit(X, bumps[1])):
        with pytest.raises(ValueError, match=r"^X(\[0\])?: expected finite numbers, found NaN at \((0, )?5, 0\) and \d+ more places"):
            call(FORMS[form](masked(bumps[0])))


def test_masked_tables_and_whole_numbers(bumps, quick):
    whole = np.rint(bumps[0][:, :, 0] * 100).astype(np.int16)
    mask = np.isnan(holes(bumps[0])[:, :, 0])
    wanted = TimeSeriesTransformer(missing="mask", **quick).fit(np.where(mask, np.nan, whole), bumps[1])
    table = np.ma.masked_array(np.where(mask, -9999, whole), mask)
    for given in (table, list(table)):
        assert TimeSeriesTransformer(missing="mask", **quick).fit(given, bumps[1])._model.bytes() == wanted._model.bytes()


def test_missing_values_of_pandas(bumps, quick):
    """Masked arrays in cells, and frames of a type that has pandas.NA."""
    pandas = pytest.importorskip("pandas")
    X, y = bumps
    wanted = TimeSeriesTransformer(missing="mask", **quick).fit(holes(X), y).predict_proba(holes(X))
    cells = pandas.DataFrame({c: boxed(masked(X)[:, :, i]) for i, c in enumerate("ab")})
    index = pandas.MultiIndex.from_product([range(60), range(24)])
    rows = pandas.DataFrame(holes(X).reshape(-1, 2).astype(np.float64), index=index, columns=list("ab")).astype("Float64")
    rows = rows.where(rows.notna(), pandas.NA)
    for nested in (cells, rows):
        assert np.array_equal(TimeSeriesTransformer(missing="mask", **quick).fit(nested, y).predict_proba(nested), wanted)


def test_infinity_is_never_missing(bumps, quick):
    X, y = bumps
    for how in ("interpolate", "mask"):
        with pytest.raises(ValueError, match="infinity"):
            TimeSeriesTransformer(missing=how, **quick).fit(np.where(X > 2, np.inf, X), y)
    with pytest.raises(ValueError, match="missing: expected error, interpolate or mask, found 'zero'"):
        TimeSeriesTransformer(missing="zero", **quick).fit(X, y)


def test_nested_frames_are_recognised(bumps, quick, fitted):
    """nested_univ and pd-multiindex of sktime."""
    pandas = pytest.importorskip("pandas")
    X, y = bumps
    cells = pandas.DataFrame({c: [pandas.Series(one[:, i]) for one in X] for i, c in enumerate("ab")})
    index = pandas.MultiIndex.from_product([range(60), range(24)])
    rows = pandas.DataFrame(X.reshape(-1, 2), index=index, columns=list("ab"))
    for nested in (cells, rows):
        again = TimeSeriesTransformer(**quick).fit(nested, y)
        assert np.array_equal(again.predict_proba(nested), fitted.predict_proba(X))
        assert again.n_channels_ == 2 and again.feature_names_in_.tolist() == ["a", "b"]
    cells.iloc[3, 1] = pandas.Series([1.0, 2.0])
    with pytest.raises(ValueError, match=r"X: expected cells of row 3 with series of one length, found shapes \(24,\), \(2,\)"):
        TimeSeriesTransformer(**quick).fit(cells, y)


def test_axes_of_aeon_are_refused_with_the_remedy(bumps, quick, fitted):
    X, y = bumps
    turned = X.transpose(0, 2, 1)
    remedy = r'is it \(samples, channels, time\), as in aeon\? Then say axes="nct"'
    with pytest.raises(ValueError, match=f'found 24 channels of at most 2 samples in time; {remedy}. Else say axes="ntc"'):
        TimeSeriesTransformer(**quick).fit(turned, y)
    assert TimeSeriesTransformer(**{**quick, "epochs": 1}, axes="ntc").fit(turned, y).n_channels_ == 24
    with pytest.raises(ValueError, match=remedy):
        fitted.predict(turned)
    with pytest.raises(ValueError, match=rf"X: expected 2 channels, as in training, found 12 \({remedy}\)"):
        TimeSeriesTransformer(**quick, axes="ntc").fit(X, y).predict(turned[:, :, :12])
    ragged = [one[:, : 24 - i % 3] for i, one in enumerate(turned)]
    with pytest.raises(ValueError, match=rf"X\[1\]: expected shape \(time, 24 channels\), found .*; {remedy}\)"):
        TimeSeriesTransformer(**quick).fit(ragged, y)
    with pytest.raises(ValueError, match="axes: expected auto, ntc or nct, found 'xyz'"):
        TimeSeriesTransformer(**quick, axes="xyz").fit(X, y)


def test_one_series_is_refused_in_words(bumps, quick, fitted):
    X, y = bumps
    with pytest.raises(ValueError, match=r"X: expected shape \(samples, time, 2 channels\), found \(24, 2\), which has two axes. For "
                                         r"one series, pass X\[None\]$"):
        fitted.predict(X[0])
    assert fitted.predict(X[0][None]).shape == (1,)
    with pytest.raises(ValueError, match=r"found \(60, 24\), which has two axes$"):
        fitted.predict(X[:, :, 0])
    single = TimeSeriesTransformer(**quick).fit(X[:, :, :1], y)
    with pytest.raises(ValueError, match=r"expected shape \(samples, time, 1 channel\), found \(24, 1\).*pass X\[None\]"):
        single.predict(X[0, :, :1])
    assert np.array_equal(single.predict_proba(X[:, :, 0]), single.predict_proba(X[:, :, :1]))
    with pytest.raises(ValueError, match="Reshape your data"):
        single.predict(X[0, :, 0])


def test_every_parameter_has_an_entry():
    text = TimeSeriesTransformer.__doc__
    entries = re.findall(r"^(\w+) : (.+), default (.+)\n    (\S.+)", text.split("Attributes\n")[0], re.M)
    assert sorted(one[0] for one in entries) == sorted(TimeSeriesTransformer().get_params())
    assert all(len(line) <= 120 for line in text.splitlines()) and "{field" not in text and "--" not in text.replace("---", "")
