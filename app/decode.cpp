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
  if (const std::size_t far = count_far_codes(codes, positions, options.period, options.scale); far > 0)
    notice(fmt::format(
        "{} of {} rows are far from every code, so their positions are guesses: look at {}, {} and the table", far,
        codes.rows, field_text("period"), field_text("scale")));
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
          .summary = "recovers the positions from a table of DFT codes",
          .description =
              "Prints the position of each row of a DFT encoding, one per line. They are exact even with noise below "
              "half the smallest distance between codes.",
          .options = {{"TABLE", &options->table, "a .npy, .npz or .csv file, one code per row", required},
                      {"--period N", &options->period, "the period that encode used", by_default("D")},
                      {"--scale X", &options->scale, "the factor that encode used"},
                      {"--json", &options->json, "print JSON"}},
          .examples = {{"faithful decode dft.npy", "0, 1, 2, ... for a table of encode"}},
          .run = [options] { decode(*options); }};
}

}  // namespace faithful::app
