#pragma once

// Separation against distance awareness: the spectral encoding at every length scale, and the other additive encodings
// of the same size.

#include <optional>
#include <string>
#include <vector>

#include "faithful/analysis/analysis.h"
#include "faithful/base/api.h"

namespace faithful {

struct FrontierPoint {
  std::string name;
  std::optional<double> length_scale = {};  // of `spectral`; 0: all frequencies weigh alike
  double min_distance = 0;                  // separation
  double noise_sigma10 = 0;                 // noise tolerance
  double spearman = 0, pearson = 0;         // distance awareness
};

struct Frontier {
  std::vector<FrontierPoint> spectral;  // from length scale 0 to S
  std::vector<FrontierPoint> others;    // every other additive encoding of the catalog that has such a table
  std::string note;                     // the basis of `spectral`
};

// More take too long to compare.
inline constexpr std::size_t kMostFrontierPositions = 512, kMostFrontierValues = std::size_t{1} << 20;

// For tables [S, d] of options.length and options.dim, with 3 <= S <= kMostFrontierPositions and d >= 2. Encodings have
// their default options; the seed is that of `options`.
FAITHFUL_API Frontier make_frontier(const EncodingOptions& options, const AnalysisOptions& analysis = {});

}  // namespace faithful
