#include "app/pages/study_figures.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace faithful::app {

namespace {

constexpr int kSolid = 1, kDashed = 2, kDotted = 3;
constexpr const char* kRuleInk = "none";  // grey: lines that are no data

int dash_of(const Arm& arm) {
  if (arm.again) return kDotted;
  return arm.scale == "unit" ? kDashed : kSolid;
}

// A row of a strip chart: a dot for each value, and below the dots the interval of their mean.
struct Strip {
  std::string label;
  std::string ink;
  std::vector<double> values;
  int dash = kSolid;
};

// Strips from top to bottom against one axis.
Figure strip_chart(std::string name, const std::string& title, Axis axis, const std::vector<Strip>& strips,
                   std::optional<double> rule) {
  const auto rows = static_cast<double>(strips.size());
  const double left = axis.low.value_or(-INFINITY), right = axis.high.value_or(INFINITY);
  Panel panel{.title = title, .x = std::move(axis), .y = {.label = ""}, .legend = Legend::kNone};
  panel.y.low = -0.6;
  panel.y.high = rows - 0.4;
  if (rule)
    panel.curves.push_back(
        {.name = "", .x = {*rule, *rule}, .y = {-0.6, rows - 0.4}, .ink = kRuleInk, .dash = kDashed});
  for (std::size_t i = 0; i < strips.size(); ++i) {
    const Strip& strip = strips[i];
    const double y = rows - 1 - static_cast<double>(i);
    panel.y.ticks.emplace_back(y, strip.label);
    panel.curves.push_back({.name = "",
                            .x = strip.values,
                            .y = std::vector<double>(strip.values.size(), y + 0.12),
                            .mark = Mark::kPoints,
                            .ink = strip.ink});
    const MeanEstimate estimate = paired_t(strip.values);
    const double mean = estimate.summary.mean;
    // gnuplot leaves out a line that begins and ends beyond the axis.
    const double low = std::max(std::isfinite(estimate.interval.low) ? estimate.interval.low : mean, left);
    const double high = std::min(std::isfinite(estimate.interval.high) ? estimate.interval.high : mean, right);
    panel.curves.push_back({.name = "",
                            .x = {low, high},
                            .y = {y - 0.15, y - 0.15},
                            .mark = Mark::kLines,
                            .ink = strip.ink,
                            .dash = strip.dash});
    panel.curves.push_back(
        {.name = "", .x = {mean, mean}, .y = {y - 0.28, y - 0.02}, .ink = strip.ink, .dash = kSolid});
  }
  return {.name = std::move(name),
          .panels = {panel},
          .panel_width = 820,
          .panel_height = 110 + 34 * static_cast<int>(strips.size())};
}

void add_strip(std::vector<Strip>& strips, Strip strip) {
  if (!strip.values.empty()) strips.push_back(std::move(strip));
}

Strip strip_of(const StudyGroup& group, const Arm& arm) {
  return {to_string(arm), arm.encoding, group.row_of(arm).values(group.headline()), dash_of(arm)};
}

// An axis that the dots fill; intervals may reach beyond it.
Axis score_axis(const std::string& label, const std::vector<Strip>& strips) {
  double low = 1, high = 0;
  for (const Strip& strip : strips)
    for (const double value : strip.values) low = std::min(low, value), high = std::max(high, value);
  const double margin = 0.02 + 0.15 * std::max(0.0, high - low);
  return {.label = label, .low = std::max(0.0, low - margin), .high = std::min(1.0, high + margin) + 1e-9};
}

CaptionedFigure scores_figure(const StudyGroup& group, const std::string& prefix) {
  std::vector<Strip> strips;
  for (const Arm& arm : group.arms) add_strip(strips, strip_of(group, arm));
  for (const StudyRow& row : group.baselines()) add_strip(strips, {row.name, row.name, row.values(group.headline())});
  const std::string title = measure_title(group.headline());
  return {strip_chart(prefix + "scores", group_title(group), score_axis(title + " on the test part", strips), strips,
                      std::nullopt),
          fmt::format("{}: one dot per seed; below the dots the mean with its 95 % interval. Below the arms are the "
                      "baselines, which every arm should beat.",
                      title)};
}

CaptionedFigure differences_figure(const StudyReport& report, const StudyGroup& group, const std::string& prefix) {
  std::vector<Strip> strips;
  for (const Comparison& one : report.comparisons) {
    if (one.settings != group.settings) continue;
    Strip strip{.label = to_string(one.arm) + " − " + to_string(one.reference),
                .ink = one.arm.encoding,
                .values = {},
                .dash = dash_of(one.arm)};
    for (const auto& [seed, difference] : one.differences) strip.values.push_back(difference);
    strips.push_back(std::move(strip));
  }
  const std::string title = measure_title(group.headline());
  return {strip_chart(prefix + "differences", group_title(group), {.label = "difference in " + title}, strips, 0),
          fmt::format(
              "Paired differences in {} from the original encoding: one dot per seed; below the dots the mean with its "
              "95 % interval. To the right of the dashed line the arm is better than the original. An interval that "
              "crosses the line shows no difference.",
              title)};
}

// The encodings of a group, each once.
std::vector<std::string> encodings_of(const StudyGroup& group) {
  std::vector<std::string> names;
  for (const Arm& arm : group.arms)
    if (std::ranges::find(names, arm.encoding) == names.end()) names.push_back(arm.encoding);
  return names;
}

// Mean and range over the runs of the i-th number of each; as long as the longest.
struct Band {
  std::vector<double> mean, low, high;
};

template <class Get>
Band band_of(const std::vector<const StudyRun*>& runs, Get get) {
  Band band;
  std::size_t length = 0;
  for (const StudyRun* run : runs) length = std::max(length, get(*run).size());
  for (std::size_t i = 0; i < length; ++i) {
    std::vector<double> values;
    for (const StudyRun* run : runs)
      if (i < get(*run).size() && std::isfinite(get(*run)[i])) values.push_back(get(*run)[i]);
    const double mean = values.empty() ? NAN : summarize(values).mean;
    band.mean.push_back(mean);
    band.low.push_back(values.empty() ? NAN : *std::ranges::min_element(values));
    band.high.push_back(values.empty() ? NAN : *std::ranges::max_element(values));
  }
  return band;
}

std::vector<double> counted(std::size_t count, double first, double step) {
  std::vector<double> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = first + step * static_cast<double>(i);
  return numbers;
}

int columns_for(std::size_t panels) {
  return panels == 4 ? 2 : static_cast<int>(std::min<std::size_t>(panels, 3));
}

CaptionedFigure precision_figure(const StudyGroup& group, const std::string& prefix) {
  Figure figure{.name = prefix + "precision-recall", .panels = {}, .panel_width = 330, .panel_height = 300};
  const auto get = [](const StudyRun& run) -> const std::vector<double>& { return run.precision; };
  for (const std::string& encoding : encodings_of(group)) {
    Panel panel{.title = encoding, .x = {.label = "recall"}, .y = {.label = "precision"}};
    panel.x.low = panel.y.low = 0;
    panel.x.high = 1;
    panel.y.high = 1.02;
    for (const Arm& arm : group.arms) {
      if (arm.encoding != encoding) continue;
      Band band = band_of(group.runs_of(arm), get);
      if (band.mean.empty()) continue;
      panel.curves.push_back({.name = to_string(arm),
                              .x = counted(band.mean.size(), 0, 1.0 / static_cast<double>(kRecalls - 1)),
                              .y = std::move(band.mean),
                              .mark = Mark::kBand,
                              .low = std::move(band.low),
                              .high = std::move(band.high),
                              .ink = encoding,
                              .dash = dash_of(arm)});
    }
    panel.legend = panel.curves.size() > 1 ? Legend::kTopRight : Legend::kNone;  // the title names a single one
    if (!panel.curves.empty()) figure.panels.push_back(std::move(panel));
  }
  figure.columns = columns_for(figure.panels.size());
  return {figure,
          "Precision against recall on the test part: for each recall the best precision at that recall or a higher "
          "one. The line is the mean over the seeds, the band reaches from the lowest to the highest seed."};
}

CaptionedFigure training_figure(const StudyGroup& group, const std::string& prefix) {
  Panel loss{
      .title = "training loss", .x = {.label = "epoch"}, .y = {.label = "cross-entropy"}, .legend = Legend::kNone};
  Panel value{.title = "validation",
              .x = {.label = "epoch"},
              .y = {.label = group.binary ? "AUC-PR" : "macro F1"},
              .legend = Legend::kRightOutside};
  for (const Arm& arm : group.arms) {
    const auto runs = group.runs_of(arm);
    const auto add = [&](Panel& panel, const Band& band) {
      if (band.mean.empty()) return;
      panel.curves.push_back({.name = to_string(arm),
                              .x = counted(band.mean.size(), 1, 1),
                              .y = band.mean,
                              .ink = arm.encoding,
                              .dash = dash_of(arm)});
    };
    add(loss, band_of(runs, [](const StudyRun& run) -> const std::vector<double>& { return run.losses; }));
    add(value, band_of(runs, [](const StudyRun& run) -> const std::vector<double>& { return run.validations; }));
  }
  Figure figure{.name = prefix + "training", .panels = {loss, value}, .panel_width = 500, .panel_height = 300};
  return {figure, "Training loss and validation score by epoch, mean over the seeds."};
}

CaptionedFigure shuffled_figure(const StudyGroup& group, const std::string& prefix) {
  std::vector<Strip> strips;
  for (const Arm& arm : group.arms) {
    add_strip(strips, strip_of(group, arm));
    Strip shuffled{"time shuffled", arm.encoding, {}, kDotted};
    for (const StudyRun* run : group.runs_of(arm))
      if (const auto value = run->shuffled.get(group.headline())) shuffled.values.push_back(*value);
    add_strip(strips, std::move(shuffled));
  }
  return {strip_chart(prefix + "shuffled", group_title(group),
                      score_axis(measure_title(group.headline()) + " on the test part", strips), strips, std::nullopt),
          "Does the data set need the order? Below each arm are the same models on the same test windows with their "
          "samples in random order. Where the score does not fall, the models do not use the order."};
}

// From low to high in at most five steps of 1, 2 or 5 times a power of ten, so that a narrow panel has room for the
// ticks.
Axis round_axis(std::string label, double low, double high) {
  const double least = std::max(high - low, 1e-9) / 4, power = std::pow(10, std::floor(std::log10(least)));
  const double step = power * (least <= power ? 1 : least <= 2 * power ? 2 : least <= 5 * power ? 5 : 10);
  Axis axis{.label = std::move(label), .low = std::floor(low / step) * step, .high = std::ceil(high / step) * step};
  for (double tick = *axis.low; tick < *axis.high + step / 2; tick += step) {
    axis.ticks.emplace_back(tick, fmt::format("{:.3g}", std::abs(tick) < step / 2 ? 0 : tick));
  }
  return axis;
}

CaptionedFigure projection_figure(const StudyGroup& group, const std::string& prefix) {
  Figure figure{.name = prefix + "projections", .panels = {}, .panel_width = 480, .panel_height = 340};
  for (const auto& [measure, title] :
       {std::pair{"effective_rank", "effective rank"}, std::pair{"noise_sigma10", "noise σ with 10 % errors"}}) {
    Panel panel{.title = title, .x = {}, .y = {}, .legend = Legend::kNone};
    double low = INFINITY, high = -INFINITY;
    for (const Arm& arm : group.arms) {
      Curve curve{.name = to_string(arm), .x = {}, .y = {}, .mark = Mark::kPoints, .ink = arm.encoding};
      for (const StudyRun* run : group.runs_of(arm)) {
        const auto start = run->start.get(measure), trained = run->trained.get(measure);
        if (!start || !trained) continue;
        curve.x.push_back(*start);
        curve.y.push_back(*trained);
        low = std::min({low, *start, *trained});
        high = std::max({high, *start, *trained});
      }
      if (!curve.x.empty()) panel.curves.push_back(std::move(curve));
    }
    if (panel.curves.empty()) continue;
    panel.x = round_axis("before training", low, high);
    panel.y = round_axis("after training", low, high);
    const std::vector<double> ends = {*panel.x.low, *panel.x.high};
    panel.curves.push_back({.name = "unchanged", .x = ends, .y = ends, .ink = kRuleInk, .dash = kDashed});
    figure.panels.push_back(std::move(panel));
  }
  if (!figure.panels.empty()) figure.panels.back().legend = Legend::kRightOutside;
  return {
      figure,
      "How training changes the codes that the queries and keys of the first layer see, one dot per seed. On the dashed "
      "line nothing changed. Above it the trained projection separates positions better than the initial one."};
}

}  // namespace

