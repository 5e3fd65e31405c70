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

// Is a diagnosis right? If the data says which sensors were at fault, and when, every method is scored, and so are two
// kinds of baselines: a random order, and the sensors that deviate most from normal.

namespace faithful {

// The truth of an alarm about class `class_number`; none if the series has no labels.
FAITHFUL_API std::optional<AlarmTruth> truth_of(const Series& series, const Alarm& alarm, std::size_t class_number = 1);

// NaN if the method or the labels say nothing about it.
using MeasureRow = std::array<double, kDiagnosisMeasures>;
FAITHFUL_API MeasureRow score_answer(const MethodAnswer& answer, std::span<const Range> pieces,
                                     const AlarmTruth& truth);

// The expected measures of sensors and pieces in random order, and of a span of `length` samples at a random place in
// `within`.
FAITHFUL_API MeasureRow random_scores(std::size_t sensors, std::span<const Range> pieces, const AlarmTruth& truth,
                                      std::size_t length, const Range& within);

// Means over alarms, with intervals by bootstrap over alarms. truths: [diagnoses]. None if no truth is known.
FAITHFUL_API std::optional<DiagnosisScores> score_diagnoses(std::span<const Diagnosis> diagnoses,
                                                            std::span<const std::optional<AlarmTruth>> truths,
                                                            const BootstrapOptions& options = {});

}  // namespace faithful
