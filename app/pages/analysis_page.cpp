#include "app/pages/analysis_page.h"

#include <functional>

#include <fmt/format.h>

#include "app/pages/analysis_figures.h"
#include "app/pages/frontier_figure.h"
#include "faithful/analysis/analysis_json.h"
#include "faithful/io/json.h"
#include "faithful/report/text.h"

namespace faithful::app {

namespace {

using Measure = std::function<Cell(const Analysis&)>;

// The same number at each precision: "44 / 35 / 29 / 30".
template <class T, class Convert>
Cell at_each_precision(const PerPrecision<T>& values, Convert convert) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) text += (i == 0 ? "" : " / ") + convert(values[i]);
  return Cell(text);
}

std::string count_text(const std::optional<std::size_t>& value) {
  return value ? std::to_string(*value) : "–";
}

Cell count_cell(const std::optional<std::size_t>& value) {
  return value ? Cell::count(*value) : Cell(std::optional<double>());
}

// The delta in the middle, with the g of the figure.
const Reconstruction* main_reconstruction(const Analysis& analysis, Weighting weighting) {
  if (analysis.curves.empty()) return nullptr;
  const std::size_t position = analysis.curves[analysis.curves.size() / 2].position;
  for (const Reconstruction& one : analysis.reconstruction) {
    if (one.position == position && one.weighting == weighting && one.sigma_bins == analysis.spectrum->sigma_bins)
      return &one;
  }
  return nullptr;
}

template <class Get>
Measure of_reconstruction(Weighting weighting, Get get) {
  return [=](const Analysis& analysis) {
    const Reconstruction* one = main_reconstruction(analysis, weighting);
    return Cell(one ? std::optional<double>(get(one->shape)) : std::nullopt);
  };
}

template <class Get>
Measure of_ridge(Get get) {
  return [=](const Analysis& analysis) {
    if (analysis.ridge.empty()) return Cell(std::optional<double>());
    return Cell(std::optional<double>(get(analysis.ridge[analysis.ridge.size() / 2].shape)));
  };
}

template <class Get>
Measure of_measures(Get get) {
  return [=](const Analysis& analysis) { return Cell(get(analysis.faithfulness)); };
}

Cell noise_at_a_tenth(const Analysis& analysis) {
  const auto& noise = analysis.faithfulness.noise;
  for (std::size_t i = 0; noise && i < noise->sigmas.size(); ++i) {
    if (noise->sigmas[i] == 0.1) return Cell(noise->error_rates[i], 3);
  }
  return Cell(std::optional<double>());
}

struct NamedMeasure {
  const char* name;
  Measure measure;
};

std::vector<NamedMeasure> separation_measures() {
  return {
      {"smallest distance / RMS norm", of_measures([](const Faithfulness& f) { return f.min_distance; })},
      {"equal pairs: fp64 / fp32 / bf16 / fp16",
       [](const Analysis& a) {
         return at_each_precision(a.faithfulness.collisions,
                                  [](const Collisions& c) { return std::to_string(c.pairs); });
       }},
      {"first S with an equal pair, same order",
       [](const Analysis& a) {
         if (!a.faithfulness.collision_search_limit) return Cell(std::optional<double>());
         return at_each_precision(a.faithfulness.first_collision, count_text);
       }},
      {"(searched up to S)", [](const Analysis& a) { return count_cell(a.faithfulness.collision_search_limit); }},
      {"condition number",
       [](const Analysis& a) { return a.faithfulness.singular ? Cell("> 1/eps") : Cell(a.faithfulness.condition); }},
      {"rank: fp64 / fp32 / bf16 / fp16",
       [](const Analysis& a) { return at_each_precision(a.faithfulness.rank, count_text); }},
      {"stable rank", of_measures([](const Faithfulness& f) { return f.stable_rank; })},
      {"effective rank", of_measures([](const Faithfulness& f) { return f.effective_rank; })},
      {"coherence", of_measures([](const Faithfulness& f) { return f.coherence; })},
      {"Gram deviation", of_measures([](const Faithfulness& f) { return f.gram_deviation; })},
      {"wrong at noise σ = 0.1", noise_at_a_tenth},
      {"noise σ with 10 % wrong",
       of_measures([](const Faithfulness& f) { return f.noise ? std::optional(f.noise->sigma10) : std::nullopt; })},
  };
}

std::vector<NamedMeasure> order_measures() {
  return {
      {"Spearman of distance and |s-t|", of_measures([](const Faithfulness& f) { return f.spearman; })},
      {"Pearson of distance and |s-t|", of_measures([](const Faithfulness& f) { return f.pearson; })},
      {"share of monotone steps", of_measures([](const Faithfulness& f) { return f.monotone_share; })},
      {"shift defect", of_measures([](const Faithfulness& f) { return f.shift_defect; })},
      {"distinct offsets", [](const Analysis& a) { return count_cell(a.faithfulness.distinct_offsets); }},
      {"sign of the offset visible",
       [](const Analysis& a) {
         const auto& seen = a.faithfulness.sign_seen;
         return seen ? Cell(*seen ? "yes" : "no") : Cell(std::optional<double>());
       }},
  };
}

