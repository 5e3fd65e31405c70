#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"

// Conformal prediction sets by LAC (least ambiguous set-valued classifier; Sadinle, Lei, Wasserman 2019). The
// nonconformity of a class is 1 - p. Held-out samples give scores, the nonconformities of their labels. A set has the
// classes whose nonconformity is at most the ceil((n + 1) coverage)-th smallest of the n scores. If new samples are drawn
// like the held-out ones, a set has the true class with probability at least `coverage`.

namespace faithful {

inline constexpr std::size_t kMostConformalScores = 1'000;

// The scores of held-out samples, ascending; of n > 1,000 samples only those of the ranks ceil(j n / 1000), j = 1 to
// 1,000. probabilities: [n, K], labels: [n]. InputError as in calibration.h.
FAITHFUL_API std::vector<float> conformal_scores(const Matrix<float>& probabilities,
                                                 std::span<const std::int32_t> labels);

// The largest nonconformity in a set, from the kept scores of `count` samples. Where scores were left out, the next
// greater one that was kept. None where so few samples cannot promise this coverage: ceil((n + 1) coverage) > n.
FAITHFUL_API std::optional<float> conformal_limit(std::span<const float> scores, std::size_t count, double coverage);

}  // namespace faithful
