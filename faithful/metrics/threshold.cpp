#include "faithful/metrics/threshold.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/number.h"
#include "faithful/base/random.h"
#include "faithful/metrics/bootstrap.h"
#include "faithful/metrics/checks_internal.h"
#include "faithful/metrics/events.h"
#include "faithful/metrics/ranking.h"

namespace faithful {

namespace {

double log_odds(double probability) {
  constexpr double kMost = 16.6;  // where a float is 1
  return std::clamp(std::log(probability) - std::log1p(-probability), -kMost, kMost);
}

double probability_of(double odds) {
  return 1 / (1 + std::exp(-odds));
}

// All scores one after the other, as log odds, with their truth and their stretch.
struct Pooled {
  std::vector<double> scores, odds;
  std::vector<std::uint8_t> truth;
  std::vector<std::size_t> stretch_of;
  std::size_t events = 0, normal_stretches = 0;
};

Pooled pool(std::span<const ScoredTimeline> timelines) {
  Pooled all;
  std::vector<Timeline> lines;
  for (const ScoredTimeline& line : timelines) {
    metrics::check_same_size("scores", line.scores.size(), "truth", line.truth.size());
    for (std::size_t i = 0; i < line.scores.size(); ++i) {
      if (!(line.scores[i] >= 0 && line.scores[i] <= 1))
        reject({{"scores"}, "probabilities", fmt::format("{}", line.scores[i])});
      all.scores.push_back(line.scores[i]);
      all.odds.push_back(log_odds(line.scores[i]));
      all.truth.push_back(line.truth[i]);
      if (i > 0 && line.truth[i] == line.truth[i - 1]) continue;
      ++(line.truth[i] == 1 ? all.events : all.normal_stretches);
    }
    lines.push_back({line.truth, line.truth});
  }
  all.stretch_of = stretches(lines);
  return all;
}

// ---- smoothed F1

// Log odds in bins of equal width; the kernels of both classes, by distance in bins.
class SmoothedF1 {
 public:
  explicit SmoothedF1(const Pooled& all) : all_(all) {
    const auto [low, high] = std::minmax_element(all.odds.begin(), all.odds.end());
    low_ = *low;
    step_ = (*high - *low) / (kBins - 1);
    std::array<double, 2> width = {deviation(0), deviation(1)};
    const double both = std::sqrt((width[0] * width[0] + width[1] * width[1]) / 2);
    const std::array<std::size_t, 2> stretches = {all.normal_stretches, all.events};
    for (std::size_t k = 0; k < 2; ++k) {
      constexpr double kSilverman = 1.06, kShare = 0.6, kLeast = 0.3;  // docs/metrics.md has the simulation
      width[k] =
          kShare * kSilverman * std::max(width[k], kLeast * both) * std::pow(static_cast<double>(stretches[k]), -0.2);
      for (std::size_t d = 0; d < 2 * kBins - 1; ++d) {
        const double distance = (static_cast<double>(d) - (kBins - 1)) * step_;  // of the score above the threshold
        kernel_[k][d] = width[k] > 0 ? 1 / (1 + std::exp(-distance / (kLogistic * width[k]))) : distance >= 0;
      }
    }
  }

  // Threshold of the largest F1, as a probability; counts [n]: how often each window counts. NaN without positives.
  double operator()(std::span<const double> counts) const {
    std::array<std::array<double, kBins>, 2> sums = {};
    double positives = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      sums[all_.truth[i]][bin_of(all_.odds[i])] += counts[i];
      positives += all_.truth[i] == 1 ? counts[i] : 0;
    }
    if (positives == 0) return std::numeric_limits<double>::quiet_NaN();
    double best = -1;
    std::size_t at = 0;
    for (std::size_t j = 0; j < kBins; ++j) {
      std::array<double, 2> flagged = {0, 0};
      for (std::size_t k = 0; k < 2; ++k)
        for (std::size_t b = 0; b < kBins; ++b) flagged[k] += sums[k][b] * kernel_[k][kBins - 1 + b - j];
      const double f1 = 2 * flagged[1] / (positives + flagged[0] + flagged[1]);
      if (f1 > best) best = f1, at = j;
    }
    return probability_of(low_ + step_ * static_cast<double>(at));
  }

 private:
  static constexpr std::size_t kBins = 256;
  static constexpr double kLogistic = 0.5875;  // scale of the logistic distribution nearest to a normal one

  std::size_t bin_of(double odds) const {
    return step_ > 0 ? static_cast<std::size_t>(std::lround((odds - low_) / step_)) : 0;
  }

  double deviation(std::uint8_t of) const {
    std::vector<double> values;
    for (std::size_t i = 0; i < all_.odds.size(); ++i)
      if (all_.truth[i] == of) values.push_back(all_.odds[i]);
    return values.size() < 2 ? 0 : summarize(values).deviation;
  }

