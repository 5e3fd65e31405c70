#include "app/pages/data_page.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/pages/page_writer.h"
#include "app/pages/timeline.h"
#include "faithful/base/progress.h"

namespace faithful::app {

namespace {

Panel channel_panel(const Dataset& dataset, const Series& series, std::size_t channel) {
  Panel panel{.title = dataset.channels[channel], .x = {.label = ""}, .y = {.label = ""}, .legend = Legend::kNone};
  Curve curve = thinned_curve(
      series.length(), [](std::size_t t) { return static_cast<double>(t); },
      [&](std::size_t t) { return static_cast<double>(series.values(t, channel)); });
  double low = INFINITY, high = -INFINITY;
  for (const double y : curve.y) {
    if (!std::isfinite(y)) continue;
    low = std::min(low, y);
    high = std::max(high, y);
  }
  if (!(low <= high)) low = high = 0;
  const double margin = high > low ? 0.05 * (high - low) : std::max(0.5, 0.05 * std::abs(high));
  panel.y.low = low - margin;
  panel.y.high = high + margin;
  panel.x.low = 0;
  panel.x.high = static_cast<double>(series.length());
  for (const LabelSpan& span : series.labels.empty() ? series.spans : spans_of(series.labels))
    panel.curves.push_back(shade(span, *panel.y.low, *panel.y.high, kSpanInk));
  for (const LabelSpan& span : series.spans) {  // a second coat where this channel is named
    if (std::ranges::binary_search(span.channels, channel))
      panel.curves.push_back(shade(span, *panel.y.low, *panel.y.high, kFaultInk));
  }
  panel.curves.push_back(std::move(curve));
  return panel;
}

std::string series_title(const Dataset& dataset, const Series& series) {
  std::string title = fmt::format("{} {}", to_string(series.part), series.name);
  if (series.part == DataPart::kNone) title = series.name;
  if (series.label != kNoLabel) title += fmt::format(" ({})", dataset.classes[static_cast<std::size_t>(series.label)]);
  return title;
}

// The series to draw: the first of each part, those with labelled spans before those without.
std::vector<const Series*> chosen_series(const Dataset& dataset, std::size_t most) {
  std::vector<const Series*> chosen;
  for (const DataPart part : {DataPart::kNone, DataPart::kTrain, DataPart::kTest}) {
    std::vector<const Series*> list;
    for (const Series& series : dataset.series)
      if (series.part == part) list.push_back(&series);
    std::stable_partition(list.begin(), list.end(), [](const Series* series) {
      return !series->spans.empty() || std::ranges::find(series->labels, 1) != series->labels.end();
    });
    list.resize(std::min(list.size(), most));
    chosen.insert(chosen.end(), list.begin(), list.end());
  }
  return chosen;
}

}  // namespace

std::string write_data_page(const Dataset& dataset, const Audit& audit, const std::string& folder, std::size_t drawn) {
  PageWriter writer(folder, fmt::format("Data set {}", dataset.name), "data info " + dataset.source);
  Page& page = writer.page;
  page.add_heading("Audit");
  page.add_code(audit_text(audit));
  page.add_heading("Channels");
  const std::vector<const Series*> chosen = chosen_series(dataset, drawn);
  page.add_paragraph(fmt::format(
      "{} of {} series. A long channel is drawn as the smallest and the largest value of each of {} pieces. Labelled "
      "spans are shaded, darker in the channels at fault where the data name them.",
      chosen.size(), dataset.series.size(), kBuckets));
  Progress progress("drawing", chosen.size());
  for (const Series* series : chosen) {
    Figure figure{.name = series->name, .panels = {}, .columns = 2, .panel_width = 560, .panel_height = 170};
    for (std::size_t c = 0; c < dataset.channels.size(); ++c)
      figure.panels.push_back(channel_panel(dataset, *series, c));
    const Rendering picture = render(figure);
    page.add_heading(series_title(dataset, *series), 3);
    page.add_figure(picture.bytes, fmt::format("The {} channels of series {}.", dataset.channels.size(), series->name),
                    picture.problem);
    progress.advance();
  }
  return writer.save("index.html");
}

}  // namespace faithful::app
