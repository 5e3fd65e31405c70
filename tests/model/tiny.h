#pragma once

// Tiny models and samples that the tests of the model share.

#include <cstdint>
#include <string>
#include <vector>

#include "faithful/base/random.h"
#include "faithful/encoding/catalog.h"
#include "faithful/model/classifier.h"

namespace faithful::testing {

inline constexpr Pooling kPoolings[] = {Pooling::kMean, Pooling::kAttention, Pooling::kToken};

inline ModelConfig tiny(const std::string& encoding, Pooling pooling = Pooling::kMean) {
  ModelConfig config;
  config.input.channels = 3;
  config.input.length = 5;
  config.input.classes = 3;
  config.body.width = 8;
  config.body.heads = 2;
  config.body.layers = 2;
  config.body.feed_forward = 7;
  config.body.dropout = 0;
  config.position.own.set("clip", 2);
  config.position.own.set("time_dim", 3);
  config.position.encoding = encoding;
  config.head.pooling = pooling;
  return config;
}

// The same for sensors and steps: three segments of 9 samples (the last is not full), 8 numbers for each.
inline ModelConfig tiny_dfstrans(const std::string& encoding) {
  ModelConfig config = tiny(encoding);
  config.form = ModelForm::kDfstrans;
  config.input.length = 25;
  config.input.segment = 9;
  config.input.stages = 2;
  config.input.filters = 4;
  config.input.kernel = 3;
  config.body.layers = 1;
  config.head.hidden = 5;
  config.body.activation = LayerActivation::kRelu;
  return config;
}

inline std::vector<std::string> encoding_names() {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : encoding_catalog()) names.push_back(entry.name);
  return names;
}

inline bool takes_times(const std::string& encoding) {
  return catalog_entry(encoding).real_positions;
}

// Samples with their numbers.
template <class T>
struct OwnedSamples {
  OwnedSamples(const ModelConfig& config, std::size_t of_count, std::uint64_t seed = 5) : count(of_count) {
    Random random(seed);
    for (std::size_t i = 0; i < count * config.input.length * config.input.channels; ++i) {
      values.push_back(static_cast<T>(random.uniform(-1, 1)));
    }
    for (std::size_t b = 0; b < count && config.has_times(); ++b) {
      double time = 0;
      for (std::size_t s = 0; s < config.input.length; ++s) {
        times.push_back(static_cast<T>(time));
        time += random.uniform(0.2, 1.4);
      }
    }
  }
  Samples<T> view() const { return {count, values, valid, times}; }

  std::size_t count;
  std::vector<T> values, times;
  std::vector<std::uint8_t> valid;
};

// Weights that are nowhere at a special place, such as zero.
template <class T>
void shake(Classifier<T>& model, std::uint64_t seed = 3) {
  model.initialize(seed);
  Random random(seed, 77);
  for (const engine::ParameterEntry& entry : model.parameters().entries()) {
    T* values = model.parameters().mutable_values().data() + entry.offset;
    for (std::size_t i = 0; i < entry.shape.count(); ++i) values[i] += static_cast<T>(random.uniform(-0.4, 0.4));
  }
}

template <class T>
std::vector<T> logits_of(const Classifier<T>& model, const Samples<T>& samples) {
  engine::Tape<T> tape;
  tape.begin(model.parameters(), {});
  const engine::Tensor<T> z = model.logits(tape, samples);
  return {z.data, z.data + z.shape.count()};
}

}  // namespace faithful::testing
