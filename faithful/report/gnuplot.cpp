// Figure -> gnuplot program.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "faithful/base/utf8.h"
#include "faithful/report/color.h"
#include "faithful/report/figure.h"
#include "faithful/report/text.h"

namespace faithful {

namespace {

// A text as gnuplot's double-quoted string (a single-quoted one cannot begin with a quote). What has a meaning in it is
// written as an octal code: the quote, the backslash, and the backquote, which would run a program. The terminal is
// `noenhanced`.
std::string gnuplot_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : printable(text)) {
    const bool special = c == '"' || c == '\\' || c == '`' || c == '@';
    out += special ? fmt::format("\\{:03o}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return out + "\"";
}

// Labels of ticks are printf formats.
std::string gnuplot_tick(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '%' ? std::string("%%") : std::string(1, c);
  return gnuplot_text(out);
}

std::string number_or_nan(double value) {
  return std::isfinite(value) ? exact_text(value) : "NaN";
}

std::string axis_title(const Axis& axis) {
  return axis.unit.empty() ? axis.label : fmt::format("{} [{}]", axis.label, axis.unit);
}

std::string end_of_range(const std::optional<double>& end) {
  return end ? exact_text(*end) : "*";
}

std::string axis_commands(const Axis& axis, const char* letter) {
  std::string out = fmt::format("set {}label {}\n", letter, gnuplot_text(axis_title(axis)));
  out += fmt::format("{} logscale {}\n", axis.log ? "set" : "unset", letter);
  out += fmt::format("set {}range [{}:{}]\n", letter, end_of_range(axis.low), end_of_range(axis.high));
  // Powers of ten as such on log axes, where the numbers run over many decades.
  out += fmt::format("set format {} '{}'\n", letter, axis.log ? "%h" : "%g");
  if (axis.ticks.empty()) return out + fmt::format("set {}tics autofreq\n", letter);
  out += fmt::format("set {}tics (", letter);
  for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
    const auto& [value, label] = axis.ticks[i];
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", gnuplot_tick(label), exact_text(value));
  }
  return out + ")\n";
}

const char* key_command(Legend legend) {
  constexpr const char* kCommands[] = {"unset key\n", "set key inside top right\n", "set key inside top left\n",
                                       "set key outside right top\n"};
  return kCommands[static_cast<std::size_t>(legend)];
}

// The data block of a curve: x y low high.
std::string curve_data(const Curve& curve, const std::string& block) {
  std::string out = block + " << EOD\n";
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    out += number_or_nan(curve.x[i]) + " " + number_or_nan(curve.y[i]);
    if (!curve.low.empty()) out += " " + number_or_nan(curve.low[i]) + " " + number_or_nan(curve.high[i]);
    out += "\n";
  }
  return out + "EOD\n";
}

// `$data using ... with ...` for one curve.
std::string curve_plot(const Curve& curve, const std::string& block) {
  const Ink ink = ink_of(curve.ink.empty() ? curve.name : curve.ink);
  const std::string title = curve.name.empty() ? "notitle" : "title " + gnuplot_text(curve.name);
  const std::string line = fmt::format("lc rgb '{}' dt {} lw 1.8", ink.color, curve.dash.value_or(ink.dash));
  const std::string point = fmt::format("lc rgb '{}' pt 7 ps 0.45", ink.color);
  switch (curve.mark) {
    case Mark::kLines:
      return fmt::format("{} using 1:2 with lines {} {}", block, line, title);
    case Mark::kPoints:
      return fmt::format("{} using 1:2 with points {} {}", block, point, title);
    case Mark::kBigPoints:
      return fmt::format("{} using 1:2 with points lc rgb '{}' pt 7 ps 0.9 {}", block, ink.color, title);
    case Mark::kLinePoints:
      return fmt::format("{} using 1:2 with linespoints {} pt 7 ps 0.45 {}", block, line, title);
    case Mark::kStems:
      return fmt::format("{} using 1:2 with impulses lc rgb '{}' lw 1.2 notitle, {} using 1:2 with points {} {}", block,
                         ink.color, block, point, title);
    case Mark::kBand:
      return fmt::format(
          "{} using 1:3:4 with filledcurves fc rgb '{}' fs transparent solid 0.18 noborder notitle, "
          "{} using 1:2 with lines {} {}",
          block, ink.color, block, line, title);
  }
  return "";
}

// The ends of the colour scale: as given, else from the data, symmetric around zero where it diverges.
std::pair<double, double> color_range(const HeatMap& heat) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const double value : heat.values.values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) low = high = 0;
  if (heat.diverging) {
    high = std::max(std::abs(low), std::abs(high));
    low = -high;
  }
  if (heat.low) low = *heat.low;
  if (heat.high) high = *heat.high;
  if (!(low < high)) high = low + 1;  // a constant matrix
  return {low, high};
}

