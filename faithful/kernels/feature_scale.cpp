#include "faithful/kernels/feature_scale.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace faithful {

namespace {

struct Moments {
  double mean = 0, deviation = 0, zeros = 0;  // zeros: their share
};

constexpr std::size_t kColumns =
    256;  // of a task: long enough stretches of each row, and few enough to stay in the cache

// Of columns begin .. end - 1, in two passes over the rows, because a deviation may be far below its mean.
std::vector<Moments> moments_of(const Matrix<float>& features, std::size_t begin, std::size_t end) {
  std::vector<Moments> all(end - begin);
  const auto n = static_cast<double>(features.rows);
  for (std::size_t i = 0; i < features.rows; ++i) {
    for (std::size_t f = begin; f < end; ++f) {
      all[f - begin].mean += static_cast<double>(features(i, f)) / n;
      all[f - begin].zeros += features(i, f) == 0 ? 1 / n : 0;
    }
  }
  for (std::size_t i = 0; i < features.rows; ++i) {
    for (std::size_t f = begin; f < end; ++f) {
      const double difference = static_cast<double>(features(i, f)) - all[f - begin].mean;
      all[f - begin].deviation += difference * difference / n;
    }
  }
  for (Moments& one : all) one.deviation = std::sqrt(one.deviation);
  return all;
}

// Infinity stays: no class follows from a sum that overflowed.
float within(float value, float bound) {
  return std::isinf(value) ? value : std::clamp(value, -bound, bound);
}

}  // namespace

void FeatureScale::apply(std::span<float> features) const {
  assert(features.size() == shift.size());
  for (std::size_t f = 0; f < plain; ++f) features[f] = within((features[f] - shift[f]) * factor[f], bound);
  for (std::size_t f = plain; f < features.size(); ++f) {
    const float root = std::sqrt(features[f]);
    features[f] = root == 0 ? 0 : within((root - shift[f]) * factor[f], bound);
  }
}

FeatureScale fit_and_scale(Matrix<float>& features, std::size_t plain, float bound, ThreadPool& pool) {
  constexpr double kLeast = 1e-6;  // of the deviation, as a share of the mean: less is rounding
  const std::size_t columns = features.columns;
  FeatureScale scale{plain, std::vector<float>(columns), std::vector<float>(columns), bound};
  pool.run((columns + kColumns - 1) / kColumns, [&](std::size_t block) {
    const std::size_t begin = block * kColumns, end = std::min(columns, begin + kColumns);
    for (std::size_t i = 0; i < features.rows; ++i)
      for (std::size_t f = std::max(begin, plain); f < end; ++f) features(i, f) = std::sqrt(features(i, f));
    const std::vector<Moments> moments = moments_of(features, begin, end);
    for (std::size_t f = begin; f < end; ++f) {
      const auto [mean, deviation, zeros] = moments[f - begin];
      const bool varies = deviation > kLeast * std::max(std::abs(mean), 1e-6);
      const double spread = deviation + (f < plain ? 0 : std::pow(zeros, 4) + 1e-8);
      scale.shift[f] = static_cast<float>(mean);
      scale.factor[f] = varies ? static_cast<float>(1 / spread) : 0.0F;
    }
    for (std::size_t i = 0; i < features.rows; ++i) {
      for (std::size_t f = begin; f < end; ++f) {
        float& value = features(i, f);
        value = f >= plain && value == 0 ? 0 : within((value - scale.shift[f]) * scale.factor[f], scale.bound);
      }
    }
  });
  return scale;
}

}  // namespace faithful
