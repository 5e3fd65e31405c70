#pragma once

#include <string>
#include <vector>

#include "faithful/train/fit.h"
#include "faithful/window/seen_range.h"

namespace faithful::train {

// What a training takes: windows, and a model form that fits them.
struct Prepared {
  ModelConfig config;
  ScalerRecord scaler;
  SeenRange seen;
  WindowSets sets;
  std::vector<std::string> notes;
};

// Splits, scales, cuts, and settles what the model's form leaves to the data.
Prepared prepare(const Dataset& dataset, const FitOptions& options, const SplitOptions& split, Scaling scaling);

// InputError where the training part has no windows, or those of one class only.
void check_training_part(const WindowSets& sets);

// The form takes channels, length and classes from the data.
void take_shape(ModelConfig& config, const Split& split);

// Whether folds of a given training part, or with one fold a share of it, validate.
bool validates_given_part(const FitOptions& options);

// The split of the training on all of the training part.
SplitOptions final_split(const Dataset& dataset, const FitOptions& options);

// What becomes of series without labels, in words; empty where there are none.
std::vector<std::string> unlabelled_notes(const Dataset& dataset, const SplitOptions& split, const Windows& train);

}  // namespace faithful::train
