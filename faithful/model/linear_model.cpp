#include "faithful/model/linear_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/engine/operators.h"
#include "faithful/engine/schedule.h"
#include "faithful/engine/shards.h"

namespace faithful {

namespace {

constexpr std::size_t kSummaries = 5;  // of each channel
constexpr std::size_t kAtATime = 64;   // windows in memory
constexpr double kClip = 1;            // of the gradients

// Of one channel of a window: values [length], `stride` apart, into [kSummaries].
void summarize_channel(const float* values, std::size_t length, std::size_t stride, float* out) {
  double mean = 0, square = 0;
  float least = values[0], most = values[0];
  for (std::size_t t = 0; t < length; ++t) {
    const float value = values[t * stride];
    mean += static_cast<double>(value);
    least = std::min(least, value), most = std::max(most, value);
  }
  mean /= static_cast<double>(length);
  for (std::size_t t = 0; t < length; ++t) {
    const double off = static_cast<double>(values[t * stride]) - mean;
    square += off * off;
  }
  out[0] = static_cast<float>(mean);
  out[1] = static_cast<float>(std::sqrt(square / static_cast<double>(length)));
  out[2] = least, out[3] = most, out[4] = values[(length - 1) * stride];
}

// Of a window [length, C] into [5 C].
void summarize_window(const float* values, std::size_t length, std::size_t channels, float* out) {
  for (std::size_t c = 0; c < channels; ++c) summarize_channel(values + c, length, channels, out + c * kSummaries);
}

// Infinity stays: no class follows from a sum that overflowed.
void standardize(const LinearModelParts& parts, std::span<float> features) {
  for (std::size_t c = 0; c < features.size(); ++c) {
    features[c] = (features[c] - parts.shift[c]) * parts.factor[c];
    if (!parts.least.empty() && !std::isinf(features[c]))
      features[c] = std::clamp(features[c], parts.least[c], parts.greatest[c]);
  }
}

// Of standardized features. One that hardly varies in training could decide alone about a window in which it does.
void fit_bounds(const Matrix<float>& x, LinearModelParts& parts) {
  parts.least.assign(x.row(0).begin(), x.row(0).end());
  parts.greatest = parts.least;
  for (std::size_t i = 1; i < x.rows; ++i)
    for (std::size_t c = 0; c < x.columns; ++c) {
      parts.least[c] = std::min(parts.least[c], x(i, c));
      parts.greatest[c] = std::max(parts.greatest[c], x(i, c));
    }
}

// By mean and deviation of each column. What never changes says nothing.
void fit_standard(const Matrix<float>& x, LinearModelParts& parts) {
  for (std::size_t c = 0; c < x.columns; ++c) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < x.rows; ++i) mean += static_cast<double>(x(i, c));
    mean /= static_cast<double>(x.rows);
    for (std::size_t i = 0; i < x.rows; ++i) square += std::pow(static_cast<double>(x(i, c)) - mean, 2);
    const double deviation = std::sqrt(square / static_cast<double>(x.rows));
    parts.shift.push_back(static_cast<float>(mean));
    parts.factor.push_back(static_cast<float>(deviation > 1e-6 ? 1 / deviation : 0));
  }
}

// [outputs, columns + 1], the offset last.
Matrix<float> fit_weights(const Matrix<float>& x, const Windows& train, const LinearModelOptions& options,
                          ThreadPool& pool) {
  const std::vector<std::int32_t> labels = train.labels();
  const std::vector<float> targets(labels.begin(), labels.end());
  const std::vector<float> class_weights = options.weigh_classes ? train.class_weights() : std::vector<float>{};
  const std::size_t outputs = train.classes() == 2 ? 1 : train.classes();

  engine::Parameters<float> parameters;
  const engine::Parameter weight = parameters.declare("weight", {outputs, x.columns}, engine::zeros());
  const engine::Parameter bias = parameters.declare("bias", {outputs}, engine::zeros(), false);
  parameters.allocate();
  parameters.initialize(options.seed);
  engine::Shards<float> shards(parameters, pool, {});
  const engine::LossOptions<float> loss{.class_weights = class_weights, .scale = 1 / static_cast<double>(x.rows)};
  for (std::size_t step = 1; step <= options.steps; ++step) {
    shards.accumulate(x.rows, [&](engine::Tape<float>& tape, std::size_t begin, std::size_t end) {
      const std::size_t count = end - begin;
      const auto z = linear(tape, tape.input(x.row(begin).data(), {count, x.columns}), tape[weight], tape[bias]);
      if (outputs > 1) return softmax_cross_entropy<float>(tape, z, std::span(labels).subspan(begin, count), loss);
      return binary_cross_entropy<float>(tape, tape.reshape(z, {count}), std::span(targets).subspan(begin, count),
                                         loss);
    });
    shards.update({.rate = rate_at(step, options.steps, {.rate = options.rate}), .decay = options.decay},
                  clip_factor(shards.gradient_norm(), kClip));
  }
  Matrix<float> weights(outputs, x.columns + 1);
  for (std::size_t k = 0; k < outputs; ++k) {
    std::copy_n(std::as_const(parameters).values_of(weight).data() + k * x.columns, x.columns, weights.row(k).data());
    weights(k, x.columns) = std::as_const(parameters).values_of(bias)[k];
  }
  return weights;
}

}  // namespace

