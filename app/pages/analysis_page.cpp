#include "app/pages/analysis_page.h"

#include <filesystem>
#include <functional>

#include <fmt/format.h>

#include "app/pages/analysis_figures.h"
#include "faithful/base/version.h"
#include "faithful/io/file.h"
#include "faithful/io/json.h"
#include "faithful/outcome/analysis_json.h"
#include "faithful/report/page.h"
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
      {"share of monotone steps", of_measures([](const Faithfulness& f) { return f.monotone_share; })},
      {"shift defect", of_measures([](const Faithfulness& f) { return f.shift_defect; })},
      {"offsets told apart", [](const Analysis& a) { return count_cell(a.faithfulness.distinct_offsets); }},
      {"sign of an offset seen",
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
    page.add_heading("What is to be said about " + one.name);
    std::vector<std::string> items;
    for (const Finding& finding : one.findings) {
      items.push_back(fmt::format("{}: {}",
                                  finding.weight == Finding::Weight::kFault     ? "Fault"
                                  : finding.weight == Finding::Weight::kWarning ? "Warning"
                                                                                : "Remark",
                                  finding.text));
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

WrittenPage write_analysis_page(const std::string& folder, const std::vector<Analysis>& analyses,
                                const std::string& command) {
  make_page_folder(folder);
  const auto in_folder = [&](const std::string& name) { return (std::filesystem::path(folder) / name).string(); };
  WrittenPage written{in_folder("report.html"), ""};
  const Table measures = measures_table(analyses), reconstructions = reconstruction_table(analyses);

  Page page("How faithful is " + names_of(analyses) + "?",
            fmt::format("faithful {}, {}", build_info().version, command));
  page.add_paragraph(
      "An encoding of positions should tell every position from every other, also after rounding and under noise. The "
      "measures below say how well each one does. Being equally far from all others (good for telling apart) and being "
      "further from what is further away (order) exclude each other: read the two groups together.");
  add_findings(page, analyses);
  page.add_heading("Measures");
  page.add_table(measures);
  page.add_heading("Figures");
  FigureWriter figures(page, folder);
  for (const CaptionedFigure& one : analysis_figures(analyses)) figures.add(one);
  written.problem = figures.problem();
  page.add_heading("Reconstruction, every case");
  page.add_paragraph(
      "A delta at each position, through Algorithm 1 with the weights of each encoding (exact where its frequencies "
      "are "
      "those of the basis, smoothed with each bandwidth), weighted per frequency as in the paper and per basis "
      "function; "
      "and through ridge inversion, which needs no kernel.");
  page.add_table(reconstructions);
  write_file(in_folder("measures.csv"), to_csv(measures));
  write_file(in_folder("deltas.csv"), to_csv(reconstructions));
  save_json(in_folder("analysis.json"), analysis_json(analyses));
  write_file(written.path, page.html());
  return written;
}

}  // namespace faithful::app
