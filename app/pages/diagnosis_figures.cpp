#include "app/pages/diagnosis_figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "app/pages/timeline.h"
#include "faithful/diagnose/suspects.h"
#include "faithful/report/text.h"
#include "faithful/window/scale.h"

namespace faithful::app {

namespace {

constexpr const char* kNormalInk = "none";
constexpr std::size_t kDrawnSensors = 6;
constexpr std::size_t kDrawnHeads = 12;

std::string figure_name(const char* what, std::size_t number) {
  return fmt::format("{}-{}", what, number + 1);
}

// A band over a span of samples, in the units of the clock.
Curve shaded(const Clock& clock, const Range& span, double low, double high, const char* ink) {
  Curve band = shade({}, low, high, ink);
  band.x = {clock.at(span.begin), clock.at(span.end)};
  return band;
}

// The alarm, and as much again around it, up to a window on each side.
Range surroundings(const Diagnosis& one, const Series& series) {
  const std::size_t margin = one.details.span.length();
  const Range& alarm = one.alarm.span;
  return {alarm.begin - std::min(alarm.begin, margin), std::min(series.length(), alarm.end + margin)};
}

// The normal of one sensor in its own units, over the windows looked into.
Curve normal_curve(const DiagnosisReport& report, const Diagnosis& one, std::size_t sensor) {
  const Series& series = report.series_of(one);
  const Clock clock(report.dataset, series);
  const Scaler scaler(report.scaler);
  const std::size_t sensors = report.dataset.channels.size();
  const Scale scale = report.scaler.scaling == Scaling::kWindow
                          ? window_scale(report.scaler.common, std::span(series.values.values)
                                                                   .subspan(one.details.span.begin * sensors,
                                                                            one.details.span.length() * sensors))
                          : scaler.of(series.name);
  const double shift = static_cast<double>(scale.shift[sensor]), factor = static_cast<double>(scale.factor[sensor]);
  const Range span = report.normal.mean.rows == 1 ? surroundings(one, series) : one.details.span;
  Curve curve{
      .name = "normal, ± 2 standard deviations", .x = {}, .y = {}, .mark = Mark::kBand, .ink = kNormalInk, .dash = 2};
  const std::size_t step = std::max<std::size_t>(1, span.length() / kBuckets);
  for (std::size_t t = span.begin; t < span.end; t += step) {
    const std::size_t at = t - span.begin;
    const double mean = static_cast<double>(report.normal.mean_at(at, sensor));
    const double width = 2 * static_cast<double>(report.normal.deviation_at(at, sensor));
    curve.x.push_back(clock.at(t));
    curve.y.push_back(mean / factor + shift);
    curve.low.push_back((mean - width) / factor + shift);
    curve.high.push_back((mean + width) / factor + shift);
  }
  return curve;
}

// A few round numbers inside of the axis, as texts of one width: panels below each other then begin at the same place.
void set_ticks(Axis& axis) {
  constexpr std::size_t kWidth = 8;
  const double range = *axis.high - *axis.low, rough = range / 3;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double step = rough / power < 2 ? power : rough / power < 5 ? 2 * power : 5 * power;
  for (double value = std::ceil(*axis.low / step) * step; value <= *axis.high; value += step) {
    const double round = std::abs(value) < step / 2 ? 0 : value;
    axis.ticks.emplace_back(round, fmt::format("{:>{}}", fmt::format("{:.4g}", round), kWidth));
  }
}

void fit_axis(Axis& axis, const std::vector<const std::vector<double>*>& columns) {
  double low = INFINITY, high = -INFINITY;
  for (const std::vector<double>* column : columns) {
    for (const double y : *column) {
      if (!std::isfinite(y)) continue;
      low = std::min(low, y);
      high = std::max(high, y);
    }
  }
  if (!(low <= high)) low = high = 0;
  const double margin = high > low ? 0.05 * (high - low) : std::max(0.5, 0.05 * std::abs(high));
  axis.low = low - margin;
  axis.high = high + margin;
  set_ticks(axis);
}

Panel channel_panel(const DiagnosisReport& report, std::size_t number, std::size_t sensor, std::size_t rank) {
  const Diagnosis& one = report.found[number];
  const Series& series = report.series_of(one);
  const Clock clock(report.dataset, series);
  const Range drawn = surroundings(one, series);
  Panel panel{.title = fmt::format("{}. {} ({} %)", rank + 1, report.dataset.channels[sensor],
                                   number_text(100 * shares_of(one.together.sensors)[sensor], 2)),
              .x = {.label = ""},
              .y = {.label = ""},
              .legend = Legend::kNone};
  panel.x.low = clock.at(drawn.begin);
  panel.x.high = clock.at(drawn.end - 1);
  Curve normal = normal_curve(report, one, sensor);
  Curve measured = thinned_curve(
      drawn.length(), [&](std::size_t t) { return clock.at(drawn.begin + t); },
      [&](std::size_t t) { return static_cast<double>(series.values(drawn.begin + t, sensor)); });
  fit_axis(panel.y, {&measured.y, &normal.low, &normal.high});
  for (const SuspectedSpan& span : one.together.spans)
    panel.curves.push_back(shaded(clock, span.span, *panel.y.low, *panel.y.high, kSpanInk));
  const std::optional<AlarmTruth>& truth = report.truths[number];
  if (truth && std::ranges::binary_search(truth->sensors, sensor))
    for (const Range& span : truth->spans)
      panel.curves.push_back(shaded(clock, span, *panel.y.low, *panel.y.high, kFaultInk));
  panel.curves.push_back(std::move(normal));
  panel.curves.push_back(std::move(measured));
  return panel;
}

bool has_truth(const DiagnosisReport& report, std::size_t number) {
  return report.truths[number] && !report.truths[number]->spans.empty();
}

// Weights of pieces as a curve of steps, in percent of them all.
Curve profile_curve(const Clock& clock, std::span<const Range> pieces, std::span<const double> weights,
                    const std::string& name, const char* ink, int dash) {
  Curve curve{.name = name, .x = {}, .y = {}, .ink = ink, .dash = dash};
  const std::vector<double> shares = shares_of(weights);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0 && pieces[i - 1].end != pieces[i].begin) {  // between windows that were looked into: no line
      curve.x.push_back(clock.at(pieces[i].begin));
      curve.y.push_back(std::numeric_limits<double>::quiet_NaN());
    }
    curve.x.insert(curve.x.end(), {clock.at(pieces[i].begin), clock.at(pieces[i].end)});
    curve.y.insert(curve.y.end(), {100 * shares[i], 100 * shares[i]});
  }
  return curve;
}

