"""The classifiers for aeon and sktime, by the estimator checks of both libraries. `make test-pip` installs them."""
import warnings

import numpy as np
import pytest

from faithful import TimeSeriesTransformer
from faithful._adapter import _series

SMALL = {"preset": "plain", "width": 16, "heads": 2, "layers": 1, "epochs": 6}
SLOWER = {**SMALL, "epochs": 40, "learning_rate": 1e-2}


def failures(results):
    return {name: result for name, result in results.items() if result not in ("PASSED",)}


@pytest.mark.filterwarnings("ignore")
def test_aeon_checks():
    checking = pytest.importorskip("aeon.testing.estimator_checking")
    from faithful.aeon import TimeSeriesTransformerClassifier
    results = checking.check_estimator(TimeSeriesTransformerClassifier, raise_exceptions=False, verbose=False)
    assert len(results) > 30 and not failures(results)


@pytest.mark.filterwarnings("ignore")
def test_sktime_checks():
    checks = pytest.importorskip("sktime.utils.estimator_checks")
    from faithful.sktime import TimeSeriesTransformerClassifier
    results = checks.check_estimator(TimeSeriesTransformerClassifier, raise_exceptions=False, verbose=False)
    assert len(results) > 50 and not failures(results)


def test_masked_values_pass_through_the_adapters():
    """Without the libraries: what their base classes hand over, [n, C, T] or a list of [C, T]."""
    X = np.ma.masked_array(np.arange(12.0).reshape(2, 2, 3), np.arange(12).reshape(2, 2, 3) == 4)
    for given in (X, list(X)):
        first, second = _series(given)
        assert np.array_equal(first, [[0, 3], [1, np.nan], [2, 5]], equal_nan=True)
        assert np.array_equal(second, X.data[1].T)


@pytest.mark.parametrize("library", ["aeon", "sktime"])
def test_the_model_is_that_of_the_estimator(library, bumps):
    pytest.importorskip(library)
    adapter = pytest.importorskip(f"faithful.{library}").TimeSeriesTransformerClassifier
    X, y = bumps
    turned = np.ascontiguousarray(X.transpose(0, 2, 1))  # (samples, channels, time)
    mine = TimeSeriesTransformer(**SMALL).fit(X, y)
    theirs = adapter(**SMALL).fit(turned.astype(np.float64), y)
    assert np.array_equal(theirs.predict_proba(turned.astype(np.float64)), mine.predict_proba(X).astype(np.float64))
    assert theirs.predict(turned.astype(np.float64)).tolist() == mine.predict(X).tolist()
    assert set(adapter().get_params()) == set(TimeSeriesTransformer().get_params()) - {"axes"}
    assert adapter().get_params()["n_jobs"] == 1 and f"TimeSeriesTransformer for {library}" in adapter.__doc__


def test_a_pipeline_of_aeon(bumps):
    pytest.importorskip("aeon")
    from aeon.classification.compose import ClassifierPipeline
    from aeon.transformations.collection import Normalizer
    from faithful.aeon import TimeSeriesTransformerClassifier
    X, y = bumps
    turned = X.transpose(0, 2, 1).astype(np.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pipeline = ClassifierPipeline(transformers=Normalizer(), classifier=TimeSeriesTransformerClassifier(**SLOWER)).fit(turned, y)
    assert pipeline.score(turned, y) > 0.8
