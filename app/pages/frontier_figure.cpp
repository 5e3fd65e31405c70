#include "app/pages/frontier_figure.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace faithful::app {

namespace {

constexpr int kWidth = 560, kHeight = 400;                                // of a panel, in pixels
constexpr double kInnerWidth = kWidth - 95, kInnerHeight = kHeight - 95;  // without titles and ticks
constexpr double kLetter = 6.6, kLine = 15;                               // of a label

struct Box {
  double left, right, bottom, top;  // pixels
  bool overlaps(const Box& other) const {
    return left < other.right && other.left < right && bottom < other.top && other.bottom < top;
  }
};

struct NamedPoint {
  double x, y;
  std::string text, ink;
};

double share(double value, const Axis& axis) {
  return (value - *axis.low) / (*axis.high - *axis.low);
}

// Points that are drawn on each other share one label.
std::vector<NamedPoint> merged(const std::vector<NamedPoint>& points, const Panel& panel) {
  std::vector<NamedPoint> all;
  for (const NamedPoint& point : points) {
    const auto near = std::ranges::find_if(all, [&](const NamedPoint& other) {
      return std::abs(share(point.x, panel.x) - share(other.x, panel.x)) * kInnerWidth < 5 &&
             std::abs(share(point.y, panel.y) - share(other.y, panel.y)) * kInnerHeight < 5;
    });
    if (near == all.end()) {
      all.push_back(point);
    } else {
      near->text += ", " + point.text;
      near->ink = "";
    }
  }
  return all;
}

// Around a point: nearest first, beside it before above and below it.
std::vector<Label> places_around(const NamedPoint& point) {
  std::vector<Label> places;
  for (const double far : {9.0, 14.0, 20.0, 28.0, 38.0, 50.0}) {
    for (const double up : {0.0, 0.7, -0.7, 1.0, -1.0}) {
      for (const auto align : {Label::Align::kLeft, Label::Align::kRight, Label::Align::kCenter}) {
        const bool centred = align == Label::Align::kCenter;
        if (centred != (std::abs(up) == 1)) continue;
        places.push_back({.x = point.x, .y = point.y, .text = point.text, .align = align, .ink = point.ink});
        places.back().x_offset = centred ? 0 : align == Label::Align::kLeft ? far : -far;
        places.back().y_offset = up * (far + 3);
      }
    }
  }
  return places;
}

// Gives each point the first free place around it.
void place_labels(Panel& panel, const std::vector<NamedPoint>& points, std::vector<Box>& taken) {
  for (const NamedPoint& point : points) {
    const double width = kLetter * static_cast<double>(point.text.size());
    const auto box_of = [&](const Label& label) {
      const double before = static_cast<double>(label.align) / 2 * width;
      const double x = share(point.x, panel.x) * kInnerWidth + label.x_offset - before;
      const double y = share(point.y, panel.y) * kInnerHeight + label.y_offset;
      return Box{x, x + width, y - kLine / 2, y + kLine / 2};
    };
    const std::vector<Label> places = places_around(point);
    const auto free = std::ranges::find_if(places, [&](const Label& label) {
      const Box box = box_of(label);
      return box.left >= 2 && box.right <= kInnerWidth && box.bottom >= 0 && box.top <= kInnerHeight &&
             std::ranges::none_of(taken, [&](const Box& other) { return box.overlaps(other); });
    });
    panel.labels.push_back(free == places.end() ? places.front() : *free);
    taken.push_back(box_of(panel.labels.back()));
  }
}

struct Side {
  const char* name;
  const char* label;
  double FrontierPoint::*value;
};

// Some length scales are named at the curve; empty for the others.
std::string scale_text(const FrontierPoint& point, std::size_t length) {
  const double share = static_cast<double>(length) / *point.length_scale;  // infinite at 0
  if (std::abs(share - 24) < 0.01) return "spectral, L = S/24";
  if (std::abs(share - 6) < 0.01) return "L = S/6 (default)";
  return std::abs(share - 1) < 0.01 ? "L = S" : "";
}

Panel make_panel(const Frontier& frontier, const std::vector<FrontierPoint>& others, const Side& across, const Side& up,
                 std::size_t length) {
  Panel panel{.title = fmt::format("{} against {}", up.name, across.name), .x = {across.label}, .y = {up.label}};
  panel.legend = Legend::kNone;
  double left = 0, most = 0;
  for (const auto* list : {&frontier.spectral, &others}) {
    for (const FrontierPoint& point : *list) {
      left = std::min(left, point.*across.value);
      most = std::max(most, point.*up.value);
    }
  }
  panel.x.low = std::floor(10 * (left - 0.02)) / 10;
  panel.x.high = 1.25;  // room for labels
  for (int tick = static_cast<int>(std::ceil(5 * *panel.x.low - 1e-9)); tick <= 5; ++tick)
    panel.x.ticks.emplace_back(tick / 5.0, fmt::format("{:g}", tick / 5.0));
  panel.y.low = 0;
  panel.y.high = 1.12 * most;

  std::vector<Box> taken;
  const auto keep_free = [&](double x, double y) {
    const double px = share(x, panel.x) * kInnerWidth, py = share(y, panel.y) * kInnerHeight;
    taken.push_back({px - 5, px + 5, py - 5, py + 5});
  };
  Curve line{.name = "spectral", .x = {}, .y = {}, .mark = Mark::kLinePoints, .dash = 1};
  for (const FrontierPoint& point : frontier.spectral) {
    line.x.push_back(point.*across.value);
    line.y.push_back(point.*up.value);
  }
  for (std::size_t i = 0; i < line.x.size(); ++i) {
    keep_free(line.x[i], line.y[i]);
    for (int part = 1; i > 0 && part < 12; ++part) {
      const double by = part / 12.0;
      keep_free(line.x[i - 1] + by * (line.x[i] - line.x[i - 1]), line.y[i - 1] + by * (line.y[i] - line.y[i - 1]));
    }
  }
  panel.curves.push_back(std::move(line));
  std::vector<NamedPoint> named, scales;
  for (const FrontierPoint& point : others) {
    keep_free(point.*across.value, point.*up.value);
    panel.curves.push_back(
        {.name = point.name, .x = {point.*across.value}, .y = {point.*up.value}, .mark = Mark::kBigPoints});
    named.push_back({point.*across.value, point.*up.value, point.name, point.name});
  }
  for (const FrontierPoint& point : frontier.spectral) {
    const std::string text = scale_text(point, length);
    if (!text.empty()) scales.push_back({point.*across.value, point.*up.value, text, "spectral"});
  }
  place_labels(panel, merged(named, panel), taken);
  place_labels(panel, scales, taken);
  return panel;
}

}  // namespace

