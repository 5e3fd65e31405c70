#include <memory>

#include <fmt/format.h>

#include "app/tables.h"
#include "app/verbs.h"
#include "faithful/base/error.h"
#include "faithful/encoding/dft.h"
#include "faithful/io/json.h"

namespace faithful::app {

namespace {

struct DecodeOptions {
  std::string table;
  std::size_t period = 0;
  double scale = 1;
  bool json = false;
};

void decode(const DecodeOptions& options) {
  const Matrix<double> codes = load_table(options.table);
  const std::vector<std::size_t> positions = decode_dft(codes, options.period, options.scale, options.table);
  if (options.json) {
    Json list = Json::array();
    for (const std::size_t position : positions) list.push_back(position);
    print(dump_json(list) + "\n");
  } else {
    print(fmt::format("{}\n", fmt::join(positions, "\n")));
  }
}

}  // namespace

Command decode_verb() {
  const auto options = std::make_shared<DecodeOptions>();
  return {.name = "decode",
          .summary = "positions back from a table of DFT codes",
          .description =
              "Gives the position of each row of a DFT encoding, one a line: exact, also after noise below half the "
              "smallest distance between codes.",
          .options = {{.name = "TABLE",
                       .target = &options->table,
                       .help = "a .npy, .npz or .csv file, one code a row",
                       .required = true},
                      {.name = "--period",
                       .target = &options->period,
                       .value = "N",
                       .help = "as it was given to encode",
                       .shown_default = "D"},
                      {.name = "--scale",
                       .target = &options->scale,
                       .value = "X",
                       .help = "the factor that was given to encode"},
                      {.name = "--json", .target = &options->json, .help = "print JSON"}},
          .examples = {{"faithful decode dft.npy", "0, 1, 2, ... for a table that encode wrote"}},
          .run = [options] { decode(*options); }};
}

}  // namespace faithful::app
