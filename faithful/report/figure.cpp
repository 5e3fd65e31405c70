#include "faithful/report/figure.h"

#include <cmath>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/report/child.h"
#include "faithful/report/text.h"

namespace faithful {

namespace {

constexpr int kMostSeconds = 120;  // for gnuplot

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
}

// gnuplot names one font family; a browser needs others to fall back to. The pixels of a heat map stay sharp.
std::string finish_svg(std::string svg) {
  replace_all(svg, "font-family=\"Helvetica\"", "font-family=\"Helvetica,Arial,'Liberation Sans',sans-serif\"");
  replace_all(svg, "<image ", "<image style='image-rendering:pixelated' ");
  return svg;
}

std::string first_line(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

std::string problem_of(const ChildResult& result) {
  switch (result.end) {
    case ChildResult::End::kNotFound:
      return "no figures drawn: gnuplot was not found (sudo apt install gnuplot-nox); their numbers are in the CSV files";
    case ChildResult::End::kTimedOut:
      return fmt::format("gnuplot was stopped after {} s", kMostSeconds);
    case ChildResult::End::kKilled:
      return fmt::format("gnuplot was killed by signal {}", result.status);
    case ChildResult::End::kExited:
      break;
  }
  return fmt::format("gnuplot failed: {}", quote(first_line(result.errors), 200));
}

// Empty where there is no number: a break in a curve, a value that is not defined.
std::string number_cell(double value) {
  return std::isfinite(value) ? exact_text(value) : "";
}

}  // namespace

Rendering render(const Figure& figure) {
  // -d: without the user's own start-up files.
  const ChildResult result = run_child({"gnuplot", "-d", "-"}, gnuplot_script(figure), kMostSeconds);
  if (result.end != ChildResult::End::kExited || result.status != 0 || result.output.empty())
    return {"", problem_of(result)};
  return {finish_svg(result.output), ""};
}

std::string figure_csv(const Figure& figure) {
  std::string out = "panel,curve,x,y,low,high,value\n";
  for (const Panel& panel : figure.panels) {
    const std::string title = csv_words(panel.title);
    for (const Curve& curve : panel.curves) {
      for (std::size_t i = 0; i < curve.x.size(); ++i) {
        const bool interval = !curve.low.empty();
        out += fmt::format("{},{},{},{},{},{},\n", title, csv_words(curve.name), number_cell(curve.x[i]),
                           number_cell(curve.y[i]), interval ? number_cell(curve.low[i]) : "",
                           interval ? number_cell(curve.high[i]) : "");
      }
    }
    if (!panel.heat) continue;
    const HeatMap& heat = *panel.heat;
    for (std::size_t r = 0; r < heat.values.rows; ++r) {
      for (std::size_t c = 0; c < heat.values.columns; ++c) {
        out += fmt::format("{},,{},{},,,{}\n", title, number_cell(heat.x_first + heat.x_step * static_cast<double>(c)),
                           number_cell(heat.y_first + heat.y_step * static_cast<double>(r)),
                           number_cell(heat.values(r, c)));
      }
    }
  }
  return out;
}

}  // namespace faithful
