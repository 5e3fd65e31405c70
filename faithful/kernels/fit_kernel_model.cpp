#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/kernels/kernel_model.h"
#include "faithful/kernels/ridge.h"

namespace faithful {

namespace {

// Numbers of labelled windows, by class.
std::vector<std::vector<std::uint32_t>> by_class(const Windows& windows) {
  std::vector<std::vector<std::uint32_t>> numbers(windows.classes());
  for (std::size_t i = 0; i < windows.size(); ++i)
    if (windows[i].label != kNoLabel)
      numbers[static_cast<std::size_t>(windows[i].label)].push_back(static_cast<std::uint32_t>(i));
  return numbers;
}

// How many of each class are used, so that they are at most `most` together: of rare classes all, of others alike.
std::size_t most_of_class(const std::vector<std::vector<std::uint32_t>>& classes, std::size_t most) {
  std::size_t low = 1, high = most;
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    std::size_t used = 0;
    for (const auto& numbers : classes) used += std::min(numbers.size(), middle);
    (used <= most ? low : high) = used <= most ? middle : middle - 1;
  }
  return low;
}

struct Chosen {
  std::vector<std::uint32_t> numbers;  // [n], ascending
  std::vector<std::int32_t> labels;    // [n]
  std::vector<float> weights;          // [n], of mean 1
};

Chosen choose_windows(const Windows& train, const KernelModelOptions& options) {
  const std::vector<std::vector<std::uint32_t>> classes = by_class(train);
  const std::size_t most = most_of_class(classes, std::max<std::size_t>(options.most_windows, 2));
  std::vector<std::pair<std::uint32_t, double>> chosen;
  double total = 0;
  for (const auto& numbers : classes) {
    if (numbers.empty()) continue;
    const std::size_t used = std::min(numbers.size(), most);
    const double weight = static_cast<double>(numbers.size()) / static_cast<double>(used);
    for (std::size_t i = 0; i < used; ++i) chosen.emplace_back(numbers[i * numbers.size() / used], weight);
    total += weight * static_cast<double>(used);
  }
  std::ranges::sort(chosen);
  Chosen made;
  for (const auto& [number, weight] : chosen) {
    made.numbers.push_back(number);
    made.labels.push_back(train[number].label);
    made.weights.push_back(static_cast<float>(weight * static_cast<double>(chosen.size()) / total));
  }
  return made;
}

// The stretch of its series that each window begins in.
std::vector<std::uint32_t> stretches(const Windows& windows, std::span<const std::uint32_t> numbers,
                                     std::size_t length) {
  std::map<std::pair<std::uint32_t, std::size_t>, std::uint32_t> known;
  std::vector<std::uint32_t> found;
  for (const std::uint32_t number : numbers) {
    const std::pair<std::uint32_t, std::size_t> key(windows[number].series, windows[number].begin / length);
    found.push_back(known.emplace(key, static_cast<std::uint32_t>(known.size())).first->second);
  }
  return found;
}

// Windows that are left out together: of a stretch of eight windows' length, or less where there would be few.
std::vector<std::uint32_t> groups_of(const Windows& windows, std::span<const std::uint32_t> numbers) {
  constexpr std::size_t kFew = 10;
  std::size_t length = 8 * windows.length();
  while (true) {
    std::vector<std::uint32_t> groups = stretches(windows, numbers, length);
    if (length <= windows.length() || *std::ranges::max_element(groups) >= kFew) return groups;
    length /= 2;
  }
}

KernelOptions within_memory(const KernelModelOptions& options, std::size_t windows) {
  // Features of both representations; Hydra has about a tenth of them.
  constexpr std::size_t kOfBias = 2 * KernelFeatures::kPools;
  KernelOptions features = options.features;
  const std::size_t most = std::max<std::size_t>(options.most_values / std::max<std::size_t>(windows, 1), 1'000);
  features.biases = std::min(features.biases, most / kOfBias);
  return features;
}

// In deviations. Of timelines the unusual is what is looked for.
float bound_of(const Dataset& dataset) {
  return dataset.has_point_labels() ? 10 : 3;
}

// [n, K] of ridge scores.
Matrix<float> probabilities_of_scores(const Matrix<float>& scores, std::size_t classes, double temperature) {
  Matrix<float> logits = scores, found(scores.rows, classes);
  for (float& logit : logits.values) logit = static_cast<float>(static_cast<double>(logit) / temperature);
  probabilities_into<float>(logits.values, classes, found.values);
  return found;
}

}  // namespace

KernelModelFit fit_kernel_model(const Windows& train, const KernelModelOptions& options, ThreadPool& pool) {
  Chosen chosen = choose_windows(train, options);
  if (chosen.numbers.size() < 2)
    reject({{train.dataset().place()}, "at least 2 labelled windows", fmt::format("{}", chosen.numbers.size())});
  KernelFeatures features = KernelFeatures::fit(train, within_memory(options, chosen.numbers.size()), pool);
  Matrix<float> x = features.features_of(train, chosen.numbers, pool);
  FeatureScale scale = fit_and_scale(x, features.rocket_count(), bound_of(train.dataset()), pool);
  RidgeFit ridge = fit_ridge(x, chosen.labels, train.classes(),
                             {.weights = std::move(chosen.weights), .groups = groups_of(train, chosen.numbers)}, pool);
  Matrix<float> held_out = probabilities_of_scores(ridge.held_out, train.classes(), ridge.temperature);
  const auto factor = static_cast<float>(1 / ridge.temperature);
  for (float& weight : ridge.weights.values) weight *= factor;
  for (float& offset : ridge.offset) offset *= factor;
  KernelModel model({.features = std::move(features),
                     .scale = std::move(scale),
                     .classes = train.classes(),
                     .weights = std::move(ridge.weights),
                     .offset = std::move(ridge.offset),
                     .penalty = ridge.penalty,
                     .temperature = ridge.temperature});
  return {std::move(model), std::move(chosen.numbers), std::move(held_out), ridge.log_loss};
}

}  // namespace faithful
