#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "app/encoding_arguments.h"
#include "app/pages/analysis_page.h"
#include "app/tables.h"
#include "app/verbs.h"
#include "faithful/analysis/analysis.h"
#include "faithful/base/error.h"
#include "faithful/io/json.h"
#include "faithful/outcome/analysis_json.h"

namespace faithful::app {

namespace {

struct AnalyzeOptions {
  std::vector<std::string> names;
  EncodingArguments encoding;
  AnalysisOptions analysis;
  bool json = false;
  std::string output;  // folder; empty: nothing is written
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
    // Encodings beside a table are compared at its size where none is given.
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
  options.analysis.faithfulness.seed = options.encoding.options.seed;
  const std::vector<Analysis> analyses = analyze_all(options);
  WrittenPage page;
  if (!options.output.empty()) page = write_analysis_page(options.output, analyses, command_text(options));
  if (options.json) {
    print(dump_json(analysis_json(analyses), JsonLayout::kPretty));
  } else {
    print(to_text(measures_table(analyses)) + findings_text(analyses));
    if (!page.path.empty()) print("\n" + page.path + "\n");
  }
  if (!page.problem.empty()) std::fprintf(stderr, "faithful: %s\n", page.problem.c_str());
}

}  // namespace

Command analyze_verb() {
  const auto options = std::make_shared<AnalyzeOptions>();
  std::vector<Option> list = {{.name = "NAME",
                               .target = &options->names,
                               .help = "encodings, and files (.npy, .csv) with a table of your own, a position a row",
                               .required = true}};
  for (Option option : encoding_option_list(options->encoding)) {
    option.required = false;  // a file has its own size
    list.push_back(option);
  }
  list.push_back({.name = "--sigma-bins",
                  .target = &options->analysis.sigma_bins,
                  .value = "X",
                  .help = "bandwidth of the kernel, in bins of 2 pi / D"});
  list.push_back({.name = "--at",
                  .target = &options->analysis.positions,
                  .value = "LIST",
                  .help = "positions of the deltas that are reconstructed",
                  .shown_default = "those of 5,40,75 that exist"});
  list.push_back(threads_option(options->analysis.threads));
  list.push_back({.name = "--json", .target = &options->json, .help = "print every number as JSON"});
  list.push_back({.name = "-o,--output",
                  .target = &options->output,
                  .value = "DIR",
                  .help = "folder for report.html, the figures, and every number as CSV and JSON"});
  return {
      .name = "analyze",
      .summary = "measures how faithful encodings are, and compares them",
      .description =
          "Measures how well encodings tell positions apart: distances, rank, decoding under noise, where their "
          "frequencies lie, and what is left of a delta function. A table of your own is measured alike, and what is "
          "wrong with it is said in words.",
      .options = list,
      .examples = {{"faithful analyze sinusoidal dft --length 80 --dim 256 -o report",
                    "the paper's comparison, with a page of figures"},
                   {"faithful analyze positions.npy sinusoidal -o report", "a table of your own beside the original"}},
      .run = [options] { run_analyze(*options); }};
}

}  // namespace faithful::app
