#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "faithful/train/fit_details.h"
#include "faithful/train/prepare_internal.h"

namespace faithful::train {

// InputError where a channel or a class has the name of another: a model file has each name once. That is said before
// the training, not after it.
void check_names(const Dataset& dataset);

// What a job chose.
struct Choices {
  const SplitOptions& split;
  const ScalingChoice& scaling;
  std::size_t folds;  // of the cross-validation; 0: none
};

// What the user should know about the data of a fit, a line each.
std::vector<std::string> data_notes(const Dataset& dataset, const FitOptions& options, const Choices& chosen,
                                    const Prepared& prepared);

// What threshold and test scores rest on, where that is only a few events; else empty.
std::string few_events_note(const FitResult& result, const ThresholdRule& rule);

}  // namespace faithful::train
