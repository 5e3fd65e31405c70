#include "app/pages/analysis_figures.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include "faithful/analysis/rounding.h"
#include "faithful/fourier/basis.h"

namespace faithful::app {

namespace {

constexpr int kMostInARow = 3;

std::vector<double> counted(std::size_t count, double first = 0) {
  std::vector<double> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

Figure in_rows(std::string name, std::vector<Panel> panels) {
  const int count = static_cast<int>(panels.size());
  // Four look better as two and two.
  const int columns = count == 4 ? 2 : std::min(count, kMostInARow);
  return {.name = std::move(name), .panels = std::move(panels), .columns = columns};
}

// Two panels with the same curves share one legend, beside them where it would cover them.
Figure pair_with_legend(std::string name, Panel left, Panel right) {
  const bool many = left.curves.size() > 3;
  if (many) {
    left.legend = Legend::kNone;
    right.legend = Legend::kRightOutside;
  }
  Figure figure = in_rows(std::move(name), {std::move(left), std::move(right)});
  if (many) figure.panel_width = 500;
  return figure;
}

CaptionedFigure spectrum_figure(const std::vector<Analysis>& analyses) {
  double largest = 0;
  for (const Analysis& one : analyses) {
    if (one.spectrum) largest = std::max(largest, std::ranges::max(one.spectrum->g));
  }
  std::vector<Panel> panels;
  for (const Analysis& one : analyses) {
    if (!one.spectrum) continue;
    const std::vector<double>& g = one.spectrum->g;
    const std::size_t d = one.curves.empty() ? one.dim : one.curves[0].curve.size();
    std::vector<double> frequencies(g.size());
    for (std::size_t k = 0; k < g.size(); ++k) frequencies[k] = basis_frequency(k, d);
    Panel panel{.title = one.name, .x = {"frequency", "rad/sample"}, .y = {"share of frequencies g"}};
    panel.x.low = 0;
    panel.x.high = std::numbers::pi;
    panel.x.ticks = {{0, "0"},
                     {std::numbers::pi / 4, "π/4"},
                     {std::numbers::pi / 2, "π/2"},
                     {3 * std::numbers::pi / 4, "3π/4"},
                     {std::numbers::pi, "π"}};
    panel.y.low = 0;
    panel.y.high = 1.08 * largest;
    panel.legend = Legend::kNone;
    const Mark mark = g.size() <= 200 ? Mark::kStems : Mark::kLines;
    panel.curves.push_back({.name = one.name, .x = frequencies, .y = g, .mark = mark, .dash = 1});
    panels.push_back(std::move(panel));
  }
  return {
      in_rows("spectrum", std::move(panels)),
      "The distribution of the frequencies of each encoding (Figure 1 of the paper). Most frequencies of the original "
      "encoding are very low, and none is above 1 rad/sample; the DFT encoding has every frequency of the basis."};
}

CaptionedFigure reconstruction_figure(const std::vector<Analysis>& analyses) {
  std::vector<Panel> panels;
  for (const Analysis& one : analyses) {
    if (one.curves.empty()) continue;
    const std::size_t shown = std::min(one.length, one.curves[0].curve.size());
    Panel panel{.title = one.name, .x = {"position t"}, .y = {"reconstruction"}};
    panel.x.low = 0;
    panel.x.high = static_cast<double>(shown - 1);
    panel.y.low = -0.1;
    panel.y.high = 1.1;
    Curve deltas{.name = "delta", .x = {}, .y = {}, .mark = Mark::kStems, .ink = "none"};
    for (const DeltaCurve& curve : one.curves) {
      deltas.x.push_back(static_cast<double>(curve.position));
      deltas.y.push_back(1);
    }
    panel.curves.push_back(std::move(deltas));
    for (const DeltaCurve& curve : one.curves) {
      panel.curves.push_back({.name = fmt::format("at {}", curve.position),
                              .x = counted(shown),
                              .y = {curve.curve.begin(), curve.curve.begin() + static_cast<std::ptrdiff_t>(shown)},
                              .ink = one.name,
                              .dash = 1});
    }
    panel.legend = Legend::kNone;  // the caption says it
    panels.push_back(std::move(panel));
  }
  return {in_rows("reconstruction", std::move(panels)),
          "A delta function reconstructed from the frequencies of each encoding (Algorithm 1, Figure 2 of the paper). "
          "Grey: the delta itself. The basis is cyclic: what leaves on one side enters on the other."};
}

// At most `most` rows and columns: means of equal blocks.
HeatMap shrunk(const Matrix<double>& matrix, std::size_t most) {
  const std::size_t row_step = (matrix.rows + most - 1) / most, column_step = (matrix.columns + most - 1) / most;
  const std::size_t rows = (matrix.rows + row_step - 1) / row_step;
  const std::size_t columns = (matrix.columns + column_step - 1) / column_step;
  Matrix<double> sum(rows, columns), count(rows, columns);
  for (std::size_t r = 0; r < matrix.rows; ++r) {
    for (std::size_t c = 0; c < matrix.columns; ++c) {
      sum(r / row_step, c / column_step) += matrix(r, c);
      count(r / row_step, c / column_step) += 1;
    }
  }
  for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] /= count.values[i];
  HeatMap heat{.values = std::move(sum)};
  heat.x_step = static_cast<double>(column_step);
  heat.y_step = static_cast<double>(row_step);
  heat.x_first = (heat.x_step - 1) / 2;
  heat.y_first = (heat.y_step - 1) / 2;
  return heat;
}

constexpr std::size_t kMostCells = 256;  // in each direction

CaptionedFigure table_figure(const std::vector<Analysis>& analyses) {
  std::vector<Panel> panels;
  bool any_shrunk = false;
  for (const Analysis& one : analyses) {
    if (one.table.values.empty()) continue;
    const bool bias = one.kind == EncodingKind::kLogitBias || one.kind == EncodingKind::kWeightBias;
    const bool vectors = one.kind == EncodingKind::kRelativeVectors;
    Panel panel{.title = bias      ? one.name + ", first head"
                         : vectors ? one.name + ", keys"
                                   : one.name,
                .x = {bias ? "key position" : "column"},
                .y = {bias      ? "query position"
                      : vectors ? "offset slot"
                                : "position s"}};
    panel.heat = shrunk(one.table, kMostCells);
    any_shrunk = any_shrunk || panel.heat->x_step > 1 || panel.heat->y_step > 1;
    panels.push_back(std::move(panel));
  }
  return {
      in_rows("table", std::move(panels)),
      fmt::format("The tables, row 0 at the top.{}", any_shrunk ? " Large tables are shown as means of blocks." : "")};
}

CaptionedFigure gram_figure(const std::vector<Analysis>& analyses) {
  std::vector<Panel> panels;
  for (const Analysis& one : analyses) {
    if (one.rms_norm == 0) continue;
    Panel panel{.title = one.name, .x = {"position t"}, .y = {"position s"}};
    panel.heat = shrunk(one.cosines, kMostCells);
    panel.heat->low = -1;
    panel.heat->high = 1;
    panels.push_back(std::move(panel));
  }
  return {
      in_rows("gram", std::move(panels)),
      "Inner products of the codes of two positions, at RMS norm 1. For orthogonal codes only the diagonal is not zero."};
}

// The widths of the paper's weighting in the middle of the positions, against the bandwidth.
CaptionedFigure sweep_figure(const std::vector<Analysis>& analyses) {
  Panel half{.title = "full width at half of the peak", .x = {"bandwidth σ", "bins"}, .y = {"width", "samples"}};
  half.x.log = true;
  half.y.log = true;
  half.x.low = 0.4;
  half.x.high = 10;
  half.y.low = 0.8;
  half.x.ticks = {{.5, "½"}, {1, "1"}, {2, "2"}, {4, "4"}, {8, "8"}};
  half.legend = Legend::kTopRight;
  Panel tenth = half;
  tenth.title = "full width at a tenth of the peak";
  for (const Analysis& one : analyses) {
    if (one.reconstruction.empty()) continue;
    const std::size_t position = one.curves[one.curves.size() / 2].position;
    Curve fwhm{.name = one.name, .x = {}, .y = {}, .mark = Mark::kLinePoints};
    Curve width10 = fwhm;
    for (const Reconstruction& result : one.reconstruction) {
      if (result.position != position || !result.smoothed || result.weighting != Weighting::kPerFrequency) continue;
      fwhm.x.push_back(*result.sigma_bins);
      fwhm.y.push_back(result.shape.fwhm.value_or(NAN));
      width10.x.push_back(*result.sigma_bins);
      width10.y.push_back(result.shape.width10.value_or(NAN));
    }
    half.curves.push_back(std::move(fwhm));
    tenth.curves.push_back(std::move(width10));
  }
  if (half.curves.empty()) return {in_rows("sigma-sweep", {}), ""};
  return {
      pair_with_legend("sigma-sweep", half, tenth),
      "The width of the reconstruction against the bandwidth of the kernel, the same for all encodings. The width in "
      "Figure 2 depends in part on the choice of σ."};
}

CaptionedFigure noise_figure(const std::vector<Analysis>& analyses) {
  Panel wrong{.title = "positions decoded wrongly", .x = {"noise σ per coordinate"}, .y = {"share wrong"}};
  wrong.x.log = true;
  wrong.x.low = 0.01;
  wrong.x.high = 2;
  wrong.x.ticks = {{.01, "0.01"}, {.03, "0.03"}, {.1, "0.1"}, {.3, "0.3"}, {1, "1"}};
  wrong.y.low = 0;
  wrong.y.high = 1;
  wrong.legend = Legend::kTopLeft;
  Panel distance{.title = "how far off", .x = wrong.x, .y = {"mean absolute error", "positions"}};
  distance.y.low = 0;
  distance.legend = Legend::kTopLeft;
  for (const Analysis& one : analyses) {
    if (!one.faithfulness.noise) continue;
    const NoiseDecoding& noise = *one.faithfulness.noise;
    wrong.curves.push_back({.name = one.name, .x = noise.sigmas, .y = noise.error_rates, .mark = Mark::kLinePoints});
    distance.curves.push_back(
        {.name = one.name, .x = noise.sigmas, .y = noise.mean_absolute_errors, .mark = Mark::kLinePoints});
  }
  if (wrong.curves.empty()) return {in_rows("noise", {}), ""};
  return {
      pair_with_legend("noise", wrong, distance),
      "Decoding under noise: N(0, σ²) is added to every coordinate of codes of RMS norm 1; the nearest code decides."};
}

CaptionedFigure singular_value_figure(const std::vector<Analysis>& analyses) {
  Panel panel{.title = "singular values of the codes", .x = {"index"}, .y = {"singular value / largest"}};
  panel.y.log = true;
  panel.y.low = 1e-18;
  panel.y.high = 10;
  panel.y.ticks = {{1, "1"}, {1e-4, "10⁻⁴"}, {1e-8, "10⁻⁸"}, {1e-12, "10⁻¹²"}, {1e-16, "10⁻¹⁶"}};
  panel.legend = Legend::kRightOutside;
  std::size_t longest = 0;
  for (const Analysis& one : analyses) {
    const std::vector<double>& values = one.faithfulness.singular_values;
    if (one.rms_norm == 0) continue;
    longest = std::max(longest, values.size());
    Curve curve{.name = one.name, .x = counted(values.size(), 1), .y = {}, .mark = Mark::kLinePoints};
    for (const double value : values) curve.y.push_back(value > 0 ? value / values[0] : NAN);
    panel.curves.push_back(std::move(curve));
  }
  if (longest == 0) return {in_rows("singular-values", {}), ""};
  for (std::size_t i = 0; i < kPrecisions.size(); ++i) {
    const double eps = epsilon(kPrecisions[i]);
    panel.curves.push_back({.name = fmt::format("ε of {}", to_string(kPrecisions[i])),
                            .x = {1, static_cast<double>(longest)},
                            .y = {eps, eps},
                            .ink = "none",
                            .dash = static_cast<int>(i) + 1});
  }
  CaptionedFigure result{in_rows("singular-values", {panel}),
                         "Singular values of the codes. The rank at a precision counts the values above its ε."};
  result.figure.panel_width = 680;
  result.figure.panel_height = 340;
  return result;
}

}  // namespace

std::vector<CaptionedFigure> analysis_figures(const std::vector<Analysis>& analyses) {
  std::vector<CaptionedFigure> figures;
  for (const auto& make : {spectrum_figure, reconstruction_figure, table_figure, gram_figure, sweep_figure,
                           noise_figure, singular_value_figure}) {
    CaptionedFigure figure = make(analyses);
    if (!figure.figure.panels.empty()) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace faithful::app
