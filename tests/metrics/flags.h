#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace faithful::testing {

// 1 where score >= threshold. [n]
inline std::vector<std::uint8_t> flag_scores(std::span<const double> scores, double threshold) {
  std::vector<std::uint8_t> flags;
  for (const double score : scores) flags.push_back(score >= threshold ? 1 : 0);
  return flags;
}

}  // namespace faithful::testing
