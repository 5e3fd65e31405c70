#include "faithful/diagnose/words.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/utf8.h"
#include "faithful/data/times.h"
#include "faithful/diagnose/diagnosis_score.h"
#include "faithful/diagnose/suspects.h"
#include "faithful/report/text.h"

namespace faithful {

Clock::Clock(const Dataset& dataset, const Series& series) : series_(series), rate_(dataset.rate) {}

std::size_t Clock::inside(std::size_t sample) const {
  return std::min(sample, series_.length() - 1);
}

double Clock::at(std::size_t sample) const {
  constexpr double kNanoseconds = 1e9;
  if (!series_.times.empty())  // since the first: 64-bit nanoseconds are too long for an axis
    return static_cast<double>(nanoseconds_between(series_.times.front(), series_.times[inside(sample)])) /
           kNanoseconds;
  return rate_ > 0 ? static_cast<double>(sample) / rate_ : static_cast<double>(sample);
}

std::string Clock::axis_label() const {
  if (!series_.times.empty()) return "time since " + format_time(series_.times.front());
  return rate_ > 0 ? "time" : "sample";
}

std::string Clock::axis_unit() const {
  return !series_.times.empty() || rate_ > 0 ? "s" : "";
}

std::string Clock::text(std::size_t sample) const {
  if (!series_.times.empty()) return format_time(series_.times[inside(sample)]);
  if (rate_ > 0) return fmt::format("{:g} s", std::round(at(sample) * 1000) / 1000);
  return fmt::format("sample {}", sample);
}

std::string Clock::span_text(const Range& span) const {
  if (!series_.times.empty()) return text(span.begin) + " to " + text(span.end - 1);
  if (rate_ > 0) return text(span.begin) + " to " + text(span.end);
  return fmt::format("samples {} to {}", span.begin, span.end - 1);
}

std::string Clock::span_words(const std::vector<SuspectedSpan>& spans) const {
  return spans.empty() ? "" : span_text(spans[0].span);
}

std::vector<std::size_t> first_sensors(const MethodAnswer& answer) {
  std::vector<std::size_t> order = order_of(answer.sensors);
  constexpr std::size_t kMost = 3;
  std::size_t count = 1;
  while (count < std::min(order.size(), kMost) && answer.sensors[order[count]] >= answer.sensors[order[0]] / 2 &&
         answer.sensors[order[count]] > 0)
    ++count;
  order.resize(std::min(order.size(), count));
  return order;
}

std::string listed(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  if (names.size() == 1) return names[0];
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

namespace {

// Their names; of many the first ones.
std::vector<std::string> names_of(const Dataset& dataset, const std::vector<std::size_t>& sensors) {
  constexpr std::size_t kMost = 6;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kMost, sensors.size()); ++i)
    names.push_back(printable(dataset.channels[sensors[i]]));
  if (sensors.size() > kMost) names.push_back(fmt::format("{} more", sensors.size() - kMost));
  return names;
}

// What methods that name another sensor first say: "attention and gradient name Az first".
std::string dissent(const DiagnosisReport& report, const Diagnosis& one) {
  const std::size_t first = order_of(one.together.sensors)[0];
  std::map<std::size_t, std::vector<std::string>> others;  // sensor -> methods
  for (const MethodAnswer& method : one.methods) {
    if (method.sensors.empty()) continue;
    const std::size_t its_first = order_of(method.sensors)[0];
    if (its_first != first && method.sensors[its_first] > 0) others[its_first].push_back(method.method);
  }
  std::vector<std::string> words;
  for (const auto& [sensor, methods] : others)
    words.push_back(fmt::format("{} {} {} first", listed(methods), methods.size() == 1 ? "names" : "name",
                                printable(report.dataset.channels[sensor])));
  return words.empty() ? "" : fmt::format(" The methods do not agree: {}.", fmt::join(words, ", "));
}

std::string no_alarm_words(const DiagnosisReport& report) {
  if (!report.surest) return "no alarm: there is no window of the series asked for";
  // Rounded down, so that it is an alarm then.
  const double above = std::floor(report.surest->score * 1e4) / 1e4;
  return fmt::format("no alarm: the highest score is {} ({}), below the threshold {}; {} looks into it",
                     number_text(report.surest->score, 3), printable(report.dataset.series[report.surest->series].name),
                     number_text(report.threshold, 3), field_text("above", fmt::format("{}", above)));
}

}  // namespace

std::string summary_words(const DiagnosisReport& report) {
  if (report.found.empty()) return no_alarm_words(report);
  std::string text =
      fmt::format("{} {} of at least {}; normal is {}", report.alarms, report.alarms == 1 ? "alarm" : "alarms",
                  number_text(report.threshold, 3), report.normal.from);
  if (report.found.size() < report.alarms)
    text += fmt::format("\nthe {} surest are looked into: {}", report.found.size(), field_text("most", "N"));
  return text;
}

std::string advice(const DiagnosisReport& report, std::size_t number) {
  const Diagnosis& one = report.found[number];
  const Series& series = report.series_of(one);
  const Clock clock(report.dataset, series);
  const bool whole = one.alarm.span.length() == series.length();
  std::string text = fmt::format("{}{} looks {} ({}). ", printable(series.name),
                                 whole ? "" : ", " + clock.span_text(one.alarm.span) + ",",
                                 printable(report.class_name()), number_text(one.alarm.score, 3));
  const std::string when = clock.span_words(one.together.spans);
  text += fmt::format("Look first at {}{}.", listed(names_of(report.dataset, first_sensors(one.together))),
                      when.empty() ? "; no time stands out" : ", " + when);
  return text + dissent(report, one);
}

std::string truth_words(const DiagnosisReport& report, std::size_t number) {
  if (!report.truths[number]) return "";
  const AlarmTruth& truth = *report.truths[number];
  if (truth.is_false) return "According to the labels nothing was wrong there: this is a false alarm.";
  if (truth.sensors.empty() && truth.spans.empty()) return "";
  const Diagnosis& one = report.found[number];
  const Clock clock(report.dataset, report.series_of(one));
  std::string text = "The fault according to the labels:";
  if (!truth.kinds.empty()) text += " " + printable(listed(truth.kinds));
  if (!truth.sensors.empty())
    text += fmt::format("{} {}", truth.kinds.empty() ? "" : " at", listed(names_of(report.dataset, truth.sensors)));
  if (!truth.spans.empty()) {
    const bool first = truth.kinds.empty() && truth.sensors.empty();
    text += fmt::format("{} {}", first ? "" : ",", clock.span_text(truth.spans[0]));
    if (truth.spans.size() > 1) text += fmt::format(" and {} more", truth.spans.size() - 1);
  }
  const MeasureRow scores = score_answer(one.together, one.pieces, truth);
  if (!truth.sensors.empty())
    text += scores[kHit1] > 0   ? ". The first sensor is right"
            : scores[kHit3] > 0 ? ". The first sensor is wrong, one of the first three is right"
                                : ". The first three sensors are wrong";
  if (!truth.spans.empty())
    text += fmt::format("; the first span and the true one share {} of their samples",
                        number_text(100 * scores[kOverlap], 2) + " %");
  return text + ".";
}

}  // namespace faithful
