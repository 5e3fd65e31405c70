#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/model/ensemble.h"
#include "faithful/model/linear_model.h"
#include "faithful/trained/config_json_internal.h"
#include "faithful/trained/predictor_file_internal.h"

namespace faithful::trained {

namespace {

constexpr const char* kConfigKey = "config";
constexpr const char* kKernelsKey = "kernels";
constexpr const char* kLinearKey = "linear";
constexpr const char* kEnsembleKey = "ensemble";
constexpr const char* kLinearShape = "linear.shape";        // [3]: C, S, K
constexpr const char* kLinearShift = "linear.shift";        // [5 C]
constexpr const char* kLinearFactor = "linear.factor";      // [5 C]
constexpr const char* kLinearLeast = "linear.least";        // [5 C]
constexpr const char* kLinearGreatest = "linear.greatest";  // [5 C]
constexpr const char* kLinearWeights = "linear.weights";    // [outputs, 5 C + 1]

std::string member_prefix(std::size_t i) {
  return fmt::format("members.{}.", i);
}

std::vector<std::size_t> sizes_of(const engine::Shape& shape) {
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < shape.rank(); ++i) sizes.push_back(shape[i]);
  return sizes;
}

void check_finite(std::span<const float> values, const std::string& place) {
  for (const float value : values)
    if (!std::isfinite(value)) reject({{place}, "finite numbers", fmt::format("{}", value)});
}

// ---- a Transformer

constexpr const char* kDifferencesGain = "differences.weight";
constexpr const char* kDifferencesOffset = "differences.bias";

// Before a stem the norm of the differences has no gain and no offset. The first files of the preset standard have both;
// they become part of its statistics: g (x - mean) / sqrt(variance + e) + b has the form of the norm itself.
bool has_former_gain(const Safetensors& arrays, const ModelConfig& config) {
  return config.input.branches > 0 && config.input.differences > 0 && arrays.find(kDifferencesGain) != nullptr;
}

void take_former_gain(const Safetensors& arrays, engine::Parameters<float>& parameters, const std::string& place) {
  constexpr double kEpsilon = engine::BatchNormOptions{}.epsilon;
  const std::vector<float> gain = arrays.values<float>(kDifferencesGain);
  const std::vector<float> offset = arrays.values<float>(kDifferencesOffset);
  const auto values_of = [&](const char* name) {
    const engine::ParameterEntry* entry = parameters.find(name);
    return parameters.mutable_values().subspan(entry->offset, entry->shape.count());
  };
  const std::span<float> mean = values_of("differences.mean"), variance = values_of("differences.variance");
  if (gain.size() != mean.size() || offset.size() != mean.size())
    reject({{place}, fmt::format("{} gains and offsets", mean.size()), fmt::format("{}", gain.size())});
  for (std::size_t i = 0; i < mean.size(); ++i) {
    const double g = static_cast<double>(gain[i]), deviation = std::sqrt(static_cast<double>(variance[i]) + kEpsilon);
    if (!(g > 0)) reject({{place + ": " + kDifferencesGain}, "gains above 0", fmt::format("{}", g)});
    mean[i] = static_cast<float>(static_cast<double>(mean[i]) - static_cast<double>(offset[i]) * deviation / g);
    variance[i] = static_cast<float>(std::max(deviation * deviation / (g * g) - kEpsilon, 0.0));
  }
}

void read_weights(const Safetensors& arrays, Classifier<float>& classifier, const std::string& place) {
  engine::Parameters<float>& parameters = classifier.parameters();
  const std::span<float> all = parameters.mutable_values();
  for (const engine::ParameterEntry& entry : parameters.entries()) {
    const std::span<float> values = all.subspan(entry.offset, entry.shape.count());
    arrays.values_into<float>(entry.name, sizes_of(entry.shape), values);
    const std::string where = fmt::format("{}: {}", place, quote(entry.name));
    check_finite(values, where);
    const float least = *std::min_element(values.begin(), values.end());
    if (entry.statistic && entry.name.ends_with("variance") && least < 0)
      reject({{where}, "variances", fmt::format("{}", least)});
  }
  const bool former = has_former_gain(arrays, classifier.config());
  if (former) take_former_gain(arrays, parameters, place);
  ThreadPool alone(1);
  parameters.pack(alone);
  for (const SafetensorsEntry& entry : arrays.entries()) {
    if (former && (entry.name == kDifferencesGain || entry.name == kDifferencesOffset)) continue;
    if (parameters.find(entry.name) == nullptr)
      reject({{place}, "weights that the config declares", quote(entry.name)});
  }
}

std::shared_ptr<const WindowModel> read_transformer(const Safetensors& arrays, const Json& about,
                                                    const std::string& place) {
  std::size_t bytes = 0;
  for (const SafetensorsEntry& entry : arrays.entries()) bytes += entry.bytes.size();
  const std::size_t numbers = bytes / sizeof(float);
  const ModelConfig config = parse_config(about, place + ": config");
  check_tables(config, numbers, place + ": config");
  check_config(config, place + ": config");
  const std::size_t former = has_former_gain(arrays, config) ? 2 * config.input.differences * config.input.channels : 0;
  if (stored_count(config) + former != numbers) {
    reject({{place},
            fmt::format("the {} weights that the config declares", stored_count(config)),
            fmt::format("{}", numbers)});
  }
  Classifier<float> classifier(config);
  read_weights(arrays, classifier, place);
  return std::make_shared<Transformer>(std::move(classifier));
}

// ---- random convolutions, a linear model

void expect_names(const Safetensors& arrays, std::string_view prefix, const char* kind, const std::string& place) {
  for (const SafetensorsEntry& entry : arrays.entries())
    if (!entry.name.starts_with(prefix)) reject({{place}, fmt::format("arrays of {}", kind), quote(entry.name)});
}

std::shared_ptr<const WindowModel> read_kernels(const Safetensors& arrays, const std::string& place) {
  expect_names(arrays, kKernelArrays, "a model of kernels", place);
  return std::make_shared<KernelModel>(read_kernel_model(arrays));
}

std::shared_ptr<const WindowModel> read_linear(const Safetensors& arrays, const std::string& place) {
  constexpr std::int64_t kMost = std::int64_t{1} << 28;  // samples of a window, times channels
  expect_names(arrays, "linear.", "a linear model", place);
  std::array<std::int64_t, 3> shape{};
  arrays.values_into<std::int64_t>(kLinearShape, std::vector<std::size_t>{3}, shape);
  const auto [channels, length, classes] = shape;
  if (channels < 1 || length < 1 || classes < 2 || channels > kMost || length > kMost / channels || classes > kMost)
    reject({{place}, "a shape that fits into memory", fmt::format("{}, {}, {}", channels, length, classes)});
  LinearModelParts parts{.channels = static_cast<std::size_t>(channels),
                         .length = static_cast<std::size_t>(length),
                         .classes = static_cast<std::size_t>(classes),
                         .shift = arrays.values<float>(kLinearShift),
                         .factor = arrays.values<float>(kLinearFactor)};
  if (arrays.find(kLinearLeast) != nullptr) {  // not in files of version 0.1 up to November 2026
    parts.least = arrays.values<float>(kLinearLeast);
    parts.greatest = arrays.values<float>(kLinearGreatest);
  }
  std::vector<float> weights = arrays.values<float>(kLinearWeights);
  const std::vector<std::size_t>& sizes = arrays.at(kLinearWeights).shape;
  if (sizes.size() != 2) reject({{place}, "weights of two dimensions", fmt::format("{}", sizes.size())});
  parts.weights = Matrix<float>(sizes[0], sizes[1], std::move(weights));
  for (const std::vector<float>* values :
       {&parts.shift, &parts.factor, &parts.least, &parts.greatest, &parts.weights.values})
    check_finite(*values, place + ": linear model");
  return std::make_shared<LinearModel>(std::move(parts), place + ": linear model");
}

// ---- an ensemble

std::shared_ptr<const WindowModel> read_member(const Safetensors& arrays, std::size_t number, const Json& about,
                                               const std::string& place) {
  const std::string prefix = member_prefix(number);
  const Safetensors own = arrays.part([&](const std::string& name) {
    return name.starts_with(prefix) ? std::optional(name.substr(prefix.size())) : std::nullopt;
  });
  for (const std::string& key : predictor_keys()) {
    const Json* found = about.find(key);
    if (found != nullptr && key != kEnsembleKey)
      return read_predictor(own, key, *found, fmt::format("{}: member {}", place, number));
  }
  reject({{place}, fmt::format("the kind of member {}", number), "none"});
}

std::shared_ptr<const WindowModel> read_ensemble(const Safetensors& arrays, const Json& about,
                                                 const std::string& place) {
  const std::string where = place + ": ensemble";
  const auto& about_members = about["members"].items(where);
  if (about_members.size() > Ensemble::kMostMembers)
    reject(
        {{where}, fmt::format("at most {} members", Ensemble::kMostMembers), fmt::format("{}", about_members.size())});
  std::vector<EnsembleMember> members;
  std::size_t used = 0;
  for (std::size_t i = 0; i < about_members.size(); ++i) {
    const std::string prefix = member_prefix(i);
    used += static_cast<std::size_t>(std::ranges::count_if(
        arrays.entries(), [&](const SafetensorsEntry& entry) { return entry.name.starts_with(prefix); }));
    members.push_back({read_member(arrays, i, about_members[i], where), about_members[i]["weight"].number(where)});
  }
  if (used != arrays.entries().size()) reject({{where}, "arrays of its members alone", "others"});
  return std::make_shared<Ensemble>(std::move(members), about["temperature"].number(where), where);
}

Json ensemble_json(const Ensemble& ensemble) {
  Json members = Json::array();
  for (const EnsembleMember& member : ensemble.members())
    members.push_back(Json::Object{predictor_json(*member.model), {"weight", member.weight}});
  return Json::Object{{"temperature", ensemble.temperature()}, {"members", members}};
}

}  // namespace

