#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"

// Ridge regression of the classes on features, one class against the others, with the penalty chosen on samples that
// are left out. Both have closed forms, so nothing is fitted twice.

namespace faithful {

struct RidgeOptions {
  // Candidates for the penalty, as multiples of the mean of the Gram matrix's diagonal (features centred).
  std::vector<double> penalties = {1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.3, 1, 3};
  std::vector<float> weights = {};         // [n] of the samples, above 0; empty: all 1
  std::vector<std::uint32_t> groups = {};  // [n]; samples of a group are left out together; empty: each alone
};

// Scores f(x) = w^T x + offset per class, targets +1 (the class) and -1 (another). Two classes share one score, that of
// class 1. The fit minimises
//   sum_i weight_i (y_i - f(x_i))^2 + penalty |w|^2
struct FAITHFUL_API RidgeFit {
  Matrix<float> weights = {};      // [p, outputs]
  std::vector<float> offset = {};  // [outputs]
  Matrix<float> held_out = {};     // [n, outputs]: scores of each sample by a fit without its group
  double penalty = 0;              // the candidate whose held-out scores have the least log loss
  double temperature = 1;          // of the held-out scores, taken as logits: see fit_temperature
  double log_loss = 0;             // of the held-out scores with that temperature, weighted
};

// X [n, p] with n >= 2, labels from 0 to classes - 1. Features should have a common scale; they are centred here. n may
// be less or more than p. The same bits for any number of threads. InputError where no candidate can be solved.
FAITHFUL_API RidgeFit fit_ridge(const Matrix<float>& x, std::span<const std::int32_t> labels, std::size_t classes,
                                const RidgeOptions& options, ThreadPool& pool);

}  // namespace faithful
