#include <memory>

#include <fmt/format.h>

#include "app/encoding_arguments.h"
#include "app/tables.h"
#include "app/verbs.h"
#include "faithful/base/error.h"
#include "faithful/encoding/dft.h"
#include "faithful/encoding/spectral.h"
#include "faithful/io/json.h"

namespace faithful::app {

namespace {

struct DecodeOptions {
  std::string table;
  std::string encoding = "dft";
  EncodingOptions options;
  double scale = 1;
  bool json = false;
};

// The positions, and how far the rows are from their codes.
DecodedPositions decoded(const DecodeOptions& options, const Matrix<double>& codes) {
  if (options.encoding == "dft") {
    const std::size_t period = options.options.own.whole("period");
    DecodedPositions found{decode_dft(codes, period, options.scale, options.table)};
    found.distances = dft_distances(codes, found.positions, period, options.scale);
    return found;
  }
  EncodingOptions spectral = options.options;
  if (spectral.length == 0) spectral.length = codes.rows;
  spectral.dim = codes.columns;
  check_encoding("spectral", spectral);
  if (!(options.scale > 0)) reject({{.field = "scale"}, "a positive number", fmt::format("{}", options.scale)});
  SpectralShape shape = spectral_shape(spectral);
  shape.factor = options.scale;
  return decode_spectral(codes, shape, options.table);
}

// What to say of rows that are no codes, or not surely those of their positions; empty: there are none.
std::string distances_note(const CodeDistances& found, std::size_t rows, bool is_dft) {
  const std::string shape = is_dft ? field_text("period") : field_text("length_scale") + ", " + field_text("length");
  if (found.far > 0)
    return fmt::format(
        "{} of {} rows are far from every code, so their positions are guesses: look at {}, {} and the table",
        found.far, rows, shape, field_text("scale"));
  if (found.between == 0) return "";
  return fmt::format(
      "{} of {} rows lie between codes (up to {:.2g} from the nearest, which is {:.2g} from the next): noise, or a table "
      "of another {} or {}, whose positions are guesses",
      found.between, rows, found.furthest, found.apart, shape, field_text("scale"));
}

void decode(const DecodeOptions& options) {
  const Matrix<double> codes = load_table(options.table);
  const DecodedPositions found = decoded(options, codes);
  notice(distances_note(found.distances, codes.rows, options.encoding == "dft"));
  if (options.json) {
    Json list = Json::array();
    for (const std::size_t position : found.positions) list.push_back(position);
    print(dump_json(list) + "\n");
  } else {
    print(fmt::format("{}\n", fmt::join(found.positions, "\n")));
  }
}

// The flags of encode for the options that decode needs too.
std::vector<Option> own_option_list(EncodingOptions& options) {
  std::vector<Option> list;
  for (const Setting& setting : options.own.settings()) {
    for (const char* name : {"period", "length_scale", "spectrum", "smoothness", "basis"}) {
      if (setting.field.name != name) continue;
      list.push_back(option_of(setting));
      list.back().group = "";
    }
  }
  return list;
}

}  // namespace

Command decode_verb() {
  const auto options = std::make_shared<DecodeOptions>();
  return {.name = "decode",
          .summary = "recovers the positions from a table of DFT or spectral codes",
          .description =
              "Prints the position of each row of a DFT or spectral encoding, one per line: that of the nearest code. "
              "It is exact for every code, even with noise below half the smallest distance between codes. Give the "
              "options that encode had.",
          .options = joined({{{"TABLE", &options->table, "a .npy, .npz or .csv file, one code per row", required},
                              {"--encoding NAME", &options->encoding, "the encoding", one_of({"dft", "spectral"})},
                              {"--length S", &options->options.length, "number of positions, for spectral", at_least(1),
                               by_default("the rows of the table")}},
                             own_option_list(options->options),
                             {{"--scale X", &options->scale, "the factor that encode used"},
                              {"--json", &options->json, "print JSON"}}}),
          .examples = {{"faithful decode dft.npy", "0, 1, 2, ... for a table of encode"},
                       {"faithful decode spectral.npy --encoding spectral", "the same for the spectral encoding"}},
          .run = [options] { decode(*options); }};
}

}  // namespace faithful::app