std::vector<Curve> profile_curves(const DiagnosisReport& report, const Diagnosis& one) {
  constexpr std::array kInks = {"learned", "dft", "rope", "sinusoidal"};
  const Clock clock(report.dataset, report.series_of(one));
  std::vector<Curve> curves;
  for (std::size_t m = 0; m < one.methods.size(); ++m)
    curves.push_back(
        profile_curve(clock, one.pieces, one.methods[m].times, one.methods[m].method, kInks[m % kInks.size()], 1));
  const WindowDetails& details = one.details;
  if (!details.steps_of_first.empty() && details.steps_of_first.size() >= one.pieces.size())  // one window alone
    curves.push_back(profile_curve(clock, one.pieces, std::span(details.steps_of_first).first(one.pieces.size()),
                                   "attention, " + report.dataset.channels[details.first_sensor], kInks[0], 3));
  return curves;
}

std::vector<std::pair<double, std::string>> name_ticks(const std::vector<std::string>& names) {
  std::vector<std::pair<double, std::string>> ticks;
  for (std::size_t i = 0; i < names.size(); ++i) ticks.emplace_back(static_cast<double>(i), names[i]);
  return ticks;
}

// Names of sensors where they are short enough to stand below the columns, else their numbers, beside names at the
// rows.
void name_axes(const std::vector<std::string>& names, Panel& panel) {
  const bool are_short = std::ranges::all_of(names, [](const std::string& name) { return text_width(name) <= 3; });
  panel.x.ticks = panel.y.ticks = name_ticks(names);
  if (are_short && names.size() <= 24) return;
  panel.x.ticks.clear();
  for (std::size_t i = 0; i<names.size(); i += names.size()> 24 ? 5 : 1)
    panel.x.ticks.emplace_back(static_cast<double>(i), fmt::format("{}", i + 1));
  for (std::size_t i = 0; i < names.size(); ++i) panel.y.ticks[i].second += fmt::format(" {}", i + 1);
}

