#include "app/encoding_arguments.h"

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/io/csv.h"

namespace faithful::app {

namespace {

std::vector<double> load_positions(const std::string& path) {
  const Matrix<double> table = load_csv_matrix(path);
  if (table.columns != 1) {
    reject({{path}, "one position per line", fmt::format("{} columns", table.columns)});
  }
  return table.values;
}

}  // namespace

std::vector<Option> encoding_option_list(EncodingArguments& arguments) {
  EncodingOptions& o = arguments.options;
  std::vector<Option> own;
  const std::vector<Setting> settings = o.own.settings();
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (!own_options()[i].in_table) continue;
    own.push_back(option_of(settings[i]));
    own.back().group = "";
  }
  return joined({{{"--length S", &o.length, "number of positions", required, at_least(1), by_default("")},
                  {"--dim D", &o.dim, "width of the encoding; biases do not need it", at_least(1), by_default("")},
                  {"--heads H", &o.heads, "number of attention heads, for encodings inside attention", at_least(1)},
                  {"--scale X", &arguments.scale,
                   "scale of the codes: as-defined, unit (RMS norm 1), matched (sqrt(D/2)) or a factor"}},
                 own,
                 {{"--seed N", &o.seed, "seed of random codes and initial values"},
                  {"--positions-file FILE", &arguments.positions_file,
                   "file with real-valued positions, one per line, instead of 0..S-1", of_field("positions")}}});
}

EncodingOptions resolved(const EncodingArguments& arguments) {
  EncodingOptions options = arguments.options;
  options.scale = parse_scale(arguments.scale);
  if (!arguments.positions_file.empty()) options.positions = load_positions(arguments.positions_file);
  return options;
}

}  // namespace faithful::app