std::vector<NamedMeasure> fourier_measures() {
  const auto peak = [](const CurveShape& shape) { return shape.peak; };
  const auto fwhm = [](const CurveShape& shape) { return shape.fwhm; };
  const auto width10 = [](const CurveShape& shape) { return shape.width10; };
  const auto error = [](const CurveShape& shape) { return shape.l2_error; };
  return {
      {"share in the lowest bin",
       [](const Analysis& a) { return Cell(a.spectrum ? std::optional(a.spectrum->lowest_bin_share) : std::nullopt); }},
      {"delta: peak", of_reconstruction(Weighting::kPerFrequency, peak)},
      {"delta: width at half [samples]", of_reconstruction(Weighting::kPerFrequency, fwhm)},
      {"delta: width at a tenth [samples]", of_reconstruction(Weighting::kPerFrequency, width10)},
      {"delta: L2 error", of_reconstruction(Weighting::kPerFrequency, error)},
      {"delta, per basis function: peak", of_reconstruction(Weighting::kPerBasisFunction, peak)},
      {"delta, per basis function: width at half", of_reconstruction(Weighting::kPerBasisFunction, fwhm)},
      {"ridge: peak", of_ridge(peak)},
      {"ridge: width at half [samples]", of_ridge(fwhm)},
  };
}

// Every reconstruction a line.
Table reconstruction_table(const std::vector<Analysis>& analyses) {
  Table table{.title = "Reconstruction of deltas",
              .columns = {{"encoding"},
                          {"method"},
                          {"position"},
                          {"weighting"},
                          {"sigma", "bins"},
                          {"peak"},
                          {"FWHM", "samples"},
                          {"10 % width", "samples"},
                          {"L2 error"}},
              .rows = {}};
  for (const Analysis& one : analyses) {
    const auto add = [&](const char* method, std::size_t position, Cell weighting, std::optional<double> sigma,
                         const CurveShape& shape) {
      table.rows.push_back({one.name, method, Cell::count(position), std::move(weighting), Cell(sigma, 2), shape.peak,
                            shape.fwhm, shape.width10, shape.l2_error});
    };
    for (const Reconstruction& result : one.reconstruction) {
      add(result.smoothed ? "smoothed" : "exact", result.position, std::string(to_string(result.weighting)),
          result.sigma_bins, result.shape);
    }
    for (const RidgeInversion& result : one.ridge) add("ridge", result.position, "–", std::nullopt, result.shape);
  }
  return table;
}

std::string names_of(const std::vector<Analysis>& analyses) {
  std::string names;
  for (const Analysis& one : analyses) names += (names.empty() ? "" : ", ") + one.name;
  return names;
}

void add_findings(Page& page, const std::vector<Analysis>& analyses) {
  for (const Analysis& one : analyses) {
    if (one.findings.empty()) continue;
    page.add_heading("Findings about " + one.name);
    std::vector<std::string> items;
    for (const Finding& finding : one.findings) {
      std::string weight(to_string(finding.weight));
      weight[0] = static_cast<char>(std::toupper(weight[0]));
      items.push_back(fmt::format("{}: {}", weight, finding.text));
    }
    page.add_list(items);
  }
}

}  // namespace

Table measures_table(const std::vector<Analysis>& analyses) {
  Table table{.title = "", .columns = {{"measure"}}, .rows = {}};
  for (const Analysis& one : analyses) table.columns.push_back({.name = one.name, .right = true});
  table.rows.push_back({"positions x width"});
  for (const Analysis& one : analyses) table.rows[0].push_back(fmt::format("{} x {}", one.length, one.dim));
  for (const auto& group : {separation_measures(), order_measures(), fourier_measures()}) {
    for (const NamedMeasure& measure : group) {
      std::vector<Cell> row = {measure.name};
      bool any = false;
      for (const Analysis& one : analyses) {
        row.push_back(measure.measure(one));
        any = any || !row.back().missing;
      }
      if (any) table.rows.push_back(std::move(row));
    }
  }
  return table;
}

std::string write_analysis_page(const std::string& folder, const std::vector<Analysis>& analyses,
                                const std::optional<Frontier>& frontier, const std::string& command) {
  PageWriter writer(folder, "Faithfulness of " + names_of(analyses), command);
  Page& page = writer.page;
  page.add_paragraph(
      "A positional encoding should give every position its own code, also after rounding and under noise. The "
      "measures below show how well each encoding does this. Two aims exclude each other: codes that are equally far "
      "apart are easy to tell apart, and codes whose distance grows with the distance of the positions show the order. "
      "Read the two groups of measures together.");
  add_findings(page, analyses);
  page.add_heading("Measures");
  writer.add(measures_table(analyses), "measures.csv");
  page.add_heading("Figures");
  if (frontier) writer.add(frontier_figure(*frontier, analyses));
  for (const CaptionedFigure& one : analysis_figures(analyses)) writer.add(one);
  page.add_heading("All reconstructions");
  page.add_paragraph(
      "Each row is a delta function at one position, reconstructed from the frequencies of an encoding. Algorithm 1 of "
      "the paper is exact where the frequencies are those of the basis, and smoothed with each bandwidth otherwise; it "
      "weights per frequency, as in the paper, or per basis function. Ridge inversion needs no kernel.");
  writer.add(reconstruction_table(analyses), "deltas.csv");
  save_json(writer.path("analysis.json"), analysis_json(analyses));
  return writer.save();
}

}  // namespace faithful::app
