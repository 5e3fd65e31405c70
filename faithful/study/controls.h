#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"
#include "faithful/data/dataset.h"
#include "faithful/model/classifier.h"
#include "faithful/study/run.h"
#include "faithful/train/fit_details.h"

// Controls: measurements of a trained model besides its scores.

namespace faithful {

// [n, K]: predictions for windows that are not in the data set. make(i) is window i, scaled, at most as long as the
// model's. Few of them are in memory at a time.
FAITHFUL_API Matrix<float> score_made_windows(const Classifier<float>& model, std::size_t count,
                                              const std::function<Series(std::size_t)>& make, ThreadPool& pool);

// [n, K]: predictions for these windows with the samples of each in random order (the times stay). A model that is as
// good on them does not use the order.
FAITHFUL_API Matrix<float> score_shuffled(const Classifier<float>& model, const Windows& windows, std::uint64_t seed,
                                          ThreadPool& pool);

// The scores of the trained model on test windows `factor` times as long, at its own threshold; or why there are none:
// the encoding has no codes beyond the length it was made for, or there are no longer windows.
struct LongerScores {
  Measures scores = {};
  std::string note = {};
};
FAITHFUL_API LongerScores score_longer(const FitResult& fit, std::size_t factor, double prevalence, ThreadPool& pool);

// [S, d]: the codes that a model adds to its input, as they are now; empty for relative schemes and none.
FAITHFUL_API Matrix<double> added_codes(const Classifier<float>& model);

// [S, 2 H d_h]: the codes after the projection to queries and keys of the first layer: E [W_Q; W_K]ᵀ. Empty if there
// are no codes, or if queries do not depend on them.
FAITHFUL_API Matrix<double> projected_codes(const Classifier<float>& model);

// min_distance, stable_rank, effective_rank, gram_deviation, noise_sigma10, spearman of the projected codes; empty
// where there are none.
FAITHFUL_API Measures projected_faithfulness(const Classifier<float>& model, ThreadPool& pool);

// RMS norm of the codes / RMS norm of the embedded steps of (at most 64 of) these windows; NaN without codes.
FAITHFUL_API double norm_ratio(const Classifier<float>& model, const Windows& windows, ThreadPool& pool);

}  // namespace faithful