CaptionedFigure frontier_figure(const Frontier& frontier, const std::vector<Analysis>& analyses) {
  const auto length = static_cast<std::size_t>(std::lround(*frontier.spectral.back().length_scale));
  std::vector<FrontierPoint> others = frontier.others;
  for (const Analysis& one : analyses) {
    const Faithfulness& found = one.faithfulness;
    if (one.kind || one.length != length || !found.noise || !found.min_distance || !found.spearman) continue;
    others.push_back({.name = one.name,
                      .min_distance = *found.min_distance,
                      .noise_sigma10 = found.noise->sigma10,
                      .spearman = *found.spearman,
                      .pearson = *found.pearson});
  }
  const Side across[] = {{"Pearson", "Pearson of code distance and |s - t|", &FrontierPoint::pearson},
                         {"Spearman", "Spearman of code distance and |s - t|", &FrontierPoint::spearman}};
  const Side up[] = {{"separation", "smallest distance / RMS norm", &FrontierPoint::min_distance},
                     {"noise tolerance", "noise σ with 10 % wrong", &FrontierPoint::noise_sigma10}};
  Figure figure{.name = "frontier", .panels = {}, .columns = 2, .panel_width = kWidth, .panel_height = kHeight};
  for (const Side& y : up) {
    for (const Side& x : across) figure.panels.push_back(make_panel(frontier, others, x, y, length));
  }
  return {std::move(figure),
          fmt::format("Two aims: positions that are told apart (up), and code distances that follow the distance of "
                      "positions (right). The curve is the spectral encoding ({}) as its length scale L goes from 0, "
                      "where all frequencies weigh alike, to S = {}. Points are the other additive encodings, "
                      "learned ones at their start. Above and to the right of the curve, an encoding does better in "
                      "both; below and to the left, the spectral encoding does.",
                      frontier.note.substr(0, frontier.note.find(", length scale")), length)};
}

}  // namespace faithful::app
