#include "app/encoding_arguments.h"

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/io/csv.h"

namespace faithful::app {

namespace {

std::vector<double> load_positions(const std::string& path) {
  const Matrix<double> table = load_csv_matrix(path);
  if (table.columns != 1) {
    reject({{path}, "one position a line", fmt::format("{} columns", table.columns)});
  }
  return table.values;
}

}  // namespace

std::vector<Option> encoding_option_list(EncodingArguments& arguments) {
  EncodingOptions& o = arguments.options;
  return {
      {.name = "--length",
       .target = &o.length,
       .value = "S",
       .help = "number of positions",
       .required = true,
       .at_least = 1,
       .shown_default = ""},
      {.name = "--dim",
       .target = &o.dim,
       .value = "D",
       .help = "width of the encoding (biases need none)",
       .at_least = 1,
       .shown_default = ""},
      {.name = "--rho", .target = &o.rho, .value = "R", .help = "base of sinusoidal, tape and rope", .at_least = 0},
      {.name = "--period",
       .target = &o.period,
       .value = "N",
       .help = "of dft, where there are more positions than dimensions: N >= S",
       .shown_default = "D"},
      {.name = "--scale",
       .target = &arguments.scale,
       .value = "X",
       .help = "as-defined, unit (RMS norm 1), matched (sqrt(D/2)) or a factor"},
      {.name = "--layout",
       .target = &arguments.layout,
       .value = "L",
       .help = "of sinusoidal",
       .choices = {"interleaved", "halves"}},
      {.name = "--exponent",
       .target = &arguments.exponent,
       .value = "E",
       .help = "of sinusoidal",
       .choices = {"2i/d", "i/(d/2-1)"}},
      {.name = "--heads",
       .target = &o.heads,
       .value = "H",
       .help = "attention heads of biases, rope, shaw, tupe",
       .at_least = 1},
      {.name = "--clip", .target = &o.clip, .value = "K", .help = "of shaw: offsets beyond +-K share a vector"},
      {.name = "--time-dim", .target = &o.time_dim, .value = "D", .help = "width of mtan and time2vec", .at_least = 1},
      {.name = "--seed", .target = &o.seed, .value = "N", .help = "of everything that is drawn"},
      {.name = "--positions-file",
       .target = &arguments.positions_file,
       .value = "FILE",
       .help = "real-valued positions, one a line, instead of 0..S-1"},
  };
}

EncodingOptions resolved(const EncodingArguments& arguments) {
  EncodingOptions options = arguments.options;
  options.scale = parse_scale(arguments.scale);
  if (arguments.layout == "halves") options.sinusoidal.layout = SinusoidalConvention::Layout::kHalves;
  if (arguments.exponent != "2i/d") options.sinusoidal.step = SinusoidalConvention::Step::kOneOverHalfMinusOne;
  if (!arguments.positions_file.empty()) {
    options.positions = load_positions(arguments.positions_file);
  }
  return options;
}

}  // namespace faithful::app