Panel spatial_panel(const DiagnosisReport& report, const Matrix<double>& map, const std::string& title, bool named) {
  Panel panel{.title = title, .x = {.label = ""}, .y = {.label = ""}, .legend = Legend::kNone};
  if (named) {
    panel.x.label = "attended to";
    panel.y.label = "attends";
    name_axes(report.dataset.channels, panel);
  }
  panel.heat = HeatMap{.values = map, .diverging = false, .low = 0, .label = named ? "weight" : ""};
  return panel;
}

Panel occlusion_panel(const DiagnosisReport& report, const Diagnosis& one) {
  const OcclusionDiagnosis& found = one.details.occlusion;
  const Clock clock(report.dataset, report.series_of(one));
  Panel panel{.title = "How much each sensor and time contributes to the alarm",
              .x = {.label = clock.axis_label(), .unit = clock.axis_unit()},
              .y = {.label = ""},
              .legend = Legend::kNone};
  std::vector<std::string> names;
  for (const std::size_t sensor : found.detailed_sensors) names.push_back(report.dataset.channels[sensor]);
  panel.y.ticks = name_ticks(names);
  const double first = clock.at(one.details.span.begin + found.spans[0].begin);
  const double step = clock.at(one.details.span.begin + found.spans[0].end) - first;
  panel.heat = HeatMap{.values = found.detailed,
                       .x_first = first + step / 2,
                       .x_step = step > 0 ? step : 1,
                       .label = "drop of the logit"};
  return panel;
}

Panel temporal_panel(const DiagnosisReport& report, const Diagnosis& one, const Matrix<double>& map,
                     const std::string& title) {
  const Clock clock(report.dataset, report.series_of(one));
  Panel panel{.title = title, .x = {.label = ""}, .y = {.label = ""}, .legend = Legend::kNone};
  const double first = clock.at(one.details.span.begin);
  const double step = clock.at(one.details.span.begin + one.details.step) - first;
  const double each = step > 0 ? step : 1;
  panel.heat = HeatMap{.values = map,
                       .x_first = first + each / 2,
                       .x_step = each,
                       .y_first = first + each / 2,
                       .y_step = each,
                       .diverging = false,
                       .low = 0};
  return panel;
}

}  // namespace

CaptionedFigure channels_figure(const DiagnosisReport& report, std::size_t number) {
  const Diagnosis& one = report.found[number];
  const Clock clock(report.dataset, report.series_of(one));
  Figure figure{
      .name = figure_name("channels", number), .panels = {}, .columns = 1, .panel_width = 960, .panel_height = 150};
  const std::vector<std::size_t> order = order_of(one.together.sensors);
  for (std::size_t rank = 0; rank < std::min(order.size(), kDrawnSensors); ++rank)
    figure.panels.push_back(channel_panel(report, number, order[rank], rank));
  figure.panels.back().x.label = clock.axis_label();
  figure.panels.back().x.unit = clock.axis_unit();
  return {figure,
          fmt::format(
              "The most suspect sensors first, with their share. Blue: measured. Grey, dashed: "
              "normal ({}), and two standard deviations around it. Shaded orange: times that stand out.{}",
              report.normal.from,
              has_truth(report, number) ? " Shaded dark red: the sensor was at fault, according to the labels." : "")};
}