  const Pooled& all_;
  double low_ = 0, step_ = 0;
  std::array<std::array<double, 2 * kBins - 1>, 2> kernel_ = {};
};

// The middle, in log odds, between the two neighbouring scores that a threshold lies between: the same decisions, as far
// from both as can be. No model is as sure as it says: scores above .99 or below .01 count as these, as long as the middle
// then lies between the two.
double centred(const Pooled& all, double threshold) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const double odds = log_odds(threshold);
  double below = -kNone, above = kNone;
  for (const double each : all.odds) {
    if (each < odds) below = std::max(below, each);
    if (each >= odds) above = std::min(above, each);
  }
  if (below == -kNone || above == kNone) return threshold;
  static const double sure = log_odds(0.99);
  const double middle = (std::clamp(below, -sure, sure) + std::clamp(above, -sure, sure)) / 2;
  return probability_of(below < middle && middle < above ? middle : (below + above) / 2);
}

std::optional<SmoothedThreshold> smoothed_of(const Pooled& all, std::size_t resamples, std::uint64_t seed) {
  if (all.events == 0 || all.normal_stretches == 0) return std::nullopt;
  const SmoothedF1 statistic(all);
  ThreadPool alone(1);
  const Bootstrap found =
      bootstrap_groups(all.stretch_of, [&](std::span<const double> counts) { return statistic(counts); },
                       {.resamples = resamples, .seed = seed, .pool = &alone});
  const double value = centred(all, found.value);
  return SmoothedThreshold{value, {std::min(found.interval.low, value), std::max(found.interval.high, value)}};
}

// ---- the curve

// Thresholds between neighbouring distinct scores, falling: all of the highest ones, then ever fewer.
std::vector<double> thresholds_of(std::vector<double> scores) {
  constexpr double kGrowth = 1.05;
  std::ranges::sort(scores, std::greater{});
  scores.erase(std::unique(scores.begin(), scores.end()), scores.end());
  std::vector<double> thresholds;
  for (std::size_t k = 0; k + 1 < scores.size();
       k = std::max(k + 1, static_cast<std::size_t>(kGrowth * static_cast<double>(k))))
    thresholds.push_back(std::max((scores[k] + scores[k + 1]) / 2, std::nextafter(scores[k + 1], 1.0)));
  thresholds.push_back(scores.back());
  return thresholds;
}

ThresholdPoint point_at(std::span<const ScoredTimeline> timelines, double threshold) {
  std::vector<std::vector<std::uint8_t>> flags;
  std::vector<Timeline> lines;
  Confusion sum;
  for (const ScoredTimeline& line : timelines) {
    std::vector<std::uint8_t>& own = flags.emplace_back();
    for (const double score : line.scores) own.push_back(score >= threshold ? 1 : 0);
    sum += confusion(line.truth, own);
  }
  for (std::size_t i = 0; i < timelines.size(); ++i) lines.push_back({timelines[i].truth, flags[i]});
  const EventScores events = event_scores(lines);
  return {threshold, sum.precision(), sum.recall(), events.detected, events.false_alarms};
}

// ---- rules

std::string number_text(double number) {
  return fmt::format("{:g}", number);
}

std::string amount_text(const ThresholdRule& rule) {
  return number_text(rule.value) + (rule.per_day ? "/day" : "/1000samples");
}

[[noreturn]] void reject_rule(std::string_view text) {
  reject({{.field = "threshold"},
          "a number from 0 to 1, f1, false-alarms=N/day or false-alarms=N/1000samples",
          quote(text)});
}

// Goes down from the highest threshold as long as there are at most `most` false alarms. Lower ones join alarms until one
// covers everything, and no alarm is false: it stops where half of them have gone. Of equal recall, the highest.
double by_false_alarms(const ThresholdCurve& curve, double most) {
  double chosen = 1, recall = -1;
  std::size_t peak = 0;
  for (const ThresholdPoint& point : curve.points) {
    peak = std::max(peak, point.false_alarms);
    if (static_cast<double>(point.false_alarms) > most || 2 * point.false_alarms < peak) break;
    if (point.recall > recall) chosen = point.threshold, recall = point.recall;
  }
  return chosen;
}

std::string warning_of(const ThresholdCurve& curve, double threshold) {
  if (curve.points.empty()) return "";
  if (threshold <= curve.lowest_normal)
    return fmt::format("threshold {:.3g} flags every normal window of the validation part (the lowest scores {:.3g})",
                       threshold, curve.lowest_normal);
  if (threshold > curve.highest_anomalous)
    return fmt::format("threshold {:.3g} flags no anomalous window of the validation part (the highest scores {:.3g})",
                       threshold, curve.highest_anomalous);
  return "";
}

}  // namespace

