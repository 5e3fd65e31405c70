#include <algorithm>

#include "faithful/engine/denormals.h"
#include "faithful/study/model_probe_internal.h"

namespace faithful::study {

ModelProbe::Borrowed::Borrowed(const ModelProbe& probe) : probe_(probe) {
  const std::scoped_lock lock(probe_.mutex_);
  if (probe_.free_.empty()) {
    tape_ = std::make_unique<engine::Tape<float>>();
  } else {
    tape_ = std::move(probe_.free_.back());
    probe_.free_.pop_back();
  }
}

ModelProbe::Borrowed::~Borrowed() {
  const std::scoped_lock lock(probe_.mutex_);
  probe_.free_.push_back(std::move(tape_));
}

Samples<float> ModelProbe::samples_of(const ProbedWindow& window) const {
  return {.count = 1, .values = window.values, .valid = window.valid, .times = window.times};
}

WindowLogit ModelProbe::logit(const ProbedWindow& window) const {
  return [this, window](std::span<const float> values, std::span<double> out) {
    const std::size_t count = out.size(), outputs = config().outputs();
    // Padding and times of every window are those of the one.
    std::vector<std::uint8_t> valid;
    std::vector<float> times;
    for (std::size_t i = 0; i < count; ++i) {
      valid.insert(valid.end(), window.valid.begin(), window.valid.end());
      times.insert(times.end(), window.times.begin(), window.times.end());
    }
    const engine::FlushDenormals flush;
    const Borrowed tape(*this);
    (*tape).begin(classifier_.parameters(), {});
    const engine::Tensor<float> logits =
        classifier_.logits(*tape, {.count = count, .values = values, .valid = valid, .times = times});
    for (std::size_t i = 0; i < count; ++i) {
      const float z = logits.data[i * outputs + (outputs == 1 ? 0 : looked_for_)];
      out[i] = static_cast<double>(outputs == 1 && looked_for_ == 0 ? -z : z);
    }
  };
}

std::vector<float> ModelProbe::gradient(const ProbedWindow& window) const {
  const engine::FlushDenormals flush;
  const Borrowed tape(*this);
  std::vector<float> gradient(window.values.size());
  classifier_.input_gradient_into(*tape, samples_of(window), looked_for_, gradient);
  return gradient;
}

namespace {

struct MapSizes {
  std::size_t values = 0, temporal = 0, spatial = 0;
};

MapSizes map_sizes(const ModelConfig& of) {
  const std::size_t steps = of.steps(), rows = steps + (of.pooling == "token" ? 1 : 0);
  if (!of.is_dfstrans()) return {.values = of.layers * of.heads * rows * rows};
  return {.temporal = of.channels * of.heads * steps * steps, .spatial = steps * of.heads * of.channels * of.channels};
}

}  // namespace

std::size_t ModelProbe::map_numbers(const ModelConfig& config) {
  const MapSizes sizes = map_sizes(config);
  return sizes.values + sizes.temporal + sizes.spatial;
}

ModelProbe::Maps ModelProbe::attention(const ProbedWindow& window) const {
  const MapSizes sizes = map_sizes(config());
  Maps maps{std::vector<float>(sizes.values), std::vector<float>(sizes.temporal), std::vector<float>(sizes.spatial)};
  const engine::FlushDenormals flush;
  const Borrowed tape(*this);
  (*tape).begin(classifier_.parameters(), {});
  classifier_.logits(*tape, samples_of(window),
                     {.values = maps.values, .temporal = maps.temporal, .spatial = maps.spatial});
  return maps;
}

}  // namespace faithful::study
