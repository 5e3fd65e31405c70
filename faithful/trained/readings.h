#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "faithful/base/api.h"
#include "faithful/data/dataset.h"
#include "faithful/trained/trained_model.h"

// Can the prediction for a window be trusted? Not where the score is no number; with care where a sensor reads far
// outside of what training has seen.

namespace faithful {

enum class PredictionStatus : std::uint8_t {
  kOk,
  kOutOfRange,  // some reading is further outside of the training range than that is wide, or a channel is silent that
                // always had readings: answered, with care
  kInvalid,     // the score is not a finite number, or nothing was read: there is no class
};
FAITHFUL_API std::string to_string(PredictionStatus status);  // "ok", "out_of_range", "invalid"

// The reading of a window that lies furthest outside of what training has seen.
struct FurthestReading {
  double distance = 0;  // in widths of the channel's training range (distance_outside); 0: all are inside
  std::size_t sample = 0, channel = 0;
  float value = 0;
};

// Whether a prediction holds, and the reading that speaks against it.
struct PredictionCheck {
  PredictionStatus status = PredictionStatus::kOk;
  FurthestReading furthest = {};           // its sample counts from the start of the series or stream
  bool nothing_read = false;               // all values are missing
  std::string refused = {};                // what the model said of times that it does not take; mostly empty
  std::optional<std::size_t> silent = {};  // a channel without a reading, none of which was missing in training
};

// The furthest of the readings of one sample [C], number `sample`; keeps `so_far` where that is further. Of a model
// whose range is not known, the distance is that from the scaler's middle, and never far.
FAITHFUL_API void take_further(const TrainedModel& model, std::span<const float> values, std::size_t sample,
                               FurthestReading& so_far);

// is_read: [C], 1 where the window has a reading of the channel, else 0.
FAITHFUL_API PredictionCheck check_prediction(const TrainedModel& model, const FurthestReading& furthest,
                                              std::span<const std::uint8_t> is_read,
                                              std::span<const float> probabilities);

// The same for samples begin .. end-1 of a series.
FAITHFUL_API PredictionCheck check_prediction(const TrainedModel& model, const Series& series, const Range& samples,
                                              std::span<const float> probabilities);

// `temp reads 1e+20 at sample 12; training saw 17.9 to 41.2`; empty where all is well.
FAITHFUL_API std::string reason_text(const TrainedModel& model, const PredictionCheck& check);

// InputError where a prediction is invalid: nothing can be made of such windows. probabilities [n, K], of the windows in
// their order.
FAITHFUL_API void require_scores(const TrainedModel& model, const Windows& windows, const Matrix<float>& probabilities);

// A note for the user about readings of the data set far outside of what training has seen; empty where there are none.
FAITHFUL_API std::string far_readings_note(const TrainedModel& model, const Dataset& dataset);

}  // namespace faithful