double ThresholdCurve::false_alarm_rate(const ThresholdPoint& point) const {
  return static_cast<double>(point.false_alarms) / (days > 0 ? days : samples / 1000);
}

std::string ThresholdCurve::rate_unit() const {
  return days > 0 ? "a day" : "per 1000 samples";
}

std::optional<SmoothedThreshold> smoothed_f1_threshold(std::span<const ScoredTimeline> timelines, std::size_t resamples,
                                                       std::uint64_t seed) {
  return smoothed_of(pool(timelines), resamples, seed);
}

ThresholdCurve threshold_curve(std::span<const ScoredTimeline> timelines, double samples, double days) {
  constexpr std::size_t kResamples = 200;
  const Pooled all = pool(timelines);
  ThresholdCurve curve{.windows = all.scores.size(), .events = all.events, .samples = samples, .days = days};
  curve.positives = static_cast<std::size_t>(std::ranges::count(all.truth, 1));
  if (all.events == 0 || all.normal_stretches == 0) return curve;
  curve.lowest_normal = 1;
  for (std::size_t i = 0; i < all.scores.size(); ++i) {
    if (all.truth[i] == 1) curve.highest_anomalous = std::max(curve.highest_anomalous, all.scores[i]);
    if (all.truth[i] == 0) curve.lowest_normal = std::min(curve.lowest_normal, all.scores[i]);
  }
  for (const double threshold : thresholds_of(all.scores)) curve.points.push_back(point_at(timelines, threshold));
  if (const auto smoothed = smoothed_of(all, kResamples, 1)) {
    curve.smoothed_f1 = smoothed->value;
    curve.smoothed_f1_interval = smoothed->interval;
  }
  return curve;
}

ThresholdRule parse_threshold_rule(std::string_view text) {
  constexpr std::string_view kAlarms = "false-alarms=", kDay = "/day", kSamples = "/1000samples";
  if (text == "auto") return {};
  if (text == "f1") return {.kind = ThresholdKind::kF1};
  if (text == "best-f1") return {.kind = ThresholdKind::kBestF1};
  if (text.starts_with(kAlarms)) {
    std::string_view amount = text.substr(kAlarms.size());
    const bool per_day = amount.ends_with(kDay);
    if (!per_day && !amount.ends_with(kSamples)) reject_rule(text);
    amount.remove_suffix(per_day ? kDay.size() : kSamples.size());
    const std::optional<double> number = parse_number<double>(amount);
    if (!number || !std::isfinite(*number) || *number < 0) reject_rule(text);
    return {ThresholdKind::kFalseAlarms, *number, per_day};
  }
  const std::optional<double> number = parse_number<double>(text);
  if (!number || !(*number >= 0 && *number <= 1)) reject_rule(text);
  return {ThresholdKind::kValue, *number, false};
}

std::string to_string(const ThresholdRule& rule) {
  switch (rule.kind) {
    case ThresholdKind::kAuto:
      return "auto";
    case ThresholdKind::kValue:
      return number_text(rule.value);
    case ThresholdKind::kF1:
      return "f1";
    case ThresholdKind::kBestF1:
      return "best-f1";
    case ThresholdKind::kFalseAlarms:
      return "false-alarms=" + amount_text(rule);
  }
  return "";
}

ChosenThreshold choose_threshold(const ThresholdCurve& curve, const ThresholdRule& rule) {
  ChosenThreshold chosen;
  if (rule.kind == ThresholdKind::kValue) {
    chosen = {rule.value, "given", ""};
  } else if (curve.points.empty()) {
    reject({{.field = "threshold"},
            "a number, because the validation part does not have both classes",
            quote(to_string(rule))});
  } else if (rule.kind == ThresholdKind::kF1) {
    const Interval interval = *curve.smoothed_f1_interval;
    chosen = {*curve.smoothed_f1,
              fmt::format("largest smoothed F1 on validation, {}; 95 % interval {:.3g} to {:.3g}",
                          counted(curve.events, "event"), interval.low, interval.high),
              ""};
  } else if (rule.kind == ThresholdKind::kFalseAlarms) {
    if (rule.per_day && curve.days == 0)
      reject({{.field = "threshold"},
              "false-alarms=N/1000samples, because the training data has no times",
              quote(to_string(rule))});
    chosen = {by_false_alarms(curve, rule.value * (rule.per_day ? curve.days : curve.samples / 1000)),
              fmt::format("at most {:g} false alarms {} on validation", rule.value,
                          rule.per_day ? "a day" : "per 1000 samples"),
              ""};
  } else {
    reject({{.field = "threshold"},
            "a number, f1, false-alarms=N/day or false-alarms=N/1000samples",
            quote(to_string(rule)),
            "only a training can take it"});
  }
  chosen.warning = warning_of(curve, chosen.value);
  return chosen;
}

}  // namespace faithful
