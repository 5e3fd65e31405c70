#include "faithful/metrics/ranking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "faithful/base/error.h"
#include "faithful/metrics/checks_internal.h"

namespace faithful {

namespace {

// Above `low`, at most `high`: halfway, also where that rounds to `low` or where high - low overflows.
double between(double low, double high) {
  const double middle = low / 2 + high / 2;
  return middle > low && middle <= high ? middle : high;
}

}  // namespace

RankedScores::RankedScores(std::span<const double> scores, std::span<const std::uint8_t> truth) {
  metrics::check_same_size("scores", scores.size(), "truth", truth.size());
  metrics::check_finite("scores", scores);
  metrics::check_flags("truth", truth);
  order_.resize(scores.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  // By index among equals, so that sums of weights are added in one order everywhere.
  std::sort(order_.begin(), order_.end(),
            [&](std::size_t a, std::size_t b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
  scores_.reserve(scores.size());
  truth_.reserve(scores.size());
  for (const std::size_t i : order_) {
    scores_.push_back(scores[i]);
    truth_.push_back(truth[i]);
  }
}

std::vector<RankedScores::Step> RankedScores::steps(std::span<const double> weights) const {
  metrics::check_weights(weights, order_.size());
  std::vector<Step> all;
  Step now{0, 0, 0};
  double here = 0;  // weight of the samples with this score
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const double weight = metrics::weight_of(weights, order_[i]);
    (truth_[i] == 1 ? now.true_positive : now.false_positive) += weight;
    here += weight;
    if (i + 1 < order_.size() && scores_[i + 1] == scores_[i]) continue;
    now.score = scores_[i];
    if (here > 0) all.push_back(now);
    here = 0;
  }
  return all;
}

std::vector<PrPoint> RankedScores::pr_curve(std::span<const double> weights) const {
  const std::vector<Step> all = steps(weights);
  if (all.empty() || all.back().true_positive == 0) return {};
  std::vector<PrPoint> points = {{std::numeric_limits<double>::infinity(), 1, 0}};
  points.reserve(all.size() + 1);
  for (const Step& step : all) {
    points.push_back({step.score, step.true_positive / (step.true_positive + step.false_positive),
                      step.true_positive / all.back().true_positive});
  }
  return points;
}

std::vector<RocPoint> RankedScores::roc_curve(std::span<const double> weights) const {
  const std::vector<Step> all = steps(weights);
  if (all.empty() || all.back().true_positive == 0 || all.back().false_positive == 0) return {};
  std::vector<RocPoint> points = {{std::numeric_limits<double>::infinity(), 0, 0}};
  points.reserve(all.size() + 1);
  for (const Step& step : all) {
    points.push_back(
        {step.score, step.false_positive / all.back().false_positive, step.true_positive / all.back().true_positive});
  }
  return points;
}

std::optional<double> RankedScores::average_precision(std::span<const double> weights) const {
  const std::vector<Step> all = steps(weights);
  if (all.empty() || all.back().true_positive == 0) return std::nullopt;
  double sum = 0, before = 0;
  for (const Step& step : all) {
    sum += (step.true_positive - before) * (step.true_positive / (step.true_positive + step.false_positive));
    before = step.true_positive;
  }
  return sum / all.back().true_positive;
}

std::optional<double> RankedScores::auc_roc(std::span<const double> weights) const {
  const std::vector<Step> all = steps(weights);
  if (all.empty() || all.back().true_positive == 0 || all.back().false_positive == 0) return std::nullopt;
  double sum = 0;
  Step before{0, 0, 0};
  for (const Step& step : all) {
    sum += (step.false_positive - before.false_positive) * (step.true_positive + before.true_positive) / 2;
    before = step;
  }
  return sum / all.back().true_positive / all.back().false_positive;
}

std::optional<Threshold> RankedScores::best_f1(std::span<const double> weights) const {
  const std::vector<Step> all = steps(weights);
  if (all.empty() || all.back().true_positive == 0) return std::nullopt;
  std::size_t best = 0;
  double best_f1 = -1;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const double flagged = all[k].true_positive + all[k].false_positive;
    const double f1 = 2 * all[k].true_positive / (all.back().true_positive + flagged);
    if (f1 <= best_f1) continue;
    best = k;
    best_f1 = f1;
  }
  const bool flags_all = best + 1 == all.size();
  return Threshold{flags_all ? all[best].score : between(all[best + 1].score, all[best].score), best_f1};
}

}  // namespace faithful