Matrix<float> summary_features(const Windows& windows, ThreadPool& pool) {
  const std::size_t channels = windows.channels(), length = windows.length();
  Matrix<float> features(windows.size(), channels * kSummaries);
  std::vector<float> values(kAtATime * length * channels);
  std::vector<std::uint32_t> numbers(kAtATime);
  for (std::size_t first = 0; first < windows.size(); first += kAtATime) {
    const std::size_t count = std::min(kAtATime, windows.size() - first);
    std::iota(numbers.begin(), numbers.end(), static_cast<std::uint32_t>(first));
    windows.fill_into(std::span(numbers).first(count), {.values = values}, pool);
    pool.run(count, [&](std::size_t i) {
      summarize_window(values.data() + i * length * channels, windows[first + i].length, channels,
                       features.row(first + i).data());
    });
  }
  return features;
}

LinearModel::LinearModel(LinearModelParts parts, const std::string& place) : parts_(std::move(parts)) {
  const auto require = [&](bool holds, const char* wanted, std::size_t found) {
    if (!holds) reject({{place}, wanted, fmt::format("{}", found)});
  };
  const std::size_t features = parts_.channels * kSummaries;
  require(parts_.channels >= 1 && parts_.length >= 1, "channels and samples", 0);
  require(parts_.classes >= 2, "at least two classes", parts_.classes);
  require(parts_.shift.size() == features && parts_.factor.size() == features, "five features of each channel",
          parts_.shift.size());
  require(parts_.least.size() == parts_.greatest.size() && (parts_.least.empty() || parts_.least.size() == features),
          "bounds of every feature", parts_.least.size());
  for (std::size_t c = 0; c < parts_.least.size(); ++c)
    require(parts_.least[c] <= parts_.greatest[c], "bounds in their order", c);
  require(parts_.weights.rows == shape().outputs() && parts_.weights.columns == features + 1,
          "a weight of every feature", parts_.weights.columns);
}

void LinearModel::logits_into(const Samples<float>& samples, std::span<float> logits) const {
  const std::size_t channels = parts_.channels, length = parts_.length, features = channels * kSummaries;
  std::vector<float> x(features);
  for (std::size_t i = 0; i < samples.count; ++i) {
    std::size_t valid = length;  // padding comes last
    if (!samples.valid.empty()) {
      const auto mask = samples.valid.subspan(i * length, length);
      valid = static_cast<std::size_t>(std::ranges::count_if(mask, [](std::uint8_t one) { return one != 0; }));
    }
    summarize_window(samples.values.data() + i * length * channels, std::max<std::size_t>(valid, 1), channels,
                     x.data());
    standardize(parts_, x);
    for (std::size_t k = 0; k < parts_.weights.rows; ++k) {
      double z = static_cast<double>(parts_.weights(k, features));
      for (std::size_t c = 0; c < features; ++c)
        z += static_cast<double>(x[c]) * static_cast<double>(parts_.weights(k, c));
      logits[i * parts_.weights.rows + k] = static_cast<float>(z);
    }
  }
}

LinearModel fit_linear_model(const Windows& train, const LinearModelOptions& options, ThreadPool& pool) {
  LinearModelParts parts{.channels = train.channels(), .length = train.length(), .classes = train.classes()};
  Matrix<float> x = summary_features(train, pool);
  fit_standard(x, parts);
  for (std::size_t i = 0; i < x.rows; ++i) standardize(parts, x.row(i));
  if (options.bounded) fit_bounds(x, parts);
  parts.weights = fit_weights(x, train, options, pool);
  return LinearModel(std::move(parts));
}

}  // namespace faithful
