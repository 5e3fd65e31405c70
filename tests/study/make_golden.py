"""Writes golden.h: paired statistics of fixed differences by SciPy. Run it with Debian's python3:
/usr/bin/python3 tests/study/make_golden.py > tests/study/golden.h"""
import numpy as np
from scipy import stats

TEST_TO_TRAIN = 0.25


def row(differences):
    d = np.array(differences)
    n = len(d)
    t = stats.ttest_1samp(d, 0)
    sem = d.std(ddof=1) / np.sqrt(n)
    low, high = stats.t.interval(0.95, n - 1, loc=d.mean(), scale=sem)
    corrected = stats.t.interval(0.95, n - 1, loc=d.mean(), scale=d.std(ddof=1) * np.sqrt(1 / n + TEST_TO_TRAIN))
    flip = stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=np.inf).pvalue
    return [d.mean(), d.std(ddof=1), low, high, t.pvalue, *corrected, flip]


def main():
    random = np.random.default_rng(7)
    cases = [np.round(random.normal(shift, 0.02, n), 4) for n in (2, 5, 10, 15) for shift in (0, 0.01, -0.03)]
    print("// Made by make_golden.py with SciPy; do not edit.\n#pragma once\n\n#include <vector>\n")
    print("namespace faithful::testing {\n")
    print(f"inline constexpr double kTestToTrain = {TEST_TO_TRAIN};")
    print("struct GoldenComparison {\n  std::vector<double> differences;\n  double mean, deviation, low, high, p, corrected_low, corrected_high, flip_p;\n};")
    print("inline const std::vector<GoldenComparison> kGolden = {")
    for case in cases:
        print("    {{" + ", ".join(repr(float(v)) for v in case) + "},")
        print("     " + ", ".join(repr(float(v)) for v in row(case)) + "},")
    print("};\n\n}  // namespace faithful::testing")


main()
