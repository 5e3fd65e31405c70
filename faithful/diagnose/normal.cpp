#include "faithful/diagnose/normal.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "faithful/diagnose/normal_version.h"
#include "faithful/diagnose/relations.h"

namespace faithful {

namespace {

struct Moments {
  double count = 0, sum = 0, square = 0;

  void add(double value) {
    count += 1;
    sum += value;
    square += value * value;
  }
  Moments& operator+=(const Moments& other) {
    count += other.count;
    sum += other.sum;
    square += other.square;
    return *this;
  }
  double mean() const { return count > 0 ? sum / count : 0; }
  double deviation() const { return count > 0 ? std::sqrt(std::max(0.0, square / count - mean() * mean())) : 0; }
};

// [length, C], over the windows; a padded sample counts for nothing.
Matrix<Moments> moments_of(const Windows& windows, std::span<const std::uint32_t> numbers, ThreadPool& pool) {
  const std::size_t length = windows.length(), channels = windows.channels();
  Matrix<Moments> moments(length, channels);
  std::vector<float> values(length * channels);
  std::vector<std::uint8_t> mask(length);
  for (const std::uint32_t number : numbers) {
    windows.fill_into({&number, 1}, {.values = values, .mask = mask}, pool);
    parallel_for(pool, length, 256, [&](std::size_t begin, std::size_t end) {
      for (std::size_t t = begin; t < end; ++t)
        for (std::size_t c = 0; mask[t] != 0 && c < channels; ++c)
          moments(t, c).add(static_cast<double>(values[t * channels + c]));
    });
  }
  return moments;
}

}  // namespace

Normal fit_normal(const Windows& windows, std::span<const std::uint32_t> numbers, bool aligned, ThreadPool& pool) {
  assert(!numbers.empty());
  constexpr double kShare = 0.1, kLeast = 1e-3;
  const Matrix<Moments> moments = moments_of(windows, numbers, pool);
  std::vector<Moments> channels(moments.columns);
  for (std::size_t t = 0; t < moments.rows; ++t)
    for (std::size_t c = 0; c < moments.columns; ++c) channels[c] += moments(t, c);
  const std::size_t rows = aligned ? moments.rows : 1;
  Normal normal{.mean = Matrix<float>(rows, moments.columns), .deviation = Matrix<float>(rows, moments.columns)};
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < moments.columns; ++c) {
      // A place that only longer windows reach takes what the channel does elsewhere.
      const Moments& at = aligned && moments(r, c).count > 0 ? moments(r, c) : channels[c];
      normal.mean(r, c) = static_cast<float>(at.mean());
      normal.deviation(r, c) = static_cast<float>(std::max({at.deviation(), kShare * channels[c].deviation(), kLeast}));
    }
  }
  normal.relations = fit_relations(windows, numbers, pool);
  normal.windows = fit_normal_windows(windows, numbers, pool);
  normal.from = fmt::format("the mean{} of the {} {}", aligned ? ", sample by sample," : "", numbers.size(),
                            numbers.size() == 1 ? "window" : "windows");
  return normal;
}

Normal scaler_normal(ScalerKind kind, std::size_t channels) {
  const bool min_max = kind == ScalerKind::kMinMax;
  return {Matrix<float>(1, channels, min_max ? 0.5F : 0.0F),
          Matrix<float>(1, channels, min_max ? 0.25F : 1.0F),
          "the middle of the training data, as the model's scaler knows it",
          {},
          {}};
}

void deviations_into(const Normal& normal, std::span<const float> values, std::span<double> out) {
  const std::size_t channels = normal.mean.columns;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t t = i / channels, c = i % channels;
    out[i] = std::abs(static_cast<double>(values[i]) - static_cast<double>(normal.mean_at(t, c))) /
             static_cast<double>(normal.deviation_at(t, c));
  }
}

}  // namespace faithful
