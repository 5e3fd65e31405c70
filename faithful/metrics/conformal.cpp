#include "faithful/metrics/conformal.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/metrics/checks_internal.h"

namespace faithful {

namespace {

// The rank, from 1, of kept score number i of `kept`.
std::size_t rank_of_kept(std::size_t i, std::size_t kept, std::size_t count) {
  return ((i + 1) * count + kept - 1) / kept;
}

}  // namespace

std::vector<float> conformal_scores(const Matrix<float>& probabilities, std::span<const std::int32_t> labels) {
  metrics::check_same_size("probabilities", probabilities.rows, "labels", labels.size());
  metrics::check_classes("labels", labels, probabilities.columns);
  std::vector<float> all;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const float p = probabilities(i, static_cast<std::size_t>(labels[i]));
    if (!std::isfinite(p)) reject({{"probabilities"}, "finite numbers", fmt::format("{}", p)});
    all.push_back(std::clamp(1 - p, 0.0F, 1.0F));
  }
  std::ranges::sort(all);
  const std::size_t count = all.size(), kept = std::min(count, kMostConformalScores);
  for (std::size_t i = 0; i < kept; ++i) all[i] = all[rank_of_kept(i, kept, count) - 1];
  all.resize(kept);
  return all;
}

std::optional<float> conformal_limit(std::span<const float> scores, std::size_t count, double coverage) {
  assert(scores.size() == std::min(count, kMostConformalScores));
  metrics::check_share("coverage", coverage);
  constexpr double kRounding = 1e-9;  // of a product such as 10 * 0.9
  const double rank = std::ceil(static_cast<double>(count + 1) * coverage - kRounding);
  if (rank > static_cast<double>(count)) return std::nullopt;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (static_cast<double>(rank_of_kept(i, scores.size(), count)) >= rank) return scores[i];
  return std::nullopt;
}

}  // namespace faithful
