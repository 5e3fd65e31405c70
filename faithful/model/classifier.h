#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "faithful/base/api.h"
#include "faithful/engine/operators.h"
#include "faithful/engine/parameters.h"
#include "faithful/model/config.h"

namespace faithful {

// Windows as a model takes them.
template <class T>
struct Samples {
  std::size_t count = 0;                     // B
  std::span<const T> values = {};            // [B, length, C], scaled; padded ones count as 0
  std::span<const std::uint8_t> valid = {};  // [B, length], 0: padding; empty: no padding
  std::span<const T> times = {};  // [B, length], positions of the samples where config.position.source is "time"
  std::span<T> gradients = {};    // [B, length, C]: where a tape that runs back leaves that of the values;
                                  // empty: not wanted

  // Samples begin .. end - 1 of them.
  Samples part(std::size_t begin, std::size_t end) const {
    const auto cut = [&](auto all) {
      return all.empty() ? all : all.subspan(all.size() / count * begin, all.size() / count * (end - begin));
    };
    return {end - begin, cut(values), cut(valid), cut(times), cut(gradients)};
  }
};

// Attention weights, on request.
template <class T>
struct AttentionMaps {
  std::span<T> values = {};    // encoder: [L, B, H, S, S]; a class token adds one to S
  std::span<T> temporal = {};  // dfstrans: [B, C, H, S, S], of each sensor over the steps
  std::span<T> spatial = {};   // dfstrans: [B, S, H, C, C], of each step over the sensors
};

// A Transformer that classifies windows. T is float, or double for checks. It has only the forward pass; the tape gives
// the gradients.
//   encoder:  embedding -> position -> L encoder layers -> pooling -> K classes
//   dfstrans: a CNN per sensor -> position -> attention over steps + attention over sensors -> feed-forward
//             -> mean over steps -> K classes (docs/model.md)
template <class T>
class FAITHFUL_API Classifier {
 public:
  explicit Classifier(const ModelConfig& config);  // InputError if the config is impossible; see check_config
  ~Classifier();
  Classifier(Classifier&&) noexcept;
  Classifier& operator=(Classifier&&) noexcept;

  // Number of its parameters, and of its running statistics if wanted, without making it.
  static std::size_t count(const ModelConfig& config, bool statistics);
  const ModelConfig& config() const;
  engine::Parameters<T>& parameters();  // named views into one buffer
  const engine::Parameters<T>& parameters() const;

  // Draws the initial values, which depend on name, shape and seed; learned encodings as in the catalog.
  void initialize(std::uint64_t seed);

  // From now on the logits are factor * z + added: the weights of the last layer change. added: [outputs]
  void rescale_logits(double factor, std::span<const double> added);

  // [B, outputs]. One logit for two classes: that of class 1.
  engine::Tensor<T> logits(engine::Tape<T>& tape, const Samples<T>& samples, const AttentionMaps<T>& maps = {}) const;

  // out [B, length, C] = the gradient of class `of`'s logit by each sample's values (of two classes, 0 has that of 1
  // with the other sign), with recording on and training off; 0 at padding. Begins a pass of the tape.
  void input_gradient_into(engine::Tape<T>& tape, const Samples<T>& samples, std::size_t of, std::span<T> out) const;

  // [B, S, d]: what codes are added to, the embedded steps, concatenated features of time included; of dfstrans
  // [B, C, S, d]. For measurements.
  engine::Tensor<T> embedded_steps(engine::Tape<T>& tape, const Samples<T>& samples) const;

  // Cross-entropy of the samples (binary for two classes), as Shards::accumulate wants it.
  engine::Tensor<T> loss(engine::Tape<T>& tape, const Samples<T>& samples, std::span<const std::int32_t> labels,
                         const engine::LossOptions<T>& options) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// [B, K]: the probability of each class from logits [B, outputs]; sums to 1 in every row.
template <class T>
FAITHFUL_API void probabilities_into(std::span<const T> logits, std::size_t classes, std::span<T> probabilities);

extern template class Classifier<float>;
extern template class Classifier<double>;

}  // namespace faithful
