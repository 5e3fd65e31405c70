#include "faithful/diagnose/relations.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <Eigen/Cholesky>

namespace faithful {

namespace {

constexpr std::size_t kMostSensors = 256, kMostSamples = 1 << 18;
constexpr double kStill = 1e-3;           // a sensor that moves less, in scaled units, stands still
constexpr double kRidge = 1e-6;           // added to the correlations: sensors may be copies of each other
constexpr double kLeastDeviation = 1e-4;  // of the sensor's own: less is rounding

// Calls visit(values [samples, C]) for the samples of every k-th window that are no padding.
template <class Visit>
void each_window(const Windows& windows, std::span<const std::uint32_t> numbers, ThreadPool& pool, const Visit& visit) {
  const std::size_t channels = windows.channels(), most = std::max<std::size_t>(1, kMostSamples / windows.length());
  const std::size_t every = (numbers.size() + most - 1) / most;
  std::vector<float> values(windows.length() * channels);
  std::vector<std::uint8_t> mask(windows.length());
  for (std::size_t i = 0; i < numbers.size(); i += every) {
    windows.fill_into(numbers.subspan(i, 1), {.values = values, .mask = mask}, pool);
    std::size_t samples = 0;
    for (std::size_t t = 0; t < mask.size(); ++t) {
      if (mask[t] == 0) continue;
      std::copy_n(&values[t * channels], channels, &values[samples * channels]);
      ++samples;
    }
    visit(std::span<const float>(values).first(samples * channels));
  }
}

// Mean and scale of each sensor over the samples.
void fit_scales(Relations& relations, const Windows& windows, std::span<const std::uint32_t> numbers,
                ThreadPool& pool) {
  const std::size_t channels = windows.channels();
  std::size_t samples = 0;
  std::vector<double> squares(channels, 0.0);
  relations.mean.assign(channels, 0.0);
  each_window(windows, numbers, pool, [&](std::span<const float> values) {
    samples += values.size() / channels;
    for (std::size_t i = 0; i < values.size(); ++i) relations.mean[i % channels] += static_cast<double>(values[i]);
  });
  const auto count = static_cast<double>(samples);
  for (double& mean : relations.mean) mean /= count;
  each_window(windows, numbers, pool, [&](std::span<const float> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double difference = static_cast<double>(values[i]) - relations.mean[i % channels];
      squares[i % channels] += difference * difference;
    }
  });
  for (const double square : squares) relations.scale.push_back(std::max(std::sqrt(square / count), kStill));
}

// R: the mean product of each pair of sensors, in units of their scales. A row has one sum after the other, so that the
// number of threads does not matter.
Eigen::MatrixXd correlations(const Relations& relations, const Windows& windows, std::span<const std::uint32_t> numbers,
                             ThreadPool& pool) {
  const std::size_t channels = windows.channels();
  Eigen::MatrixXd sums =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(channels), static_cast<Eigen::Index>(channels));
  std::size_t samples = 0;
  std::vector<double> scaled;
  each_window(windows, numbers, pool, [&](std::span<const float> values) {
    scaled.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      scaled[i] = (static_cast<double>(values[i]) - relations.mean[i % channels]) / relations.scale[i % channels];
    samples += values.size() / channels;
    parallel_for(pool, channels, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t at = 0; at < scaled.size(); at += channels)
        for (std::size_t a = begin; a < end; ++a)
          for (std::size_t b = 0; b <= a; ++b)
            sums(static_cast<Eigen::Index>(b), static_cast<Eigen::Index>(a)) += scaled[at + a] * scaled[at + b];
    });
  });
  sums /= static_cast<double>(samples);
  return sums.selfadjointView<Eigen::Upper>();
}

}  // namespace

Relations fit_relations(const Windows& windows, std::span<const std::uint32_t> numbers, ThreadPool& pool) {
  assert(!numbers.empty());
  Relations relations;
  const std::size_t channels = windows.channels();
  if (channels > kMostSensors) return relations;
  fit_scales(relations, windows, numbers, pool);
  const Eigen::MatrixXd normal = correlations(relations, windows, numbers, pool);
  const auto size = static_cast<Eigen::Index>(channels);
  const Eigen::MatrixXd unit = Eigen::MatrixXd::Identity(size, size);
  const Eigen::MatrixXd inverse = (normal + kRidge * unit).llt().solve(unit);
  if (!inverse.allFinite()) return {};  // readings that are no numbers
  relations.weights = Matrix<double>(channels, channels);
  for (Eigen::Index c = 0; c < size; ++c) {
    const Eigen::RowVectorXd row = inverse.row(c) / inverse(c, c);
    for (Eigen::Index j = 0; j < size; ++j)
      relations.weights(static_cast<std::size_t>(c), static_cast<std::size_t>(j)) = row(j);
    const double deviation = std::sqrt(std::max(0.0, (row * normal).dot(row)));
    // A sensor that stands still has no deviation; its scale is the least that counts.
    relations.deviation.push_back(normal(c, c) > 0.25 ? std::max(deviation, kLeastDeviation) : 1.0);
  }
  return relations;
}

void disagreements_into(const Relations& relations, std::span<const float> values, std::span<double> out) {
  const std::size_t channels = relations.mean.size();
  std::vector<double> scaled(channels);
  for (std::size_t at = 0; at < values.size(); at += channels) {
    for (std::size_t c = 0; c < channels; ++c)
      scaled[c] = (static_cast<double>(values[at + c]) - relations.mean[c]) / relations.scale[c];
    for (std::size_t c = 0; c < channels; ++c) {
      double difference = 0;
      for (std::size_t j = 0; j < channels; ++j) difference += relations.weights(c, j) * scaled[j];
      difference /= relations.deviation[c];
      out[at + c] = difference * difference;
    }
  }
}

}  // namespace faithful