constexpr const char* kDiverging =
    "set palette defined (0 '#2166ac', 1 '#67a9cf', 2 '#d1e5f0', 3 '#ffffff', 4 '#fddbc7', 5 '#ef8a62', 6 '#b2182b')\n";
constexpr const char* kSequential =
    "set palette defined (0 '#ffffff', 1 '#deebf7', 2 '#9ecae1', 3 '#4292c6', 4 '#08519c', 5 '#08306b')\n";

std::string heat_commands(const HeatMap& heat, const std::string& block) {
  const auto [low, high] = color_range(heat);
  std::string out = block + " << EOD\n";
  for (std::size_t r = 0; r < heat.values.rows; ++r) {
    for (std::size_t c = 0; c < heat.values.columns; ++c) {
      out += fmt::format("{} {} {}\n", exact_text(heat.x_first + heat.x_step * static_cast<double>(c)),
                         exact_text(heat.y_first + heat.y_step * static_cast<double>(r)),
                         number_or_nan(heat.values(r, c)));
    }
  }
  out += "EOD\n";
  const double x_last = heat.x_first + heat.x_step * (static_cast<double>(heat.values.columns) - 0.5);
  const double y_last = heat.y_first + heat.y_step * (static_cast<double>(heat.values.rows) - 0.5);
  out += heat.diverging ? kDiverging : kSequential;
  out +=
      fmt::format("set cbrange [{}:{}]\nset cblabel {}\n", exact_text(low), exact_text(high), gnuplot_text(heat.label));
  // Whole cells at the edges, and the first row at the top, as a table is read.
  out += fmt::format("set xrange [{}:{}]\nset yrange [{}:{}]\nunset grid\nset border 15\n",
                     exact_text(heat.x_first - heat.x_step / 2), exact_text(x_last), exact_text(y_last),
                     exact_text(heat.y_first - heat.y_step / 2));
  return out + fmt::format("plot {} using 1:2:3 with image notitle\n", block);
}

constexpr const char* kStyle = R"(set border 3 lc rgb '#333333' lw 0.8
set tics out nomirror scale 0.6 textcolor rgb '#222222'
set tmargin 2.2
set grid lt 1 lc rgb '#e4e4e4' lw 0.6
set key samplen 2.2 spacing 1.15 noopaque textcolor rgb '#222222'
)";

// Offsets of labels are in characters, which are about 7 x 14 pixels at this font size.
std::string label_commands(const std::vector<Label>& labels) {
  constexpr const char* kAligns[] = {"left", "center", "right"};
  std::string out;
  for (const Label& label : labels) {
    out += fmt::format("set label {} at {},{} {} offset {:.3f},{:.3f} textcolor rgb '{}' front\n",
                       gnuplot_text(label.text), exact_text(label.x), exact_text(label.y),
                       kAligns[static_cast<std::size_t>(label.align)], label.x_offset / 7, label.y_offset / 14,
                       label.ink.empty() ? "#222222" : ink_of(label.ink).color);
  }
  return out;
}

std::string panel_commands(const Panel& panel, std::size_t number) {
  std::string out = kStyle;
  out += fmt::format("set title {} offset 0,-0.4\n", gnuplot_text(panel.title));
  out += axis_commands(panel.x, "x") + axis_commands(panel.y, "y");
  if (panel.heat) return out + "unset key\n" + heat_commands(*panel.heat, fmt::format("$heat{}", number));
  out += key_command(panel.legend);
  std::string plots;
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    if (panel.curves[i].x.empty()) continue;
    const std::string block = fmt::format("$curve{}_{}", number, i);
    out += curve_data(panel.curves[i], block);
    plots += (plots.empty() ? "plot " : ", ") + curve_plot(panel.curves[i], block);
  }
  // An empty panel keeps its place and its title.
  if (plots.empty()) plots = "set xrange [0:1]\nset yrange [0:1]\nplot NaN notitle";
  return out + label_commands(panel.labels) + plots + "\n" + (panel.labels.empty() ? "" : "unset label\n");
}

}  // namespace

std::string gnuplot_script(const Figure& figure) {
  const int count = static_cast<int>(figure.panels.size());
  const int columns = std::max(1, figure.columns > 0 ? std::min(figure.columns, count) : count);
  const int rows = std::max(1, (count + columns - 1) / columns);
  std::string out = fmt::format(
      "set encoding utf8\nset terminal svg size {},{} noenhanced font 'Helvetica,12' background '#ffffff'\n"
      "set multiplot layout {},{}\n",
      columns * figure.panel_width, rows * figure.panel_height, rows, columns);
  for (std::size_t i = 0; i < figure.panels.size(); ++i) out += panel_commands(figure.panels[i], i);
  return out + "unset multiplot\n";
}

}  // namespace faithful
