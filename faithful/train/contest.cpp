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

// Better than the first candidate by how much, and its standard error.
struct Lead {
  double difference = 0, error = 0;
};

// 1 where the most probable class is the label. [n]
std::vector<double> hits(const Candidate& candidate, std::span<const std::int32_t> labels) {
  const std::vector<std::int32_t> predicted = most_probable(candidate.held_out);
  std::vector<double> found(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) found[i] = predicted[i] == labels[i] ? 1 : 0;
  return found;
}

Lead lead_in_accuracy(const Candidate& other, const Candidate& first, std::span<const std::int32_t> labels) {
  std::vector<double> differences = hits(other, labels);
  const std::vector<double> base = hits(first, labels);
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] -= base[i];
  const Summary found = summarize(differences);
  return {found.mean, found.deviation / std::sqrt(static_cast<double>(found.count))};
}

// Whole events and whole stretches between them, over all parts.
std::vector<std::size_t> groups_of(const JobData& data) {
  std::vector<std::size_t> groups;
  for (const Windows* part : data.held_out()) {
    const std::size_t first = groups.empty() ? 0 : groups.back() + 1;
    for (const std::size_t number : stretch_numbers(*part)) groups.push_back(first + number);
  }
  return groups;
}

Lead lead_in_area(const Candidate& other, const Candidate& first, const JobData& data, ThreadPool& pool) {
  const std::vector<std::uint8_t> truth = flags_of(data.labels);
  const RankedScores a(scores_of(other.held_out), truth), b(scores_of(first.held_out), truth);
  constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  const Bootstrap found = bootstrap_groups(groups_of(data),
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

Contest judge(std::span<const Candidate> candidates, const JobData& data, ThreadPool& pool) {
  const std::vector<std::uint8_t> truth = flags_of(data.labels);
  const bool by_area = is_by_area(data.all.sets.train, truth);
  Contest contest;
  contest.measure = by_area ? "AUC-PR" : "accuracy";
  double most = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& one = candidates[i];
    const Lead lead = i == 0    ? Lead{}
                      : by_area ? lead_in_area(one, candidates[0], data, pool)
                                : lead_in_accuracy(one, candidates[0], data.labels);
    const double value = by_area ? RankedScores(scores_of(one.held_out), truth).average_precision().value_or(0)
                                 : summarize(hits(one, data.labels)).mean;
    contest.rows.push_back(
        {one.name, value, mean_loss(log_losses(one.held_out, data.labels)), lead.difference, lead.error, false});
    if (lead.difference > lead.error && lead.difference > most) {
      most = lead.difference;
      contest.winner = i;
    }
  }
  contest.rows[contest.winner].kept = true;
  return contest;
}

}  // namespace faithful::train
