#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"
#include "faithful/model/classifier.h"
#include "faithful/window/windows.h"

// The one forward pass over windows. Validation, evaluation, predictions, streams and diagnosis all use it.

namespace faithful {

// What a model takes and gives.
struct WindowShape {
  std::size_t channels = 1;  // C
  std::size_t length = 100;  // samples of a window
  std::size_t classes = 2;   // K
  double time_step = 0;      // ns per unit of position; 0: the model does not use times

  std::size_t outputs() const { return classes == 2 ? 1 : classes; }  // logits; two classes share one, that of class 1
  bool uses_times() const { return time_step > 0; }
};

class Transformer;

// Classifies scaled windows; the interface of all kinds of models. The weights are fixed, so all functions may be
// called from several threads at once. The result for a window does not depend on the other windows.
class FAITHFUL_API WindowModel {
 public:
  virtual ~WindowModel() = default;

  virtual WindowShape shape() const = 0;
  virtual std::size_t weight_count() const = 0;  // that training changes
  virtual std::size_t batch() const = 0;         // windows that should go through it together

  // On the caller's thread; logits [B, outputs].
  virtual void logits_into(const Samples<float>& samples, std::span<float> logits) const = 0;

  // The Transformer, for its attention, gradients and configuration. Null for other models.
  virtual const Transformer* transformer() const { return nullptr; }
};

// A Transformer as a model of windows.
class FAITHFUL_API Transformer final : public WindowModel {
 public:
  explicit Transformer(Classifier<float> classifier);

  // A classifier of the caller, which must outlive it: training validates between its steps.
  static Transformer view_of(const Classifier<float>& classifier);

  const Classifier<float>& classifier() const { return *classifier_; }
  const ModelConfig& config() const { return classifier_->config(); }

  WindowShape shape() const override;
  std::size_t weight_count() const override { return classifier_->parameters().count(); }
  std::size_t batch() const override { return inference_batch(config(), kMostWindows); }
  void logits_into(const Samples<float>& samples, std::span<float> logits) const override;
  const Transformer* transformer() const override { return this; }

  // The attention weights of samples; fills the maps that have room for them.
  void attention_into(const Samples<float>& samples, const AttentionMaps<float>& maps) const;

  // [B, length, C]: the gradient of a class's logit by the samples' values (Classifier::input_gradient_into).
  void gradient_into(const Samples<float>& samples, std::size_t class_number, std::span<float> out) const;

 private:
  static constexpr std::size_t kMostWindows = 32;
  class Tapes;  // one for each thread that runs a pass
  explicit Transformer(std::shared_ptr<const Classifier<float>> classifier);
  const float* forward(engine::Tape<float>& tape, const Samples<float>& samples,
                       const AttentionMaps<float>& maps) const;

  std::shared_ptr<const Classifier<float>> classifier_;
  std::shared_ptr<Tapes> tapes_;
};

// Windows in memory, as models take them.
class FAITHFUL_API WindowBuffer {
 public:
  WindowBuffer(const WindowShape& shape, std::size_t most_windows);

  // The windows of these numbers, at most `most_windows`, valid until the next load.
  Samples<float> load(const Windows& windows, std::span<const std::uint32_t> numbers, ThreadPool& pool);
  // The same for part of a batch; `padded` is of the whole of it: parts are then computed as they would be in it.
  Samples<float> load(const Windows& windows, std::span<const std::uint32_t> numbers, ThreadPool& pool, bool padded);
  std::span<const std::int32_t> labels() const { return {labels_.data(), count_}; }
  std::size_t most_windows() const { return labels_.size(); }

 private:
  double time_step_;
  std::vector<float> values_;         // [most_windows, length, C]
  std::vector<std::uint8_t> valid_;   // [most_windows, length]
  std::vector<float> times_;          // [most_windows, length]; empty if the model does not use times
  std::vector<std::int32_t> labels_;  // [most_windows]
  std::size_t count_ = 0;
};

// Is one of these windows shorter than its length?
FAITHFUL_API bool are_padded(const Windows& windows, std::span<const std::uint32_t> numbers);

// The logits of windows first, first + 1, .. as many as logits [.., outputs] has room for. The same bits for any number
// of threads.
FAITHFUL_API void logits_into(const WindowModel& model, const Windows& windows, std::size_t first, ThreadPool& pool,
                              std::span<float> logits);

// [n, K]: the probability of each class for windows first .. first + n - 1; by default for all of them.
FAITHFUL_API Matrix<float> probabilities_of(const WindowModel& model, const Windows& windows, ThreadPool& pool,
                                            std::size_t first = 0, std::size_t most = static_cast<std::size_t>(-1));

}  // namespace faithful
