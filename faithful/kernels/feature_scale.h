#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"

namespace faithful {

// Brings features to a common scale. The first `plain` features become (x - shift) factor, with the mean and the
// inverse deviation of the training samples. The others are counts, of which many are 0 (Hydra): with v = sqrt(x), a v
// of 0 stays 0 and another becomes (v - shift) factor. There 1 / factor is the deviation plus the fourth power of the
// share of zeros, so that counts which are rarely above 0 weigh less. A feature that does not vary in training is
// dropped: its factor is 0. A scaled value beyond +-bound becomes +-bound: one that hardly varies in training could
// decide all by itself about a sample in which it does.
struct FAITHFUL_API FeatureScale {
  std::size_t plain = 0;
  std::vector<float> shift = {};   // [F]
  std::vector<float> factor = {};  // [F]
  float bound = std::numeric_limits<float>::infinity();

  void apply(std::span<float> features) const;  // [F] of one sample, in place
  bool operator==(const FeatureScale&) const = default;
};

// Fits it to training samples [n, F] and applies it to them. The same bits for any number of threads.
FAITHFUL_API FeatureScale fit_and_scale(Matrix<float>& features, std::size_t plain, float bound, ThreadPool& pool);

}  // namespace faithful
