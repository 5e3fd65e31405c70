#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/range.h"
#include "faithful/diagnose/diagnosis.h"

// From weights to suspects: which sensor comes first, which times stand out, and whether two rankings agree.

namespace faithful {

// Numbers of the weights, largest first; of equal ones the lower number first.
FAITHFUL_API std::vector<std::size_t> order_of(std::span<const double> weights);

// Each weight's share of the blame: weights below 0 (evidence against) count as 0, the rest sums to 1; all 0 where none
// is above 0.
FAITHFUL_API std::vector<double> shares_of(std::span<const double> weights);

// The times that stand out. Each piece's weight per sample (below 0 counts as 0) is averaged with those of the pieces
// that it touches, where there are ten or more; pieces above mean + 1 standard deviation (each sample counts once) are
// joined where they touch or only one piece lies between them, and ranked by the share of all weight that they hold. At
// most `most`; none where all weights are the same. pieces: in order of time; weights: [pieces]
FAITHFUL_API std::vector<SuspectedSpan> suspected_spans(std::span<const Range> pieces, std::span<const double> weights,
                                                        std::size_t most = 3);

FAITHFUL_API Agreement agreement(std::span<const double> a, std::span<const double> b);

}  // namespace faithful
