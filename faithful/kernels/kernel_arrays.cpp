#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/kernels/kernel_model.h"

namespace faithful {

namespace {

constexpr const char* kShape = "kernels.shape";
constexpr const char* kRocket = "kernels.rocket";
constexpr const char* kHydra = "kernels.hydra";
constexpr const char* kChannels = "kernels.channels";
constexpr const char* kBiases = "kernels.biases";
constexpr const char* kCompetingArray = "kernels.competing";
constexpr const char* kShift = "kernels.shift";
constexpr const char* kFactor = "kernels.factor";
constexpr const char* kBound = "kernels.bound";
constexpr const char* kWeights = "kernels.weights";
constexpr const char* kOffset = "kernels.offset";
constexpr const char* kFit = "kernels.fit";
constexpr std::size_t kRocketNumbers = 8, kHydraNumbers = 3, kOfGroup = 72;
constexpr std::size_t kMostSamples = std::size_t{1} << 28;  // of a window, times channels

// Hands out consecutive pieces of an array.
template <class T>
class Pieces {
 public:
  Pieces(const Safetensors& file, const char* name)
      : place_(fmt::format("{}: {}", file.place(), name)), values_(file.values<T>(name)) {}

  std::span<const T> take(std::size_t count) {
    if (count > values_.size() - used_)
      reject({{place_}, fmt::format("at least {} numbers", used_ + count), fmt::format("{}", values_.size())});
    used_ += count;
    return std::span(values_).subspan(used_ - count, count);
  }
  std::uint32_t take_count() {
    const T number = take(1)[0];
    if (number < 0) reject({{place_}, "numbers from 0", fmt::format("{}", number)});
    return static_cast<std::uint32_t>(number);
  }
  bool take_flag() { return take_count() != 0; }
  bool empty() const { return used_ == values_.size(); }
  void expect_end() const {
    if (!empty()) reject({{place_}, fmt::format("{} numbers", used_), fmt::format("{}", values_.size())});
  }

