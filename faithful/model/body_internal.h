#pragma once

#include <algorithm>
#include <cassert>
#include <memory>
#include <span>

#include "faithful/encoding/catalog.h"
#include "faithful/model/classifier.h"
#include "faithful/model/position_internal.h"

namespace faithful::model {

using engine::Parameter;
using engine::Parameters;
using engine::Tape;
using engine::Tensor;

// What lies between a classifier's samples and its logits: one class for each form of the config.
template <class T>
class Body {
 public:
  Body(const ModelConfig& config, Parameters<T>& parameters)
      : config_(with_current_name(config)), position_(config_, parameters) {}
  virtual ~Body() = default;
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  const ModelConfig& config() const { return config_; }
  Position<T>& position() { return position_; }

  // As those of Classifier.
  virtual Tensor<T> logits(Tape<T>& tape, const Samples<T>& samples, const AttentionMaps<T>& maps) const = 0;
  virtual Tensor<T> embedded_steps(Tape<T>& tape, const Samples<T>& samples) const = 0;

 protected:
  const ModelConfig config_;
  Position<T> position_;

 private:
  // A file may hold the former name of its encoding.
  static ModelConfig with_current_name(ModelConfig config) {
    config.position.encoding = current_name(config.position.encoding);
    return config;
  }
};

template <class T>
std::unique_ptr<Body<T>> make_encoder_body(const ModelConfig& config, Parameters<T>& parameters);
template <class T>
std::unique_ptr<Body<T>> make_spatio_temporal_body(const ModelConfig& config, Parameters<T>& parameters);

// --- How samples become steps, in every form ---

enum class Order { kTimeFirst, kSensorFirst };

// The samples, with zeros at padding and behind the end of the last step: [B, S * samples per step, C], or by sensor
// [B, C, S * samples per step].
template <class T>
Tensor<T> filled_samples(Tape<T>& tape, const ModelConfig& config, const Samples<T>& samples, Order order);

// The means of config.input.average samples: [B, S * segment, C].
template <class T>
Tensor<T> averaged_samples(Tape<T>& tape, const ModelConfig& config, const Samples<T>& samples);

// [B, S * segment]: which of those have a sample. Empty where all have.
template <class T>
std::span<const std::uint8_t> valid_rows(Tape<T>& tape, const ModelConfig& config, const Samples<T>& samples);

// Beside every channel its differences in time, of orders 1 .. config.input.differences, behind a batch norm.
template <class T>
class Differences {
 public:
  // The config must outlive it.
  Differences(const ModelConfig& config, Parameters<T>& parameters, Order order);

  // x of averaged_samples: [B, R, C] -> [B, R, (1 + N) C], or of filled_samples by sensor
  // [B, C, R] -> [B, C, R, 1 + N].
  Tensor<T> append(Tape<T>& tape, Tensor<T> x, const Samples<T>& samples) const;

 private:
  const ModelConfig& config_;
  bool by_sensor_;
  Parameter gain_{}, offset_{}, mean_{}, variance_{};
  std::vector<T> ones_, zeros_;  // [N * C]: gain and offset where a stem follows, whose filters have them already
};

// [B, C, n]: what every sensor of a sample shares, once for each; empty stays empty.
template <class T, class Number>
std::span<const Number> for_each_sensor(Tape<T>& tape, std::span<const Number> of_samples, std::size_t batch,
                                        std::size_t channels) {
  if (of_samples.empty()) return {};
  const std::size_t each = of_samples.size() / batch;
  auto* all = tape.arena().template take<Number>(of_samples.size() * channels);
  for (std::size_t i = 0; i < batch * channels; ++i) {
    std::copy_n(of_samples.data() + i / channels * each, each, all + i * each);
  }
  return {all, of_samples.size() * channels};
}

// [B, S], and one before `with_token`: a step is there where one of its samples is. Empty where nothing is padded.
template <class T>
std::span<const std::uint8_t> valid_steps(Tape<T>& tape, const ModelConfig& config, const Samples<T>& samples,
                                          bool with_token);

// [B, S]: the time of each step's first valid sample; empty where positions are numbers. A padded step takes the time
// of the one before it, so that no padding widens the range of the times.
template <class T>
std::span<const T> step_times(Tape<T>& tape, const ModelConfig& config, const Samples<T>& samples);

}  // namespace faithful::model