const std::vector<std::string>& predictor_keys() {
  static const std::vector<std::string> keys = {kConfigKey, kKernelsKey, kLinearKey, kEnsembleKey};
  return keys;
}

std::pair<std::string, Json> predictor_json(const WindowModel& model) {
  if (const Transformer* transformer = model.transformer()) return {kConfigKey, config_json(transformer->config())};
  if (const auto* ensemble = dynamic_cast<const Ensemble*>(&model)) return {kEnsembleKey, ensemble_json(*ensemble)};
  if (const auto* linear = dynamic_cast<const LinearModel*>(&model))
    return {kLinearKey, Json::Object{{"features", linear->parts().shift.size()}}};
  const KernelModelParts& parts = dynamic_cast<const KernelModel&>(model).parts();
  return {kKernelsKey,
          Json::Object{
              {"features", parts.features.count()}, {"penalty", parts.penalty}, {"temperature", parts.temperature}}};
}

PredictorArrays::PredictorArrays(const WindowModel& model) {
  add(model, "");
}

void PredictorArrays::add(const WindowModel& model, const std::string& prefix) {
  if (const Transformer* transformer = model.transformer()) {
    const engine::Parameters<float>& parameters = transformer->classifier().parameters();
    for (const engine::ParameterEntry& entry : parameters.entries()) {
      const std::span<const float> values = parameters.values().subspan(entry.offset, entry.shape.count());
      check_finite(values, "model: " + quote(entry.name));
      entries_.push_back(safetensors_entry<float>(prefix + entry.name, sizes_of(entry.shape), values));
    }
  } else if (const auto* ensemble = dynamic_cast<const Ensemble*>(&model)) {
    for (std::size_t i = 0; i < ensemble->members().size(); ++i) add(*ensemble->members()[i].model, member_prefix(i));
  } else if (const auto* linear = dynamic_cast<const LinearModel*>(&model)) {
    const LinearModelParts& parts = linear->parts();
    const std::vector<std::int64_t>& shape = shapes_.emplace_back(
        std::vector<std::int64_t>{static_cast<std::int64_t>(parts.channels), static_cast<std::int64_t>(parts.length),
                                  static_cast<std::int64_t>(parts.classes)});
    const Matrix<float>& weights = parts.weights;
    entries_.push_back(safetensors_entry<std::int64_t>(prefix + kLinearShape, {3}, shape));
    entries_.push_back(safetensors_entry<float>(prefix + kLinearShift, {parts.shift.size()}, parts.shift));
    entries_.push_back(safetensors_entry<float>(prefix + kLinearFactor, {parts.factor.size()}, parts.factor));
    if (!parts.least.empty()) {
      entries_.push_back(safetensors_entry<float>(prefix + kLinearLeast, {parts.least.size()}, parts.least));
      entries_.push_back(safetensors_entry<float>(prefix + kLinearGreatest, {parts.greatest.size()}, parts.greatest));
    }
    entries_.push_back(
        safetensors_entry<float>(prefix + kLinearWeights, {weights.rows, weights.columns}, weights.values));
  } else {
    kernels_.emplace_back(dynamic_cast<const KernelModel&>(model));
    for (const SafetensorsEntry& entry : kernels_.back().entries()) {
      entries_.push_back(entry);
      entries_.back().name = prefix + entry.name;
    }
  }
}

std::shared_ptr<const WindowModel> read_predictor(const Safetensors& arrays, const std::string& key, const Json& about,
                                                  const std::string& place) {
  if (key == kKernelsKey) return read_kernels(arrays, place);
  if (key == kLinearKey) return read_linear(arrays, place);
  if (key == kEnsembleKey) return read_ensemble(arrays, about, place);
  return read_transformer(arrays, about, place);
}

}  // namespace faithful::trained
