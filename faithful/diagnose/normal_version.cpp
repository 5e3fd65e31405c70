#include "faithful/diagnose/normal_version.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include <Eigen/Eigenvalues>

namespace faithful {

namespace {

constexpr std::size_t kLeastWindows = 10, kMostExamples = 256, kFewerExamples = 128, kManySensors = 64;
constexpr std::size_t kMostReadings = 1 << 23, kMostRelated = 256;
// Of the mean eigenvalue of the products.
constexpr double kPenalties[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10};

using Example = Eigen::Map<const Eigen::MatrixXf>;  // of one sensor: [length, n], a column is a window

Example of_sensor(const NormalWindows& examples, std::size_t sensor) {
  const std::size_t each = examples.length * examples.count;
  return {&examples.readings[sensor * each], static_cast<Eigen::Index>(examples.length),
          static_cast<Eigen::Index>(examples.count)};
}

// Every k-th window.
std::vector<std::uint32_t> chosen_examples(const Windows& windows, std::span<const std::uint32_t> numbers) {
  const std::size_t readings = windows.length() * windows.channels();
  const std::size_t most = std::min(windows.channels() > kManySensors ? kFewerExamples : kMostExamples,
                                    std::max<std::size_t>(kMostReadings / readings, 1));
  const std::size_t every = (numbers.size() + most - 1) / most;
  std::vector<std::uint32_t> chosen;
  for (std::size_t i = 0; i < numbers.size(); i += every) chosen.push_back(numbers[i]);
  return chosen;
}

// The readings, sensor by sensor, minus their mean over the windows; padding is 0.
void read_examples(NormalWindows& examples, const Windows& windows, std::span<const std::uint32_t> numbers,
                   ThreadPool& pool) {
  const std::size_t length = examples.length, channels = windows.channels(), count = examples.count;
  std::vector<float> values(length * channels);
  std::vector<std::uint8_t> mask(length), valid(count * length);
  std::vector<double> sums(length * channels, 0.0), counts(length, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    windows.fill_into(numbers.subspan(i, 1), {.values = values, .mask = mask}, pool);
    std::ranges::copy(mask, &valid[i * length]);
    for (std::size_t t = 0; t < length; ++t) {
      if (mask[t] == 0) continue;
      counts[t] += 1;
      for (std::size_t c = 0; c < channels; ++c) {
        const float value = values[t * channels + c];
        examples.readings[(c * count + i) * length + t] = value;
        sums[c * length + t] += static_cast<double>(value);
        examples.least[c] = std::min(examples.least[c], value);
        examples.most[c] = std::max(examples.most[c], value);
      }
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i)
    examples.mean[i] = static_cast<float>(sums[i] / std::max(counts[i % length], 1.0));
  for (std::size_t i = 0; i < examples.readings.size(); ++i) {
    const std::size_t t = i % length, window = i / length % count, c = i / length / count;
    if (valid[window * length + t] != 0) examples.readings[i] -= examples.mean[c * length + t];
  }
}

// What makes weights of the examples from the products of a window with them: (K + penalty I)^-1, with the penalty of
// the least error of examples left out. Empty if the mean is as good. products: K [n, n], of the other sensors;
// own: the same of the sensor itself.
Matrix<double> fit_weights(const Eigen::MatrixXd& products, const Eigen::MatrixXd& own) {
  const auto count = static_cast<double>(products.rows());
  const double unit = products.trace() / count;
  if (!(unit > 0) || !(own.trace() > 0)) return {};
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(products);
  if (solver.info() != Eigen::Success) return {};
  const Eigen::MatrixXd& axes = solver.eigenvectors();
  const Eigen::ArrayXd values = solver.eigenvalues().array().max(0.0);
  const Eigen::MatrixXd unseen = Eigen::MatrixXd::Identity(products.rows(), products.rows());
  double least = own.trace();
  double best = 0;
  for (const double penalty : kPenalties) {
    const Eigen::VectorXd kept = (values / (values + penalty * unit)).matrix();
    const Eigen::MatrixXd residual = unseen - axes * kept.asDiagonal() * axes.transpose();  // of y: residual * y
    // Left out, a window's error is (residual y)_i / residual_ii; its square needs only the products of the y.
    const Eigen::ArrayXd squares = (residual * own).cwiseProduct(residual).rowwise().sum().array();
    const double error = (squares / residual.diagonal().array().square().max(1e-24)).sum();
    if (error >= least) continue;
    least = error;
    best = penalty;
  }
  if (best == 0) return {};
  const Eigen::MatrixXd inverse = axes * (1 / (values + best * unit)).matrix().asDiagonal() * axes.transpose();
  Matrix<double> weights(static_cast<std::size_t>(inverse.rows()), static_cast<std::size_t>(inverse.cols()));
  std::copy_n(inverse.data(), weights.values.size(), weights.values.begin());  // symmetric
  return weights;
}

}  // namespace

NormalWindows fit_normal_windows(const Windows& windows, std::span<const std::uint32_t> numbers, ThreadPool& pool) {
  const std::size_t channels = windows.channels();
  if (channels < 2 || channels > kMostRelated || numbers.empty()) return {};
  const std::vector<std::uint32_t> chosen = chosen_examples(windows, numbers);
  if (chosen.size() < kLeastWindows) return {};
  NormalWindows found;
  found.length = windows.length(), found.count = chosen.size();
  found.readings.resize(channels * found.count * found.length);
  found.mean.resize(channels * found.length);
  found.least.assign(channels, std::numeric_limits<float>::infinity());
  found.most.assign(channels, -std::numeric_limits<float>::infinity());
  read_examples(found, windows, chosen, pool);
  std::vector<Eigen::MatrixXd> products(channels);  // [C] of [n, n]
  parallel_for(pool, channels, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      const Eigen::MatrixXd readings = of_sensor(found, c).cast<double>();
      products[c] = readings.transpose() * readings;
    }
  });
  Eigen::MatrixXd all = products[0];
  for (std::size_t c = 1; c < channels; ++c) all += products[c];
  if (!all.allFinite()) return {};  // readings that are no numbers
  found.weights.resize(channels);
  parallel_for(pool, channels, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) found.weights[c] = fit_weights(all - products[c], products[c]);
  });
  return found;
}

