#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/threads.h"
#include "faithful/metrics/summary.h"

// Is there a difference? `differences` are those of pairs (one arm minus the other, on the same seed or data set). All
// tests are two-sided.

namespace faithful {

struct TestResult {
  double statistic = 0;
  double p = 1;
  bool exact = true;  // every case was counted; otherwise sampled or approximated
};

struct SignFlipOptions {
  std::size_t most_exact = 20;    // pairs for which all 2^n sign patterns are counted; at most 30
  std::size_t samples = 100'000;  // patterns drawn where there are more
  std::uint64_t seed = 1;
  ThreadPool* pool = nullptr;  // nullptr: one of default_threads()
};

// Permutation test of the mean: the share of sign patterns s with |mean(s d)| >= |mean(d)|; where they are drawn, the
// observed one is counted among them: (1 + hits) / (1 + samples). The statistic is the mean. With n pairs p is at least
// 2^(1-n).
FAITHFUL_API TestResult sign_flip_test(std::span<const double> differences, const SignFlipOptions& options = {});

// Wilcoxon's signed-rank test: W = min(W+, W-), the sums of the ranks of |d| by sign; zeros are left out. Exact for up
// to 50 differences without zeros and ties, otherwise the normal approximation with the tie and the continuity
// correction. (SciPy's wilcoxon(d, correction=True), method "exact" and "approx".)
FAITHFUL_API TestResult wilcoxon_test(std::span<const double> differences);

struct MeanEstimate {
  Summary summary;      // of the differences
  Interval interval{};  // of their mean: mean +- quantile * standard error
  double t = 0;         // mean / standard error
  double p = 1;
};

// Student's paired t: standard error sd / sqrt(n), n - 1 degrees of freedom. With one difference the interval is
// infinite and p is 1. If all differences are equal, the interval is that value, and p is 0 (or 1, if the value is 0).
FAITHFUL_API MeanEstimate paired_t(std::span<const double> differences, double level = 0.95);

// The same for repeated splits of one data set, whose training parts overlap (Nadeau and Bengio 2003): standard error
// sd * sqrt(1/n + test/train), where test_to_train is the size of the test part over that of the training part.
FAITHFUL_API MeanEstimate resampled_t(std::span<const double> differences, double test_to_train, double level = 0.95);

// Holm's correction: p-values of a family of tests so that the probability of any false finding stays below the level.
// [m], in the order given
FAITHFUL_API std::vector<double> holm(std::span<const double> p_values);

// Student's t distribution: P(T <= t), and its inverse for 0 < share < 1.
FAITHFUL_API double student_cdf(double t, double freedom);
FAITHFUL_API double student_quantile(double share, double freedom);

}  // namespace faithful
