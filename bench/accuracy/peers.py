"""peers.py METHOD TRAIN.ts TEST.ts SEED THREADS OUT.json: one run of a peer, in a process of its own.

Trains on the first file and predicts the second. Writes predictions, probabilities, and for each phase the seconds of
wall clock and of processor time. A first fit on tiny data compiles what numba compiles; it is a phase of its own.
Probabilities of the ridge classifiers: softmax of the scores over a temperature, which has the least log loss on
out-of-fold scores of TRAIN (five folds, the features as they are). That phase comes last and counts apart.
"""
import json
import os
import resource
import sys
import time
import warnings

threads = sys.argv[5]
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = threads

import numpy  # noqa: E402

import ts_files  # noqa: E402


def read(path):
    """(values [n, C, T], labels [n] as numbers of the header's classes, names of the classes)"""
    header, lines = ts_files.read_lines(ts_files.pathlib.Path(path))
    names = ts_files.class_names(header)
    values = [[[float(v) for v in channel.split(",")] for channel in line.split(":")[:-1]] for line in lines]
    labels = [names.index(ts_files.label_of(line)) for line in lines]
    return numpy.array(values, dtype=numpy.float64), numpy.array(labels), names


def softmax(scores):
    e = numpy.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def log_loss(probabilities, labels):
    return -numpy.log(numpy.maximum(probabilities[numpy.arange(len(labels)), labels], 1e-7)).mean()


def class_scores(ridge, features):
    """[n, K]: the scores of ridge regression. Of two classes scikit-learn has only those of the second; the first has
    the opposite ones."""
    scores = ridge.decision_function(features)
    return scores if scores.ndim == 2 else numpy.stack((-scores, scores), axis=1)


def fitted_temperature(features, labels, classes, make_ridge):
    """The temperature with the least log loss of out-of-fold scores. Classes that a fold lacks score -1, the target
    that ridge regression has for what a series is not."""
    from sklearn.model_selection import StratifiedKFold
    scores = numpy.full((len(labels), classes), -1.0)
    folds = min(5, numpy.bincount(labels).max())
    for train, held in StratifiedKFold(folds, shuffle=True, random_state=0).split(features, labels):
        ridge = make_ridge().fit(features[train], labels[train])
        scores[numpy.ix_(held, ridge.classes_)] = class_scores(ridge, features[held])
    candidates = numpy.exp(numpy.linspace(numpy.log(0.01), numpy.log(10), 400))
    return min(candidates, key=lambda t: log_loss(softmax(scores / t), labels))


class Ridge:
    """An aeon classifier of features and ridge regression."""

    def __init__(self, make, classes):
        self.make, self.classes = make, classes

    def fit(self, x, y):
        self.model = self.make()
        self.model.fit(x, y)
        self.labels = y

    def predict(self, x):
        return self.model.predict(x)

    def _features(self, x):
        if hasattr(self.model, "pipeline_"):  # MiniRocket
            return self.model.pipeline_[:-1].transform(x), self.model.pipeline_[-1]
        hydra = self.model._scale_hydra.transform(self.model._transform_hydra.transform(x))
        rocket = self.model._scale_multirocket.transform(self.model._transform_multirocket.transform(x))
        return numpy.concatenate((hydra, rocket), axis=1), self.model.classifier

    def probabilities(self, x, train_x):
        from sklearn.base import clone
        features, ridge = self._features(train_x)
        temperature = fitted_temperature(features, self.labels, self.classes, lambda: clone(ridge))
        scores = numpy.full((len(x), self.classes), -1.0)
        scores[:, numpy.asarray(ridge.classes_, dtype=int)] = class_scores(ridge, self._features(x)[0])
        self.temperature, self.untempered = temperature, softmax(scores)
        return softmax(scores / temperature)


class Trees:
    """QUANT, whose trees have probabilities."""

    def __init__(self, make, classes):
        self.make, self.classes = make, classes

    def fit(self, x, y):
        self.model = self.make()
        self.model.fit(x, y)

    def predict(self, x):
        self.last = numpy.zeros((len(x), self.classes))
        self.last[:, numpy.asarray(self.model.classes_, dtype=int)] = self.model.predict_proba(x)
        return self.last.argmax(axis=1)

    def probabilities(self, x, train_x):
        return self.last


class Network:
    def __init__(self, make):
        self.make = make

    def fit(self, x, y, **settings):
        self.model = self.make()
        self.model.fit(x, y, **settings)

    def predict(self, x):
        self.last = self.model.probabilities(x)
        return self.last.argmax(axis=1)

    def probabilities(self, x, train_x):
        return self.last.astype(float)


def make(method, seed, count, classes):
    if method == "ConvTran-like":
        import torch

        import convtran
        torch.set_num_threads(count)
        return Network(lambda: convtran.Classifier(classes, seed))
    if method == "QUANT":
        from aeon.classification.interval_based import QUANTClassifier
        from sklearn.ensemble import ExtraTreesClassifier
        # aeon's default trees, with threads.
        trees = ExtraTreesClassifier(n_estimators=200, max_features=0.1, criterion="entropy", n_jobs=count)
        return Trees(lambda: QUANTClassifier(estimator=trees, random_state=seed), classes)
    from aeon.classification import convolution_based
    kind = {"MultiRocket-Hydra": "MultiRocketHydraClassifier", "MiniRocket": "MiniRocketClassifier"}[method]
    return Ridge(lambda: getattr(convolution_based, kind)(n_jobs=count, random_state=seed), classes)


def rounded(rows):
    return [[round(float(p), 7) for p in row] for row in rows]


def main():
    method, train_path, test_path, seed, _, out = sys.argv[1:]
    warnings.filterwarnings("ignore")
    phases = {}

    def timed(name, function, *arguments):
        wall, cpu = time.monotonic(), time.process_time()
        result = function(*arguments)
        phases[name] = {"wall": round(time.monotonic() - wall, 3), "cpu": round(time.process_time() - cpu, 3)}
        return result

    train_x, train_y, names = read(train_path)
    test_x, _, _ = read(test_path)
    model = timed("import", make, method, int(seed), int(threads), len(names))
    tiny_y = numpy.arange(12) % 2
    if method == "ConvTran-like":
        timed("compile", lambda: model.fit(train_x[:12], tiny_y, epochs=1))
    else:
        timed("compile", lambda: (model.fit(train_x[:12], tiny_y), model.predict(train_x[:12])))
    baseline = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    timed("fit", model.fit, train_x, train_y)
    predicted = timed("predict", model.predict, test_x)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    probabilities = timed("probabilities", model.probabilities, test_x, train_x)
    before = {"temperature": float(model.temperature), "untempered": rounded(model.untempered)} if isinstance(
        model, Ridge) else {}
    with open(out, "w") as file:
        json.dump({"classes": names, "predicted": [names[int(i)] for i in predicted],
                   "probabilities": rounded(probabilities), **before, "phases": phases,
                   "baseline_mb": round(baseline / 1024), "peak_mb": round(peak / 1024)}, file)


if __name__ == "__main__":
    main()
