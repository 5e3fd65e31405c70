#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "faithful/base/api.h"
#include "faithful/trained/readings.h"
#include "faithful/trained/trained_model.h"

namespace faithful {

// Scores a stream: after each new sample, the window that ends with it, scaled as new data is (prediction_scaler). The
// predictions are those of predict() on the same windows, bit for bit. On the caller's thread; push() allocates nothing.
class FAITHFUL_API StreamPredictor {
 public:
  explicit StreamPredictor(TrainedModel model);
  ~StreamPredictor();
  StreamPredictor(StreamPredictor&&) noexcept;
  StreamPredictor& operator=(StreamPredictor&&) noexcept;

  // The next sample: values [C] as measured, NaN where missing, in the order of the model's channels; its time in ns
  // where the model's positions are times, which must never decrease. Returns the probabilities [K] of the window that
  // ends with it, until the next call; empty while no window is full.
  // `is_read`: [C], 0 where the value was missing and was filled; empty: all but NaN were read.
  std::span<const float> push(std::span<const float> values, std::int64_t time = 0,
                              std::span<const std::uint8_t> is_read = {});

  // Whether the last prediction can be trusted. Samples count from 0 since the start or the last reset.
  PredictionCheck check() const;

  void reset();  // forgets all samples
  const TrainedModel& model() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace faithful
