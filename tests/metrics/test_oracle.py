"""Random cases, with many ties and weights, against scikit-learn and SciPy."""
import os
import subprocess
import warnings

import numpy as np
import pytest
import scipy.optimize
import scipy.special
import scipy.stats
import sklearn.metrics as sk

SIZES = [1, 2, 3, 5, 17, 100, 1000]
NAN = float("nan")


def words(values):
    return " ".join(repr(float(value)) for value in np.ravel(values))


def ask(questions):
    """The numbers answered to each line."""
    done = subprocess.run([os.environ["FAITHFUL_METRICS_ORACLE"]], input="\n".join(questions) + "\n", text=True,
                          capture_output=True, check=True, timeout=120)
    answers = [np.array(line.split(), dtype=float) for line in done.stdout.split("\n")[:-1]]
    assert len(answers) == len(questions)
    return answers


def compare(cases, question, expected, tolerance=1e-12):
    with warnings.catch_warnings():  # scikit-learn warns of what is 0 / 0
        warnings.simplefilter("ignore")
        for case, answer in zip(cases, ask([question(*case) for case in cases])):
            np.testing.assert_allclose(answer, np.ravel(expected(*case)), rtol=tolerance, atol=tolerance, err_msg=str(case))


def random_weights(random, n):
    """All one, small counts with zeros (as a bootstrap draws), or any number."""
    kind = random.integers(3)
    weights = [np.ones(n), random.integers(0, 3, n), random.random(n)][kind].astype(float)
    return weights if weights.sum() > 0 else np.ones(n)


@pytest.fixture
def random():
    return np.random.default_rng(5)


def scored_cases(random):
    """Scores on a coarse grid, so that most are tied, or all different."""
    for n in SIZES * 10:
        truth = random.random(n) < random.choice([0.05, 0.5, 0.9])
        scores = random.integers(0, random.choice([2, 4, 30]), n) / 4 if random.random() < 0.8 else random.normal(size=n)
        yield scores + truth * random.choice([0, 0.5]), truth.astype(int), random_weights(random, n)


def defined_cases(random):
    return [case for case in scored_cases(random) if 0 < (case[1] * case[2]).sum() < case[2].sum()]


def scored(name):
    return lambda scores, truth, weights: f"{name} {len(truth)} {words(scores)} {words(truth)} {words(weights)}"


def test_confusion_and_its_ratios(random):
    cases = [(random.integers(0, 2, n), random.integers(0, 2, n), random_weights(random, n)) for n in SIZES * 10]

    def expected(truth, flags, weights):
        scores = [score(truth, flags, sample_weight=weights, zero_division=0)
                  for score in (sk.precision_score, sk.recall_score, sk.f1_score)]
        return [*np.ravel(sk.confusion_matrix(truth, flags, labels=[0, 1], sample_weight=weights)), *scores,
                sk.accuracy_score(truth, flags, sample_weight=weights)]
    compare(cases, scored("binary"), expected)


def test_classes(random):
    cases = []
    for n in SIZES * 10:
        classes = int(random.integers(1, 7))
        truth, said = random.integers(0, classes, n), random.integers(0, classes, n)
        cases.append((classes, truth, said, random_weights(random, n)))

    def expected(classes, truth, said, weights):
        drawn = weights > 0  # a class that has no weight does not occur
        truth, said, weights = truth[drawn], said[drawn], weights[drawn]
        labels = list(range(classes))
        means = [sk.precision_recall_fscore_support(truth, said, average=average, sample_weight=weights)[:3]
                 for average in ("macro", "weighted")]
        each = sk.precision_recall_fscore_support(truth, said, labels=labels, sample_weight=weights)[:3]
        matrix = sk.confusion_matrix(truth, said, labels=labels, sample_weight=weights)
        return [sk.accuracy_score(truth, said, sample_weight=weights), *np.ravel(means), *np.ravel(np.transpose(each)),
                *np.ravel(matrix)]
    compare(cases, lambda classes, *case: f"classes {classes} " + scored("")(*case), expected)


def best_threshold(scores, truth, weights):
    """By trying every midpoint, highest first."""
    values = np.unique(scores[weights > 0])[::-1]
    thresholds = [*(values[:-1] + values[1:]) / 2, values[-1]]
    f1 = [sk.f1_score(truth, scores >= threshold, sample_weight=weights) for threshold in thresholds]
    best = next(k for k, value in enumerate(f1) if value > max(f1) - 1e-12)
    return thresholds[best], f1[best]


def test_areas_and_threshold(random):
    cases = defined_cases(random)
    assert len(cases) > 30
    compare(cases, scored("ranking"), lambda scores, truth, weights: [
        sk.average_precision_score(truth, scores, sample_weight=weights),
        sk.roc_auc_score(truth, scores, sample_weight=weights), *best_threshold(scores, truth, weights)])


