#pragma once

#include <cassert>
#include <memory>
#include <span>

#include "faithful/model/classifier.h"
#include "faithful/model/position.h"

namespace faithful::model {

using engine::Parameter;
using engine::Parameters;
using engine::Tape;
using engine::Tensor;

// What lies between a classifier's samples and its logits: one class for each form of the config.
template <class T>
class Body {
 public:
  Body(const ModelConfig& config, Parameters<T>& parameters) : config_(config), position_(config_, parameters) {}
  virtual ~Body() = default;
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  const ModelConfig& config() const { return config_; }
  Position<T>& position() { return position_; }

  // As those of Classifier.
  virtual Tensor<T> logits(Tape<T>& tape, const Samples<T>& samples, const AttentionMaps<T>& maps) const = 0;
  virtual Tensor<T> embedded_steps(Tape<T>& tape, const Samples<T>& samples) const = 0;

  // For streams: see Classifier. A form that cannot be cut in two parts says so.
  virtual bool embeds_alone() const { return false; }
  virtual Tensor<T> embed(Tape<T>&, const Samples<T>&) const { return no_parts(); }
  virtual Tensor<T> logits_of(Tape<T>&, Tensor<T>, const Samples<T>&, const AttentionMaps<T>&) const {
    return no_parts();
  }

 protected:
  const ModelConfig config_;
  Position<T> position_;

 private:
  static Tensor<T> no_parts() {
    assert(false);
    return {};
  }
};

// Beside every channel its differences in time, of orders 1 .. config.differences, behind a batch norm.
template <class T>
class Differences {
 public:
  // groups: of the batch norm, one for each sensor, or 0 where the channels stand side by side.
  Differences(const ModelConfig& config, Parameters<T>& parameters, std::size_t groups);

  // x [B, R, C] -> [B, R, (1 + N) C]; with groups x [B, G, R, 1] -> [B, G, R, 1 + N]. valid [B, R] or [B * G, R].
  Tensor<T> append(Tape<T>& tape, Tensor<T> x, std::span<const std::uint8_t> valid) const;

 private:
  std::size_t orders_, groups_;
  Parameter gain_{}, offset_{}, mean_{}, variance_{};
};

template <class T>
std::unique_ptr<Body<T>> make_encoder_body(const ModelConfig& config, Parameters<T>& parameters);
template <class T>
std::unique_ptr<Body<T>> make_spatio_temporal_body(const ModelConfig& config, Parameters<T>& parameters);

// --- How samples become steps, in every form ---

enum class Order { kTimeFirst, kSensorFirst };

// The samples, with zeros at padding and behind the end of the last step: [B, S * segment, C], or by sensor
// [B, C, S * segment].
template <class T>
Tensor<T> filled_samples(Tape<T>& tape, const ModelConfig& config, const Samples<T>& samples, Order order);

// [B, S * segment]: which samples are there; empty where all are.
template <class T>
std::span<const std::uint8_t> valid_samples(Tape<T>& tape, const ModelConfig& config, const Samples<T>& samples);

// [B, S], and one before for a class token: a step is there where one of its samples is. Empty where nothing is padded.
template <class T>
std::span<const std::uint8_t> valid_steps(Tape<T>& tape, const ModelConfig& config, const Samples<T>& samples);

// [B, S]: the time of each step's first valid sample; empty where positions are numbers. A padded step takes the time
// of the one before it, so that no padding widens the range of the times.
template <class T>
std::span<const T> step_times(Tape<T>& tape, const ModelConfig& config, const Samples<T>& samples);

}  // namespace faithful::model