 private:
  std::string place_;
  std::vector<T> values_;
  std::size_t used_ = 0;
};

std::vector<std::uint32_t> take_channels(Pieces<std::int32_t>& channels, std::size_t count) {
  const std::span<const std::int32_t> numbers = channels.take(count);
  return {numbers.begin(), numbers.end()};  // a negative one becomes too large, which the table's check finds
}

KernelTable read_table(const Safetensors& file, std::size_t channels, std::size_t length) {
  KernelTable table{channels, length, {}, {}};
  Pieces<std::int32_t> rocket(file, kRocket), hydra(file, kHydra), of_all(file, kChannels);
  Pieces<float> biases(file, kBiases), competing(file, kCompetingArray);
  while (!rocket.empty()) {
    RocketKernel kernel;
    for (std::uint32_t& place : kernel.places) place = rocket.take_count();
    kernel.dilation = rocket.take_count();
    kernel.differences = rocket.take_flag();
    kernel.padded = rocket.take_flag();
    kernel.channels = take_channels(of_all, rocket.take_count());
    const std::span<const float> own = biases.take(rocket.take_count());
    kernel.biases.assign(own.begin(), own.end());
    table.rocket.push_back(std::move(kernel));
  }
  while (!hydra.empty()) {
    HydraGroup group;
    group.dilation = hydra.take_count();
    group.differences = hydra.take_flag();
    group.channels = take_channels(of_all, hydra.take_count());
    std::ranges::copy(competing.take(kOfGroup), group.weights.begin());
    table.hydra.push_back(std::move(group));
  }
  of_all.expect_end();
  biases.expect_end();
  competing.expect_end();
  return table;
}

}  // namespace

KernelArrays::KernelArrays(const KernelModel& model) {
  const KernelModelParts& parts = model.parts();
  const KernelTable& table = parts.features.table();
  const auto number = [](std::size_t value) { return static_cast<std::int32_t>(value); };
  for (const std::size_t size : {table.channels, table.length, parts.classes})
    shape_.push_back(static_cast<std::int64_t>(size));
  for (const RocketKernel& kernel : table.rocket) {
    for (const std::uint32_t place : kernel.places) rocket_.push_back(number(place));
    for (const std::size_t value : {std::size_t{kernel.dilation}, std::size_t{kernel.differences},
                                    std::size_t{kernel.padded}, kernel.channels.size(), kernel.biases.size()})
      rocket_.push_back(number(value));
    channels_.insert(channels_.end(), kernel.channels.begin(), kernel.channels.end());
    biases_.insert(biases_.end(), kernel.biases.begin(), kernel.biases.end());
  }
  for (const HydraGroup& group : table.hydra) {
    for (const std::size_t value : {std::size_t{group.dilation}, std::size_t{group.differences}, group.channels.size()})
      hydra_.push_back(number(value));
    channels_.insert(channels_.end(), group.channels.begin(), group.channels.end());
    competing_.insert(competing_.end(), group.weights.begin(), group.weights.end());
  }
  fit_ = {parts.penalty, parts.temperature};
  const std::size_t features = parts.features.count(), outputs = parts.offset.size();
  entries_ = {
      safetensors_entry<std::int64_t>(kShape, {3}, shape_),
      safetensors_entry<std::int32_t>(kRocket, {table.rocket.size(), kRocketNumbers}, rocket_),
      safetensors_entry<std::int32_t>(kHydra, {table.hydra.size(), kHydraNumbers}, hydra_),
      safetensors_entry<std::int32_t>(kChannels, {channels_.size()}, channels_),
      safetensors_entry<float>(kBiases, {biases_.size()}, biases_),
      safetensors_entry<float>(kCompetingArray, {table.hydra.size(), 8, 9}, competing_),
      safetensors_entry<float>(kShift, {features}, parts.scale.shift),
      safetensors_entry<float>(kFactor, {features}, parts.scale.factor),
      safetensors_entry<float>(kBound, {1}, {&parts.scale.bound, 1}),
      safetensors_entry<float>(kWeights, {features, outputs}, parts.weights.values),
      safetensors_entry<float>(kOffset, {outputs}, parts.offset),
      safetensors_entry<double>(kFit, {2}, fit_),
  };
}

bool has_kernel_model(const Safetensors& file) {
  return file.find(kShape) != nullptr;
}

KernelModel read_kernel_model(const Safetensors& file) {
  std::array<std::int64_t, 3> shape{};
  file.values_into<std::int64_t>(kShape, std::vector<std::size_t>{3}, shape);
  const auto [channels, length, classes] = shape;
  const std::string place = file.place() + ": kernels";
  const auto most = static_cast<std::int64_t>(kMostSamples);
  if (channels < 1 || length < 1 || classes < 2 || channels > most || length > most / channels || classes > most)
    reject({{place}, "a shape that fits into memory", fmt::format("{}, {}, {}", channels, length, classes)});
  KernelFeatures features(read_table(file, static_cast<std::size_t>(channels), static_cast<std::size_t>(length)),
                          place);
  std::array<double, 2> fit{};
  file.values_into<double>(kFit, std::vector<std::size_t>{2}, fit);
  if (!std::isfinite(fit[0]) || !std::isfinite(fit[1]) || fit[1] <= 0)
    reject({{place}, "a penalty and a temperature", fmt::format("{}, {}", fit[0], fit[1])});
  const std::size_t count = features.count(), outputs = classes == 2 ? 1 : static_cast<std::size_t>(classes);
  FeatureScale scale{features.rocket_count(), file.values<float>(kShift), file.values<float>(kFactor)};
  if (file.find(kBound) != nullptr) {  // not in files of version 0.1 up to November 2026
    file.values_into<float>(kBound, std::vector<std::size_t>{1}, {&scale.bound, 1});
    if (!(scale.bound > 0)) reject({{place}, "a bound above 0", fmt::format("{}", scale.bound)});
  }
  std::vector<float> weights = file.values<float>(kWeights);
  if (weights.size() != count * outputs)
    reject({{place}, fmt::format("{} weights", count * outputs), fmt::format("{}", weights.size())});
  return KernelModel({.features = std::move(features),
                      .scale = std::move(scale),
                      .classes = static_cast<std::size_t>(classes),
                      .weights = Matrix<float>(count, outputs, std::move(weights)),
                      .offset = file.values<float>(kOffset),
                      .penalty = fit[0],
                      .temperature = fit[1]},
                     place);
}

}  // namespace faithful
