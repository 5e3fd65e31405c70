#pragma once

#include <cstdint>
#include <span>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/trained/trained_model.h"

namespace faithful {

// Keeps in the model what predictions for samples that it had not seen say about it. Scores them (record: held_out). In a
// model of whole series, keeps the scores from which prediction sets are made: windows of a timeline overlap, so nothing
// could be promised for them. probabilities: [n, K], by the model or by fits of its kind without these samples;
// labels: [n]; kNoLabel does not count. Nothing changes where no sample has a label, or a probability is not a finite
// number. Call it after the record is complete.
FAITHFUL_API void keep_calibration(TrainedModel& model, const Matrix<float>& held_out_probabilities,
                                   std::span<const std::int32_t> labels);

}  // namespace faithful
