#include "faithful/diagnose/diagnosis_score.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "faithful/diagnose/suspects.h"

namespace faithful {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Samples that lie in `span` and in one of the spans, which are apart.
std::size_t common_samples(const Range& span, std::span<const Range> spans) {
  std::size_t count = 0;
  for (const Range& other : spans) {
    const std::size_t begin = std::max(span.begin, other.begin), end = std::min(span.end, other.end);
    if (begin < end) count += end - begin;
  }
  return count;
}

double overlap_share(const Range& span, std::span<const Range> spans) {
  const std::size_t common = common_samples(span, spans);
  std::size_t either = span.length() - common;
  for (const Range& other : spans) either += other.length();
  return static_cast<double>(common) / static_cast<double>(either);
}

bool points_at_fault(const Range& piece, const AlarmTruth& truth) {
  const std::size_t middle = (piece.begin + piece.end) / 2;
  return common_samples({middle, middle + 1}, truth.spans) > 0;
}

// How many sensors the measure looks at.
std::size_t looked_at(DiagnosisMeasure measure, std::size_t at_fault, std::size_t sensors) {
  const std::size_t count = measure == kHit1     ? 1
                            : measure == kHit3   ? 3
                            : measure == kHit100 ? at_fault
                                                 : at_fault * 3 / 2;
  return std::min(count, sensors);
}

// Adds a stretch to spans that are in order, joined where they touch.
void add_span(std::vector<Range>& spans, const Range& more) {
  if (!spans.empty() && more.begin <= spans.back().end) {
    spans.back().end = std::max(spans.back().end, more.end);
  } else {
    spans.push_back(more);
  }
}

template <class T>
void add_once(std::vector<T>& all, const T& one) {
  if (std::ranges::find(all, one) == all.end()) all.push_back(one);
}

}  // namespace

std::optional<AlarmTruth> truth_of(const Series& series, const Alarm& alarm, std::size_t class_number) {
  if (series.labels.empty() && series.label == kNoLabel) return {};
  AlarmTruth truth;
  if (series.labels.empty() && series.label != static_cast<std::int32_t>(class_number)) {
    truth.is_false = true;
    return truth;
  }
  // Point labels are what detection is scored by; spans know more about some of them.
  std::vector<LabelSpan> spans = series.spans;
  if (spans.empty()) spans = spans_of(series.labels);
  for (const LabelSpan& span : spans) {
    const std::size_t begin = std::max(span.begin, alarm.span.begin), end = std::min(span.end, alarm.span.end);
    if (begin >= end) continue;
    add_span(truth.spans, {begin, end});
    for (const std::size_t channel : span.channels) add_once(truth.sensors, channel);
    if (!span.kind.empty()) add_once(truth.kinds, span.kind);
  }
  std::ranges::sort(truth.sensors);
  truth.is_false = !series.labels.empty() && truth.spans.empty();
  return truth;
}

MeasureRow score_answer(const MethodAnswer& answer, std::span<const Range> pieces, const AlarmTruth& truth) {
  MeasureRow row;
  row.fill(kNone);
  if (!answer.sensors.empty() && !truth.sensors.empty()) {
    const std::vector<std::size_t> order = order_of(answer.sensors);
    for (const DiagnosisMeasure measure : {kHit1, kHit3, kHit100, kHit150}) {
      double hits = 0;
      for (std::size_t i = 0; i < looked_at(measure, truth.sensors.size(), order.size()); ++i)
        hits += std::ranges::binary_search(truth.sensors, order[i]) ? 1 : 0;
      const bool any = measure == kHit1 || measure == kHit3;
      row[measure] = any ? std::min(hits, 1.0) : hits / static_cast<double>(truth.sensors.size());
    }
  }
  if (!answer.times.empty() && !truth.spans.empty()) {
    std::vector<double> densities;
    for (std::size_t i = 0; i < pieces.size(); ++i)
      densities.push_back(answer.times[i] / static_cast<double>(pieces[i].length()));
    row[kPointing] = points_at_fault(pieces[order_of(densities)[0]], truth) ? 1 : 0;
    row[kOverlap] = answer.spans.empty() ? 0 : overlap_share(answer.spans[0].span, truth.spans);
  }
  return row;
}

MeasureRow random_scores(std::size_t sensors, std::span<const Range> pieces, const AlarmTruth& truth,
                         std::size_t length, const Range& within) {
  MeasureRow row;
  row.fill(kNone);
  if (!truth.sensors.empty()) {
    const std::size_t at_fault = truth.sensors.size();
    for (const DiagnosisMeasure measure : {kHit1, kHit3}) {
      double none = 1;  // P(the first k are all sound), drawn one after the other
      for (std::size_t i = 0; i < looked_at(measure, at_fault, sensors); ++i)
        none *= static_cast<double>(sensors - std::min(sensors, at_fault + i)) / static_cast<double>(sensors - i);
      row[measure] = 1 - none;
    }
    for (const DiagnosisMeasure measure : {kHit100, kHit150})
      row[measure] = static_cast<double>(looked_at(measure, at_fault, sensors)) / static_cast<double>(sensors);
  }
  if (!truth.spans.empty()) {
    double pointing = 0, overlap = 0;
    for (const Range& piece : pieces) pointing += points_at_fault(piece, truth) ? 1 : 0;
    row[kPointing] = pointing / static_cast<double>(pieces.size());
    length = std::clamp<std::size_t>(length, 1, within.length());
    const std::size_t places = within.length() - length + 1;
    for (std::size_t i = 0; i < places; ++i)
      overlap += overlap_share({within.begin + i, within.begin + i + length}, truth.spans);
    row[kOverlap] = overlap / static_cast<double>(places);
  }
  return row;
}

