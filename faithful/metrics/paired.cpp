#include "faithful/metrics/paired.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include "faithful/base/error.h"
#include "faithful/base/random.h"
#include "faithful/metrics/checks_internal.h"
#include "faithful/metrics/student_internal.h"

namespace faithful {

namespace {

constexpr std::size_t kMostExactRanks = 50;  // 2^50 is exact in a double

void check_differences(std::span<const double> differences) {
  if (differences.empty()) reject({{"differences"}, "at least one pair", "none"});
  metrics::check_finite("differences", differences);
}

// |sum of s d| reaches the observed one; sums that are equal but for rounding count as equal.
class FlipTest {
 public:
  explicit FlipTest(std::span<const double> differences) : differences_(differences) {
    double size = 0, sum = 0;
    for (const double d : differences) {
      size += std::abs(d);
      sum += d;
    }
    bound_ = std::abs(sum) - 1e-12 * size;
  }

  // Bit i of `signs` turns difference i around.
  template <class Signs>
  bool reaches(const Signs& signs) const {
    double sum = 0;
    for (std::size_t i = 0; i < differences_.size(); ++i) sum += signs(i) ? -differences_[i] : differences_[i];
    return std::abs(sum) >= bound_;
  }

 private:
  std::span<const double> differences_;
  double bound_;
};

// The probability that a standard normal number is above z.
double normal_tail(double z) {
  return std::erfc(z / std::sqrt(2.0)) / 2;
}

// P(W+ <= w) without ties: the subsets of 1..n with sum s are counted for every s.
double rank_sum_cdf(std::size_t n, std::size_t w) {
  std::vector<double> subsets(n * (n + 1) / 2 + 1, 0);
  subsets[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    for (std::size_t sum = subsets.size(); sum-- > rank;) subsets[sum] += subsets[sum - rank];
  }
  return std::ldexp(std::accumulate(subsets.begin(), subsets.begin() + static_cast<std::ptrdiff_t>(w) + 1, 0.0),
                    -static_cast<int>(n));
}

// sum over groups of t equal values of t^3 - t
double tie_sum(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  double sum = 0;
  for (std::size_t begin = 0; begin < values.size();) {
    std::size_t end = begin + 1;
    while (end < values.size() && values[end] == values[begin]) ++end;
    const auto t = static_cast<double>(end - begin);
    sum += t * t * t - t;
    begin = end;
  }
  return sum;
}

MeanEstimate estimate(std::span<const double> differences, double variance_factor, double level) {
  check_differences(differences);
  metrics::check_share("level", level);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  MeanEstimate result{summarize(differences), {-kInfinity, kInfinity}, 0, 1};
  if (differences.size() < 2) return result;
  const auto freedom = static_cast<double>(differences.size() - 1);
  const double mean = result.summary.mean, error = result.summary.deviation * std::sqrt(variance_factor);
  const double reach = error * student_quantile((1 + level) / 2, freedom);
  result.interval = {mean - reach, mean + reach};
  if (error > 0) {
    result.t = mean / error;
    result.p = metrics::student_two_sided(result.t, freedom);
  } else if (mean != 0) {
    result.t = std::copysign(kInfinity, mean);
    result.p = 0;
  }
  return result;
}

}  // namespace

TestResult sign_flip_test(std::span<const double> differences, const SignFlipOptions& options) {
  check_differences(differences);
  assert(options.most_exact <= 30);
  const FlipTest test(differences);
  const std::size_t n = differences.size();
  const double mean = summarize(differences).mean;
  if (n <= options.most_exact) {
    // A pattern and its opposite reach equally far, so the last sign stays.
    const std::uint64_t patterns = std::uint64_t{1} << (n - 1);
    std::uint64_t hits = 0;
    for (std::uint64_t signs = 0; signs < patterns; ++signs) {
      hits += test.reaches([&](std::size_t i) { return (signs >> i & 1) == 1; });
    }
    return {mean, static_cast<double>(hits) / static_cast<double>(patterns), true};
  }
  std::atomic<std::size_t> hits = 0;
  const auto draw = [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> words((n + 31) / 32);
    std::size_t found = 0;
    for (std::size_t sample = begin; sample < end; ++sample) {
      Random random(options.seed, sample);
      for (std::uint32_t& word : words) word = random.bits32();
      found += test.reaches([&](std::size_t i) { return (words[i / 32] >> (i % 32) & 1) == 1; });
    }
    hits += found;
  };
  parallel_for(*PoolOrOwn(options.pool), options.samples, 256, draw);
  return {mean, static_cast<double>(1 + hits) / static_cast<double>(1 + options.samples), false};
}

TestResult wilcoxon_test(std::span<const double> differences) {
  check_differences(differences);
  std::vector<double> sizes, signs;
  for (const double d : differences) {
    if (d == 0) continue;
    sizes.push_back(std::abs(d));
    signs.push_back(d > 0 ? 1 : 0);
  }
  const std::vector<double> places = ranks(sizes);
  const auto n = static_cast<double>(sizes.size());
  const double plus = std::inner_product(places.begin(), places.end(), signs.begin(), 0.0);
  const double least = std::min(plus, n * (n + 1) / 2 - plus);
  const double ties = tie_sum(sizes);
  if (sizes.empty()) return {0, 1, true};
  if (ties == 0 && sizes.size() == differences.size() && sizes.size() <= kMostExactRanks) {
    return {least, std::min(1.0, 2 * rank_sum_cdf(sizes.size(), static_cast<std::size_t>(least))), true};
  }
  const double mean = n * (n + 1) / 4;
  const double deviation = std::sqrt((n * (n + 1) * (2 * n + 1) - ties / 2) / 24);
  const double distance = mean - least;  // >= 0; half a step less, because W moves in steps
  const double z = (distance > 0 ? distance - 0.5 : 0) / deviation;
  return {least, std::min(1.0, 2 * normal_tail(std::abs(z))), false};
}

MeanEstimate paired_t(std::span<const double> differences, double level) {
  return estimate(differences, 1 / static_cast<double>(differences.size()), level);
}

MeanEstimate resampled_t(std::span<const double> differences, double test_to_train, double level) {
  if (!(test_to_train > 0) || std::isinf(test_to_train)) {
    reject({{"test_to_train"}, "a ratio above 0", std::to_string(test_to_train)});
  }
  return estimate(differences, 1 / static_cast<double>(differences.size()) + test_to_train, level);
}

std::vector<double> holm(std::span<const double> p_values) {
  for (const double p : p_values) {
    if (!(p >= 0 && p <= 1)) reject({{"p_values"}, "numbers from 0 to 1", std::to_string(p)});
  }
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;  // adjusted values never fall along the order
  for (std::size_t k = 0; k < order.size(); ++k) {
    const double factor = static_cast<double>(order.size() - k);
    largest = std::max(largest, std::min(1.0, factor * p_values[order[k]]));
    adjusted[order[k]] = largest;
  }
  return adjusted;
}

}  // namespace faithful
