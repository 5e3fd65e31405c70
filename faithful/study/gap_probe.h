#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/data/dataset.h"
#include "faithful/study/arm.h"
#include "faithful/train/fit_details.h"

// Can a model tell which of two events came first, and does that depend on how far they are apart? The paper explains
// its results by short and middle ranges; here the classes differ only in the order of two events. Every step is
// embedded alone, so a model can learn the order only from its encoding.

namespace faithful {

struct GapProbeOptions {
  std::size_t length = 80;                                        // S
  std::vector<std::size_t> distances = {1, 2, 4, 8, 16, 32, 64};  // between the events
  std::size_t train = 2048;                                       // windows, spread over the distances
  std::size_t test = 100;                                         // windows for each distance
  double noise = 0.3;                                             // standard deviation; an event is one sample of 3
  std::uint64_t seed = 1;
};

// One series for each window, named by its distance ("16"); channels A and B with one event each; class 1: A first.
FAITHFUL_API Dataset make_gap_data(const GapProbeOptions& options);

// The job of an arm on a seed: one layer of width 96 (so that one-hot codes of 80 positions fit), 4 heads.
FAITHFUL_API FitOptions gap_fit_options(const Arm& arm, std::uint64_t seed);

// [distances]: the share of correct predictions for the test windows of each distance.
FAITHFUL_API std::vector<double> gap_accuracies(const FitResult& fit, const GapProbeOptions& options);

}  // namespace faithful