def test_one_class_has_no_area():
    cases = [(np.arange(4.0), np.zeros(4), np.ones(4)), (np.arange(4.0), np.ones(4), np.ones(4))]
    negative, positive = ask([scored("ranking")(*case) for case in cases])
    np.testing.assert_equal(negative, [NAN] * 4)
    np.testing.assert_equal(positive, [1, NAN, 0, 1])


def test_pr_curve(random):
    def expected(scores, truth, weights):
        precision, recall, thresholds = sk.precision_recall_curve(truth, scores, sample_weight=weights)
        return np.transpose([[*thresholds, np.inf], precision, recall])[::-1]
    compare(defined_cases(random), scored("pr_curve"), expected)


def test_roc_curve(random):
    def expected(scores, truth, weights):
        false, true, thresholds = sk.roc_curve(truth, scores, sample_weight=weights, drop_intermediate=False)
        return np.transpose([[np.inf, *thresholds[1:]], false, true])
    compare(defined_cases(random), scored("roc_curve"), expected)


def student_quantile(share, freedom):
    """By SciPy's cdf: its own t.ppf is right to eight digits only (1.10)."""
    return scipy.optimize.brentq(lambda t: scipy.stats.t.cdf(t, freedom) - share, -1e4, 1e4, xtol=1e-14, rtol=1e-14)


def student_interval(level, freedom, mean, error):
    reach = error * student_quantile((1 + level) / 2, freedom)
    return [mean - reach, mean + reach]


def test_student_distribution(random):
    cases = [(random.normal() * 10.0 ** random.integers(-3, 3), random.uniform(0.001, 0.999), float(freedom))
             for freedom in [1, 2, 3, 4, 7, 9, 19, 100, 999, 2.5] * 10]
    compare(cases, lambda *case: f"student {words(case)}", lambda t, share, freedom: [
        scipy.stats.t.cdf(t, freedom), student_quantile(share, freedom)], tolerance=1e-11)


def difference_cases(random):
    for n in [2, 3, 5, 10, 20, 30, 50, 51, 200] * 10:
        differences = random.normal(size=n) + random.choice([0, 0.5, 2])
        kind = random.integers(3)  # none tied, tied, tied and zero
        yield differences if kind == 0 else np.round(differences * 2 + 0.5) - (0.5 if kind == 1 else 0)


def test_paired_t(random):
    cases = [(0.95, 0, d) for d in difference_cases(random) if d.std() > 0]

    def expected(level, _, d):
        t, p = scipy.stats.ttest_rel(d, np.zeros(len(d)))
        error = d.std(ddof=1) / np.sqrt(len(d))
        return [t, p, *student_interval(level, len(d) - 1, d.mean(), error), d.mean(), d.std(ddof=1)]
    compare(cases, lambda level, ratio, d: f"estimate {level} {ratio} {len(d)} {words(d)}", expected, tolerance=1e-11)


def test_resampled_t(random):
    cases = [(0.9, 15 / 70, d) for d in difference_cases(random) if d.std() > 0]

    def expected(level, ratio, d):
        error = d.std(ddof=1) * np.sqrt(1 / len(d) + ratio)
        t = d.mean() / error
        return [t, 2 * scipy.stats.t.sf(abs(t), len(d) - 1),
                *student_interval(level, len(d) - 1, d.mean(), error), d.mean(), d.std(ddof=1)]
    compare(cases, lambda level, ratio, d: f"estimate {level} {ratio} {len(d)} {words(d)}", expected, tolerance=1e-11)


def test_wilcoxon(random):
    cases = [(d,) for d in difference_cases(random) if np.any(d)]

    def expected(d):
        exact = len(d) <= 50 and len(set(abs(d))) == len(d) and 0 not in d
        method = "exact" if exact else "approx"
        return [*scipy.stats.wilcoxon(d, correction=True, method=method), exact]
    compare(cases, lambda d: f"wilcoxon {len(d)} {words(d)}", expected)


def test_sign_flip(random):
    cases = [(d,) for d in difference_cases(random) if len(d) <= 10]

    def expected(d):
        result = scipy.stats.permutation_test((d, np.zeros(len(d))), lambda x, y: np.mean(x - y), permutation_type="samples",
                                              n_resamples=np.inf)
        return [d.mean(), result.pvalue]
    compare(cases, lambda d: f"sign_flip {len(d)} {words(d)}", expected)