CaptionedFigure profile_figure(const DiagnosisReport& report, std::size_t number) {
  const Diagnosis& one = report.found[number];
  const Clock clock(report.dataset, report.series_of(one));
  Panel panel{.title = "When",
              .x = {.label = clock.axis_label(), .unit = clock.axis_unit()},
              .y = {.label = "weight of a step", .unit = "%"},
              .legend = Legend::kRightOutside};
  panel.x.low = clock.at(one.alarm.span.begin);
  panel.x.high = clock.at(one.alarm.span.end);
  std::vector<Curve> curves = profile_curves(report, one);
  double high = 0;
  for (const Curve& curve : curves)
    for (const double y : curve.y) high = std::max(high, std::isnan(y) ? 0.0 : y);
  panel.y.low = 0;
  panel.y.high = high > 0 ? 1.05 * high : 1;
  for (const SuspectedSpan& span : one.together.spans)
    panel.curves.push_back(shaded(clock, span.span, 0, *panel.y.high, kSpanInk));
  if (has_truth(report, number))
    for (const Range& span : report.truths[number]->spans)
      panel.curves.push_back(shaded(clock, span, 0, *panel.y.high, kFaultInk));
  for (Curve& curve : curves) panel.curves.push_back(std::move(curve));
  return {{.name = figure_name("when", number), .panels = {panel}, .panel_width = 960, .panel_height = 260},
          fmt::format("Each method's weights over time, as shares of its total. Shaded orange: times that stand out "
                      "in what the methods say together.{}",
                      has_truth(report, number) ? " Shaded dark red: the fault, according to the labels." : "")};
}

CaptionedFigure where_figure(const DiagnosisReport& report, std::size_t number) {
  constexpr int kRow = 20, kLeast = 440;
  const Diagnosis& one = report.found[number];
  const int height = std::max(kLeast, 90 + kRow * static_cast<int>(one.details.spatial.rows));
  return {{.name = figure_name("where", number),
           .panels = {spatial_panel(report, one.details.spatial, "Which sensor attends to which", true)},
           .panel_width = height + height / 4,
           .panel_height = height},
          "Attention between sensors in the window with the highest score: mean over the heads, and over time weighted "
          "by the temporal attention. A dark column is a sensor that the others attend to."};
}

CaptionedFigure occlusion_figure(const DiagnosisReport& report, std::size_t number) {
  constexpr int kRow = 45;
  const Diagnosis& one = report.found[number];
  return {
      {.name = figure_name("occlusion", number),
       .panels = {occlusion_panel(report, one)},
       .panel_width = 960,
       .panel_height = 120 + kRow * static_cast<int>(one.details.occlusion.detailed.rows)},
      "What the readings of one sensor during one span do to the logit: replaced by normal ones, and alone among normal "
      "ones. In the window with the highest score. Red supports the alarm; blue speaks against it."};
}

CaptionedFigure heads_figure(const DiagnosisReport& report, std::size_t number) {
  const Diagnosis& one = report.found[number];
  const WindowDetails& details = one.details;
  Figure figure{
      .name = figure_name("heads", number), .panels = {}, .columns = 4, .panel_width = 280, .panel_height = 240};
  const std::size_t heads = std::min(details.temporal_heads.size(), kDrawnHeads);
  for (std::size_t h = 0; h < heads; ++h)
    figure.panels.push_back(
        temporal_panel(report, one, details.temporal_heads[h], fmt::format("head {}, over time", h + 1)));
  for (std::size_t h = 0; h < std::min(details.spatial_heads.size(), kDrawnHeads); ++h)
    figure.panels.push_back(
        spatial_panel(report, details.spatial_heads[h], fmt::format("head {}, over sensors", h + 1), false));
  std::string caption =
      "Attention of each head in the window with the highest score: rows attend to columns; darker is more.";
  caption += details.spatial_heads.empty() ? " Over time, of the last layer."
                                           : " Over time: mean over sensors. Over sensors: mean over time, weighted by "
                                             "when; sensors in the order of the data.";
  return {figure, caption};
}

}  // namespace faithful::app