std::vector<CaptionedFigure> group_figures(const StudyReport& report, const StudyGroup& group,
                                           const std::string& prefix) {
  std::vector<CaptionedFigure> figures;
  if (group.runs.empty()) return figures;
  figures.push_back(differences_figure(report, group, prefix));
  figures.push_back(scores_figure(group, prefix));
  figures.push_back(precision_figure(group, prefix));
  figures.push_back(training_figure(group, prefix));
  figures.push_back(shuffled_figure(group, prefix));
  figures.push_back(projection_figure(group, prefix));
  std::erase_if(figures, [](const CaptionedFigure& one) {
    return one.figure.panels.empty() || std::ranges::all_of(one.figure.panels, [](const Panel& panel) {
             return panel.y.ticks.empty() && panel.curves.empty();
           });
  });
  return figures;
}

CaptionedFigure gap_figure(const StudyGroup& gap) {
  Panel panel{.title = "which of two events came first",
              .x = {.label = "distance of the events", .unit = "samples"},
              .y = {.label = "accuracy"},
              .legend = Legend::kRightOutside};
  panel.x.log = true;
  panel.y.low = 0.4;
  panel.y.high = 1.02;
  for (const auto& [distance, accuracy] : gap.runs.front().scores.values)
    panel.x.ticks.emplace_back(std::stod(distance), distance);
  panel.x.low = panel.x.ticks.front().first * 0.9;
  panel.x.high = panel.x.ticks.back().first * 1.1;
  for (const Arm& arm : gap.arms) {
    const StudyRow row = gap.row_of(arm);
    Curve curve{
        .name = row.name, .x = {}, .y = {}, .mark = Mark::kLinePoints, .ink = arm.encoding, .dash = dash_of(arm)};
    for (const auto& [x, distance] : panel.x.ticks) {
      if (row.values(distance).empty()) continue;
      curve.x.push_back(x);
      curve.y.push_back(summarize(row.values(distance)).mean);
    }
    panel.curves.push_back(std::move(curve));
  }
  panel.curves.push_back(
      {.name = "chance", .x = {*panel.x.low, *panel.x.high}, .y = {0.5, 0.5}, .ink = "random", .dash = kDashed});
  return {
      {.name = "gap-probe", .panels = {panel}, .panel_width = 720, .panel_height = 340},
      "Gap probe: windows of 80 samples have two events, and the class is which came first. Every sample is embedded "
      "alone, so that only the encoding carries the order. Mean over the seeds."};
}

CaptionedFigure ranks_figure(const std::vector<StudyGroup>& groups) {
  std::vector<Strip> strips;
  std::vector<MeanRank> found = mean_ranks(groups);
  std::ranges::stable_sort(found, {}, &MeanRank::rank);
  for (const MeanRank& one : found)
    strips.push_back(
        {.label = to_string(one.arm), .ink = one.arm.encoding, .values = one.by_group, .dash = dash_of(one.arm)});
  return {strip_chart("ranks", "ranks over data sets", {.label = "rank of the mean score, 1 is best"}, strips,
                      std::nullopt),
          "Ranks over data sets, one dot per data set; below the dots their mean with a 95 % interval. Descriptive."};
}

}  // namespace faithful::app