std::vector<float> normal_version(const Normal& normal, std::span<const float> window, std::size_t samples) {
  const std::size_t channels = normal.mean.columns;
  std::vector<float> version(window.begin(), window.end());
  const NormalWindows& examples = normal.windows;
  if (examples.count == 0) {
    for (std::size_t i = 0; i < samples * channels; ++i) version[i] = normal.mean_at(i / channels, i % channels);
    return version;
  }
  assert(window.size() == examples.length * channels);
  const auto count = static_cast<Eigen::Index>(examples.count), length = static_cast<Eigen::Index>(examples.length);
  Eigen::MatrixXd products(count, static_cast<Eigen::Index>(channels));  // of the window with the examples
  for (std::size_t c = 0; c < channels; ++c) {
    Eigen::VectorXf readings = Eigen::VectorXf::Zero(length);
    for (std::size_t t = 0; t < samples; ++t)
      readings(static_cast<Eigen::Index>(t)) = window[t * channels + c] - examples.mean[c * examples.length + t];
    products.col(static_cast<Eigen::Index>(c)) = (of_sensor(examples, c).transpose() * readings).cast<double>();
  }
  const Eigen::VectorXd all = products.rowwise().sum();
  for (std::size_t c = 0; c < channels; ++c) {
    Eigen::VectorXf change = Eigen::VectorXf::Zero(length);
    if (const Matrix<double>& weights = examples.weights[c]; !weights.values.empty()) {
      const Eigen::Map<const Eigen::MatrixXd> inverse(weights.values.data(), count, count);
      const Eigen::VectorXd mixed = inverse * (all - products.col(static_cast<Eigen::Index>(c)));
      change = of_sensor(examples, c) * mixed.cast<float>();
    }
    for (std::size_t t = 0; t < samples; ++t) {
      const float value = examples.mean[c * examples.length + t] + change(static_cast<Eigen::Index>(t));
      version[t * channels + c] = std::clamp(value, examples.least[c], examples.most[c]);
    }
  }
  return version;
}

}  // namespace faithful
