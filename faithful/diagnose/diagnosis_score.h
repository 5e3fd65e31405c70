#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/threads.h"
#include "faithful/data/dataset.h"
#include "faithful/diagnose/diagnosis.h"
#include "faithful/metrics/bootstrap.h"

// Is a diagnosis right? Where the data knows which sensors were at fault, and when, every answer is compared with that,
// beside a random answer and beside the sensors that deviate most from normal.

namespace faithful {

// Of an alarm about class `class_number`; none where the series has no labels.
FAITHFUL_API std::optional<AlarmTruth> truth_of(const Series& series, const Alarm& alarm, std::size_t class_number = 1);

// NaN where the answer or the truth says nothing about it.
using MeasureRow = std::array<double, kDiagnosisMeasures>;
FAITHFUL_API MeasureRow score_answer(const MethodAnswer& answer, std::span<const Range> pieces,
                                     const AlarmTruth& truth);

// The same expected of sensors and pieces in random order, and of a span of `length` samples at a random place of
// `within`.
FAITHFUL_API MeasureRow random_scores(std::size_t sensors, std::span<const Range> pieces, const AlarmTruth& truth,
                                      std::size_t length, const Range& within);

// Means over alarms, with intervals by bootstrap over alarms. truths: [diagnoses]. Nothing where no truth is known.
FAITHFUL_API std::optional<DiagnosisScores> score_diagnoses(std::span<const Diagnosis> diagnoses,
                                                            std::span<const std::optional<AlarmTruth>> truths,
                                                            const BootstrapOptions& options = {});

}  // namespace faithful