def test_quantiles_and_ranks(random):
    cases = [(random.random(), random.integers(0, 20, n) / 8) for n in SIZES * 5]
    compare(cases, lambda share, values: f"summary {share} {len(values)} {words(values)}",
            lambda share, values: [np.quantile(values, share), *scipy.stats.rankdata(values)])


def deviation_by_characteristic_function(chances):
    """E |X - E X| of independent events, from the distribution of their number by a Fourier transform."""
    if len(chances) == 0:
        return 0.0
    turns = np.exp(-2j * np.pi * np.arange(len(chances) + 1) / (len(chances) + 1))
    shares = np.fft.ifft(np.prod(1 + np.outer(chances, turns - 1), axis=0)).real
    return float(np.abs(np.arange(len(shares)) - chances.sum()) @ shares)


def calibration_cases(random):
    for n in SIZES[:-1] * 5:
        classes = int(random.integers(2, 6))
        rows = random.dirichlet(np.full(classes, random.choice([0.2, 1, 5])), n).astype(np.float32)
        yield classes, rows, random.integers(0, classes, n), random_weights(random, n)


def test_probabilities(random):
    def expected(classes, rows, labels, weights):
        rows, n = rows.astype(float), len(labels)
        wanted = np.eye(classes)[labels]
        top = rows.max(axis=1)
        bins = np.digitize(top, np.arange(1, 15) / 15, right=True)
        right = rows.argmax(axis=1) == labels
        each = [(m.sum(), top[m].mean() if m.any() else 0, right[m].mean() if m.any() else 0)
                for m in (bins == b for b in range(15))]
        floor = sum(deviation_by_characteristic_function(top[bins == b]) for b in range(15)) / n
        loss = sk.log_loss(labels, np.clip(rows, 1e-7, 1), labels=range(classes), sample_weight=weights, normalize=True)
        unscaled = np.average(-np.log(np.clip(rows[np.arange(n), labels], 1e-7, 1)), weights=weights)
        assert abs(loss - unscaled) < 1e-5 * (1 + loss)  # scikit-learn divides clipped rows by their sums
        return [unscaled, np.average(((rows - wanted) ** 2).sum(axis=1), weights=weights),
                sum(count * abs(mean - share) for count, mean, share in each) / n, floor, *np.ravel(each)]
    compare(list(calibration_cases(random)), lambda classes, rows, labels, weights:
            f"calibration {classes} {len(labels)} {words(rows)} {words(labels)} {words(weights)}", expected, 1e-10)


def test_brier_score_of_two_classes_is_twice_that_of_scikit_learn(random):
    p = random.random(200).astype(np.float32)
    rows, labels = np.stack([1 - p, p], axis=1), random.integers(0, 2, 200)
    found = ask([f"calibration 2 200 {words(rows)} {words(labels)} {words(np.ones(200))}"])[0]
    assert abs(found[1] - 2 * sk.brier_score_loss(labels, p)) < 1e-7


def test_temperature(random):
    """By another minimiser, of the loss as a formula."""
    cases = []
    for n in [3, 20, 300] * 6:
        classes = int(random.integers(2, 6))
        outputs = 1 if classes == 2 and random.random() < 0.7 else classes
        labels = random.integers(0, classes, n)
        logits = random.normal(size=(n, outputs)) * random.choice([0.1, 1, 20])
        logits += (2 * labels[:, None] - 1 if outputs == 1 else 2 * np.eye(classes)[labels])
        cases.append((classes, logits.astype(np.float32), labels, np.maximum(random_weights(random, n), 0.5)))

    def expected(classes, logits, labels, weights):
        n = len(labels)
        full = (np.hstack([np.zeros((n, 1)), logits]) if logits.shape[1] == 1 else logits).astype(float)
        wanted = np.eye(classes)[labels] * n / (n + 1) + 1 / (n + 1) / classes
        def loss(log_temperature):
            scaled = full / np.exp(log_temperature)
            logs = scaled - scipy.special.logsumexp(scaled, axis=1, keepdims=True)
            return np.average(-(wanted * logs).sum(axis=1), weights=weights.astype(np.float32))
        found = scipy.optimize.minimize_scalar(loss, bounds=(np.log(1e-4), np.log(1e2)), method="bounded",
                                               options={"xatol": 1e-10})
        return [found.x, found.fun]
    questions = [f"temperature {classes} {logits.shape[1]} {len(labels)} {words(logits)} {words(labels)} {words(weights)}"
                 for classes, logits, labels, weights in cases]
    for case, (log_temperature, loss) in zip(cases, ask(questions)):
        wanted, least = expected(*case)
        assert -1e-7 < loss - least < 1e-9 * (1 + least), case  # SciPy stops before a bound
        if abs(wanted) < 4:  # else the loss hardly depends on it
            assert abs(log_temperature - wanted) < 1e-3, case