namespace {

// Rows of one method, one for each alarm.
struct MethodRows {
  std::string method;
  std::vector<MeasureRow> rows;
};

std::vector<double> column(const MethodRows& method, std::size_t measure) {
  std::vector<double> values;
  for (const MeasureRow& row : method.rows) values.push_back(row[measure]);
  return values;
}

// The mean over alarms that have a value; none where none has.
std::optional<Bootstrap> mean_over_alarms(const std::vector<double>& values, const BootstrapOptions& options) {
  if (std::ranges::all_of(values, [](double value) { return std::isnan(value); })) return {};
  return bootstrap(
      values.size(),
      [&](std::span<const double> counts) {
        double sum = 0, weight = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
          if (std::isnan(values[i])) continue;
          sum += counts[i] * values[i];
          weight += counts[i];
        }
        return sum / weight;  // NaN where the resample has no such alarm
      },
      options);
}

ScoredMethod scored(const MethodRows& method, const BootstrapOptions& options) {
  ScoredMethod result{method.method, {}};
  for (std::size_t m = 0; m < kDiagnosisMeasures; ++m)
    result.measures[m] = mean_over_alarms(column(method, m), options);
  return result;
}

std::optional<Bootstrap> difference(const MethodRows& method, const MethodRows& other, std::size_t measure,
                                    const BootstrapOptions& options) {
  std::vector<double> values = column(method, measure);
  const std::vector<double> others = column(other, measure);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= others[i];
  return mean_over_alarms(values, options);
}

// All rows, in the order of DiagnosisScores: methods, then baselines.
std::vector<MethodRows> rows_of(std::span<const Diagnosis> diagnoses,
                                std::span<const std::optional<AlarmTruth>> truths) {
  std::vector<MethodRows> all;
  for (std::size_t d = 0; d < diagnoses.size(); ++d) {
    if (!truths[d] || truths[d]->is_false) continue;
    const Diagnosis& one = diagnoses[d];
    std::vector<const MethodAnswer*> answers = {&one.together};
    for (const MethodAnswer& answer : one.methods) answers.push_back(&answer);
    for (const MethodAnswer& answer : one.baselines) answers.push_back(&answer);
    if (all.empty()) {
      for (const MethodAnswer* answer : answers) all.push_back({answer->method, {}});
      all.push_back({"random", {}});
    }
    for (std::size_t m = 0; m < answers.size(); ++m)
      all[m].rows.push_back(score_answer(*answers[m], one.pieces, *truths[d]));
    const std::size_t length =
        one.together.spans.empty() ? one.pieces[0].length() : one.together.spans[0].span.length();
    all.back().rows.push_back(
        random_scores(one.baselines[0].sensors.size(), one.pieces, *truths[d], length, one.alarm.span));
  }
  return all;
}

}  // namespace

std::optional<DiagnosisScores> score_diagnoses(std::span<const Diagnosis> diagnoses,
                                               std::span<const std::optional<AlarmTruth>> truths,
                                               const BootstrapOptions& options) {
  assert(diagnoses.size() == truths.size());
  DiagnosisScores scores;
  for (const std::optional<AlarmTruth>& truth : truths) {
    if (!truth) continue;
    ++(truth->is_false ? scores.false_alarms : scores.alarms);
    scores.with_sensors += truth->sensors.empty() ? 0 : 1;
    scores.in_time += truth->spans.empty() ? 0 : 1;
  }
  if (scores.with_sensors + scores.in_time == 0) return {};
  const std::vector<MethodRows> all = rows_of(diagnoses, truths);
  const std::size_t methods = all.size() - 3;  // behind them two deviations and random
  for (std::size_t m = 0; m < all.size(); ++m)
    (m < methods ? scores.methods : scores.baselines).push_back(scored(all[m], options));
  for (std::size_t m = 0; m < methods; ++m) {
    ScoredDifference to_random{all[m].method, "random", {}}, to_deviation{all[m].method, "deviation", {}};
    for (std::size_t i = 0; i < kDiagnosisMeasures; ++i) {
      const auto value = [&](std::size_t b) {
        return scores.baselines[b].measures[i] ? scores.baselines[b].measures[i]->value : 0;
      };
      const MethodRows& deviation = all[methods + (value(1) > value(0) ? 1 : 0)];
      to_random.measures[i] = difference(all[m], all.back(), i, options);
      to_deviation.measures[i] = difference(all[m], deviation, i, options);
    }
    scores.differences.push_back(std::move(to_random));
    scores.differences.push_back(std::move(to_deviation));
  }
  return scores;
}

}  // namespace faithful
