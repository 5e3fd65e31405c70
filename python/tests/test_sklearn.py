"""What scikit-learn asks of a classifier, whole: Debian's 1.2.1 in `make test`, the newest in `make test-pip`."""
import inspect

import numpy as np
import pytest

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from faithful import TimeSeriesTransformer


# Batches and start values follow the order of the samples, so a sample twice is not a sample of weight 2, bit for bit.
# scikit-learn's own MLPClassifier and SGDClassifier are excused for the same reason. Up to 1.5 a tag of the estimator says so.
EXCUSED = {"check_sample_weight_equivalence_on_dense_data": "training in batches depends on the order of the samples"}


@pytest.mark.filterwarnings("ignore")
def test_check_estimator():
    excuses = "expected_failed_checks" in inspect.signature(check_estimator).parameters
    check_estimator(TimeSeriesTransformer(), **({"expected_failed_checks": EXCUSED} if excuses else {}))


def test_pipeline_search_and_cross_validation(bumps, quick):
    X, y = bumps
    search = GridSearchCV(TimeSeriesTransformer(**quick), {"encoding": ["dft", "none"], "epochs": [1, 6]}, cv=2)
    search.fit(X, y)
    assert search.best_score_ > 0.8 and set(search.best_params_) == {"encoding", "epochs"}
    assert cross_val_score(TimeSeriesTransformer(**quick), X, y, cv=2, scoring="roc_auc").shape == (2,)
    table = X[:, :, 0]
    pipeline = make_pipeline(StandardScaler(), TimeSeriesTransformer(**quick)).fit(table, y)
    assert pipeline.score(table, y) > 0.8


def test_clone_and_params(quick):
    estimator = TimeSeriesTransformer("rope", **quick)
    twin = clone(estimator).set_params(epochs=3)
    assert twin.get_params() == {**estimator.get_params(), "epochs": 3}


def test_columns_of_a_table_keep_their_names(bumps, quick):
    pandas = pytest.importorskip("pandas")
    X, y = bumps
    frame = pandas.DataFrame(X[:, :5, 0], columns=list("abcde"))
    fitted = TimeSeriesTransformer(**quick).fit(frame, y)
    assert fitted.feature_names_in_.tolist() == list("abcde") and fitted.n_features_in_ == 5
    assert np.array_equal(fitted.predict_proba(frame), fitted.predict_proba(frame.to_numpy()))
    with pytest.raises(ValueError, match="expected the columns of training"):
        fitted.predict(frame[list("edcba")])
