#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "app/encoding_arguments.h"
#include "app/pages/analysis_page.h"
#include "app/tables.h"
#include "app/verbs.h"
#include "faithful/analysis/analysis.h"
#include "faithful/analysis/analysis_json.h"
#include "faithful/analysis/frontier.h"
#include "faithful/base/error.h"
#include "faithful/io/json.h"

namespace faithful::app {

namespace {

struct AnalyzeOptions {
  std::vector<std::string> names;
  EncodingArguments encoding;
  AnalysisOptions analysis;
  bool json = false;
  std::string output;  // folder; empty: nothing is written
  std::size_t threads = default_threads();
};

// Names of encodings have neither a dot nor a slash.
bool is_file(const std::string& name) {
  return name.find_first_of("./") != std::string::npos;
}

std::vector<Analysis> analyze_all(const AnalyzeOptions& options) {
  EncodingOptions encoding = resolved(options.encoding);
  std::vector<Matrix<double>> tables;
  for (const std::string& name : options.names) {
    if (!is_file(name)) continue;
    tables.push_back(load_table(name));
    // Without a size, encodings get the size of the table beside them.
    if (encoding.length == 0) encoding.length = tables.back().rows;
    if (encoding.dim == 0) encoding.dim = tables.back().columns;
  }
  std::vector<Analysis> analyses;
  auto table = tables.begin();
  for (const std::string& name : options.names) {
    analyses.push_back(is_file(name) ? analyze_table(name, *table++, options.analysis)
                                     : analyze(name, encoding, options.analysis));
  }
  return analyses;
}

// Of the size of the first additive encoding or table.
std::optional<Frontier> frontier_of(const AnalyzeOptions& options, const std::vector<Analysis>& analyses) {
  for (const Analysis& one : analyses) {
    if (one.kind && one.kind != EncodingKind::kAdditive) continue;
    if (one.length < 3 || one.length > kMostFrontierPositions || one.dim < 2 ||
        one.length * one.dim > kMostFrontierValues)
      continue;
    return make_frontier({.length = one.length, .dim = one.dim, .seed = options.encoding.options.seed},
                         options.analysis);
  }
  return std::nullopt;
}

std::string notes_text(const std::vector<Analysis>& analyses) {
  std::string text;
  for (const Analysis& one : analyses) {
    if (!one.note.empty()) text += fmt::format("{}{}: {}\n", text.empty() ? "\n" : "", one.name, one.note);
  }
  return text;
}

std::string command_text(const AnalyzeOptions& options) {
  std::string text = fmt::format("analyze {}", fmt::join(options.names, " "));
  if (options.encoding.options.length > 0) text += fmt::format(" --length {}", options.encoding.options.length);
  if (options.encoding.options.dim > 0) text += fmt::format(" --dim {}", options.encoding.options.dim);
  return text;
}

std::string findings_text(const std::vector<Analysis>& analyses) {
  std::string text;
  for (const Analysis& one : analyses) {
    for (const Finding& finding : one.findings) {
      text +=
          fmt::format("{}{}: {}: {}\n", text.empty() ? "\n" : "", one.name, to_string(finding.weight), finding.text);
    }
  }
  return text;
}

void run_analyze(AnalyzeOptions options) {
  ThreadPool pool(options.threads);
  options.analysis.pool = &pool;
  options.analysis.faithfulness.seed = options.encoding.options.seed;
  const std::vector<Analysis> analyses = analyze_all(options);
  std::string page;
  if (!options.output.empty())
    page = write_analysis_page(options.output, analyses, frontier_of(options, analyses), command_text(options));
  if (options.json) {
    print(dump_json(analysis_json(analyses), JsonLayout::kPretty));
  } else {
    print(to_text(measures_table(analyses)) + notes_text(analyses) + findings_text(analyses));
    if (!page.empty()) print("\n" + page + "\n");
  }
}

}  // namespace

Command analyze_verb() {
  const auto options = std::make_shared<AnalyzeOptions>();
  AnalysisOptions& analysis = options->analysis;
  std::vector<Option> list = joined(
      {{{"NAME", &options->names, "encodings, and files (.npy, .csv) with your own table, one position per row",
         required}},
       encoding_option_list(options->encoding),
       {{"--sigma-bins X", &analysis.sigma_bins, "bandwidth of the kernel, in bins of 2 pi / D"},
        {"--at LIST", &analysis.at, "positions of the delta functions to reconstruct",
         by_default("5,40,75 where they exist")},
        threads_option(options->threads),
        {"--json", &options->json, "print every number as JSON"},
        {"-o,--output DIR", &options->output, "folder for a page with figures, and every number as CSV and JSON"}}});
  for (Option& option : list) {
    if (option.name == "--length") option.required = false;  // a file has its own size
  }
  return {
      .name = "analyze",
      .summary = "measures and compares encodings",
      .description =
          "Measures how well encodings separate positions: distances, rank, decoding under noise, frequencies, and the "
          "reconstruction of a delta function. A table of your own gets the same measures, and a list of what is wrong "
          "with it. A folder (-o) also gets a figure of separation against distance awareness, in which the spectral "
          "encoding is a curve over its length scale, and each other additive encoding is a point.",
      .options = list,
      .examples = {{"faithful analyze sinusoidal dft --length 80 --dim 256 -o report",
                    "the comparison of the paper, with a page of figures"},
                   {"faithful analyze spectral sinusoidal dft --length 80 --dim 256 --length-scale 5",
                    "the spectral encoding between the two"},
                   {"faithful analyze positions.npy sinusoidal -o report",
                    "your own table beside the original encoding"}},
      .run = [options] { run_analyze(*options); }};
}

}  // namespace faithful::app
