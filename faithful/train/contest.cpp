#include <algorithm>
#include <cmath>
#include <limits>

#include "faithful/evaluate/scores.h"
#include "faithful/metrics/bootstrap.h"
#include "faithful/metrics/calibration.h"
#include "faithful/metrics/decide.h"
#include "faithful/metrics/ranking.h"
#include "faithful/metrics/summary.h"
#include "faithful/train/candidate_internal.h"

namespace faithful::train {

namespace {

// 1 where the most probable class is the label. [n]
std::vector<double> hits(const Candidate& candidate, std::span<const std::int32_t> labels) {
  const std::vector<std::int32_t> predicted = most_probable(candidate.held_out);
  std::vector<double> found(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) found[i] = predicted[i] == labels[i] ? 1 : 0;
  return found;
}

Lead lead_in(std::vector<double> more, std::span<const double> less, const JobData& data) {
  for (std::size_t i = 0; i < more.size(); ++i) more[i] -= less[i];
  return lead_of(more, data.groups());
}

Lead lead_in_area(const Candidate& other, const Candidate& first, const JobData& data, ThreadPool& pool) {
  const std::vector<std::uint8_t> truth = flags_of(data.labels);
  const RankedScores a(scores_of(other.held_out), truth), b(scores_of(first.held_out), truth);
  constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  const Bootstrap found = bootstrap_groups(data.groups(),
                                           [&](std::span<const double> counts) {
                                             return a.average_precision(counts).value_or(kUndefined) -
                                                    b.average_precision(counts).value_or(kUndefined);
                                           },
                                           {.resamples = 200, .pool = &pool});
  return {found.value, found.deviation};
}

// Where few windows are positive, all models have nearly the same accuracy: that of "always no".
bool is_by_area(const Windows& train, std::span<const std::uint8_t> truth) {
  const auto positives = static_cast<std::size_t>(std::ranges::count(truth, 1));
  constexpr std::size_t kRare = 4;  // one of so many, at most
  return positives > 0 &&
         (train.dataset().has_point_labels() || (train.classes() == 2 && kRare * positives <= truth.size()));
}

}  // namespace

Contest judge(std::vector<Candidate>& candidates, const JobData& data, ThreadPool& pool) {
  const std::vector<std::uint8_t> truth = flags_of(data.labels);
  const bool by_area = is_by_area(data.all.sets.train, truth);
  Contest contest;
  contest.measure = by_area ? "AUC-PR" : "accuracy";
  const auto row_of = [&](const Candidate& one, const Candidate* other) {
    ContestRow row{.name = one.name, .log_loss = mean_loss(log_losses(one.held_out, data.labels))};
    row.value = by_area ? RankedScores(scores_of(one.held_out), truth).average_precision().value_or(0)
                        : summarize(hits(one, data.labels)).mean;
    if (other == nullptr) return row;
    row.against = other->name;
    row.lead = by_area ? lead_in_area(one, *other, data, pool)
                       : lead_in(hits(one, data.labels), hits(*other, data.labels), data);
    if (!by_area)
      row.log_loss_lead =
          lead_in(log_losses(other->held_out, data.labels), log_losses(one.held_out, data.labels), data);
    return row;
  };
  double most = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Lead lead = contest.rows.emplace_back(row_of(candidates[i], i == 0 ? nullptr : &candidates[0])).lead;
    if (lead.is_clear() && lead.difference > most) {
      most = lead.difference;
      contest.winner = i;
    }
  }
  if (!by_area) {
    candidates.push_back(mix(candidates[0], candidates[1], data));
    const ContestRow& row = contest.rows.emplace_back(row_of(candidates.back(), &candidates[contest.winner]));
    if (row.lead.is_clear() || (row.lead.difference >= 0 && row.log_loss_lead->is_clear()))
      contest.winner = candidates.size() - 1;
  }
  contest.rows[contest.winner].kept = true;
  return contest;
}

}  // namespace faithful::train
