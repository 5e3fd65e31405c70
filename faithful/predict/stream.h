#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "faithful/base/api.h"
#include "faithful/predict/model_file.h"

namespace faithful {

struct StreamOptions {
  bool reuse = true;  // embed each sample once, where the model embeds samples alone
};

// Scores a stream: after each new sample, the window that ends with it, scaled by the statistics of all training series
// (or of one: scale_as). Where each sample is embedded alone, what was
// computed for it is kept until it leaves the window; the answers are those of the batch Predictor on the same windows.
// On the caller's thread; push() allocates nothing.
class FAITHFUL_API StreamPredictor {
 public:
  explicit StreamPredictor(TrainedModel model, const StreamOptions& options = {});
  ~StreamPredictor();
  StreamPredictor(StreamPredictor&&) noexcept;
  StreamPredictor& operator=(StreamPredictor&&) noexcept;

  // The next sample: values [C] as measured, NaN where missing, in the order of the model's channels; its time in ns
  // where the model's positions are times, which must never decrease. Returns the probabilities [K] of the window that
  // ends with it, until the next call; empty while no window is full.
  std::span<const float> push(std::span<const float> values, std::int64_t time = 0);

  void reset();         // forgets all samples
  bool reuses() const;  // whether embedded samples are kept
  const TrainedModel& model() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace faithful
