// Measures 7 and 8 of faithfulness.h: how code distances follow |s - t|, and whether the kernel depends only on s - t.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "faithful/analysis/faithfulness.h"

namespace faithful {

namespace {

// Differences below this share of the mean distance are rounding: such distances are tied.
constexpr double kTie = 1e-9;

double mean_distance(const Matrix<double>& distances) {
  const double sum = std::accumulate(distances.values.begin(), distances.values.end(), 0.0);
  const auto count = static_cast<double>(distances.rows) * (static_cast<double>(distances.rows) - 1);
  return sum / count;
}

struct Pair {
  double distance;
  std::uint32_t offset;
};

// Sums over pairs of ranks (their means over ties) centred on the mean rank. The ranks of offsets are known without
// sorting: S - tau pairs have offset tau.
double spearman_of_sorted(const std::vector<Pair>& pairs, std::size_t length, double tie) {
  const auto count = static_cast<double>(pairs.size());
  const double middle = (count - 1) / 2;
  std::vector<double> offset_rank(length, 0.0);
  double before = 0, offset_variance = 0;
  for (std::size_t tau = 1; tau < length; ++tau) {
    const auto many = static_cast<double>(length - tau);
    offset_rank[tau] = before + (many - 1) / 2 - middle;
    offset_variance += many * offset_rank[tau] * offset_rank[tau];
    before += many;
  }
  double covariance = 0, variance = 0;
  for (std::size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
    double offsets = 0;
    for (end = begin; end < pairs.size() && (end == begin || pairs[end].distance - pairs[end - 1].distance <= tie);
         ++end) {
      offsets += offset_rank[pairs[end].offset];
    }
    const double rank = (static_cast<double>(begin) + static_cast<double>(end) - 1) / 2 - middle;
    covariance += rank * offsets;
    variance += rank * rank * static_cast<double>(end - begin);
  }
  if (variance == 0) return 0;  // all tied
  return covariance / std::sqrt(variance * offset_variance);
}

}  // namespace

std::optional<double> distance_spearman(const Matrix<double>& distances) {
  const std::size_t length = distances.rows;
  if (length < 3) return std::nullopt;
  std::vector<Pair> pairs;
  pairs.reserve(length * (length - 1) / 2);
  for (std::size_t s = 0; s < length; ++s) {
    for (std::size_t t = s + 1; t < length; ++t) pairs.push_back({distances(s, t), static_cast<std::uint32_t>(t - s)});
  }
  std::ranges::sort(pairs, {}, &Pair::distance);
  return spearman_of_sorted(pairs, length, kTie * mean_distance(distances));
}

std::optional<double> distance_pearson(const Matrix<double>& distances) {
  const std::size_t length = distances.rows;
  if (length < 3) return std::nullopt;
  const double mean = mean_distance(distances), mean_offset = static_cast<double>(length + 1) / 3;
  double covariance = 0, variance = 0, offset_variance = 0;
  std::size_t pairs = 0;
  for (std::size_t s = 0; s < length; ++s) {
    for (std::size_t t = s + 1; t < length; ++t, ++pairs) {
      const double x = distances(s, t) - mean, y = static_cast<double>(t - s) - mean_offset;
      covariance += x * y;
      variance += x * x;
      offset_variance += y * y;
    }
  }
  if (variance <= kTie * mean * kTie * mean * static_cast<double>(pairs)) return 0;  // all tied
  return covariance / std::sqrt(variance * offset_variance);
}

std::optional<double> monotone_share(const Matrix<double>& distances) {
  const std::size_t length = distances.rows;
  if (length < 3) return std::nullopt;
  const double tie = kTie * mean_distance(distances);
  std::size_t steps = 0, further = 0;
  for (std::size_t s = 0; s < length; ++s) {
    const auto row = distances.row(s);
    for (std::size_t t = s + 1; t + 1 < length; ++t, ++steps) further += row[t + 1] > row[t] + tie;
    for (std::size_t t = s; t-- > 1; ++steps) further += row[t - 1] > row[t] + tie;
  }
  return static_cast<double>(further) / static_cast<double>(steps);
}

std::optional<double> shift_defect(const Matrix<double>& kernel) {
  const std::size_t length = kernel.rows;
  if (length < 2) return std::nullopt;
  // Each diagonal: its mean, and what is left around it.
  std::vector<double> mean(2 * length - 1, 0.0);
  double total_mean = 0, square = 0;
  for (std::size_t s = 0; s < length; ++s) {
    for (std::size_t t = 0; t < length; ++t) {
      mean[t + length - 1 - s] += kernel(s, t);
      total_mean += kernel(s, t);
      square += kernel(s, t) * kernel(s, t);
    }
  }
  for (std::size_t i = 0; i < mean.size(); ++i) mean[i] /= static_cast<double>(std::min(i + 1, 2 * length - 1 - i));
  total_mean /= static_cast<double>(length * length);
  double along = 0, total = 0;
  for (std::size_t s = 0; s < length; ++s) {
    for (std::size_t t = 0; t < length; ++t) {
      const double off_diagonal = kernel(s, t) - mean[t + length - 1 - s], off = kernel(s, t) - total_mean;
      along += off_diagonal * off_diagonal;
      total += off * off;
    }
  }
  if (total <= 1e-24 * square) return std::nullopt;  // constant up to rounding
  return along / total;
}

}  // namespace faithful
