#include <memory>

#include <fmt/format.h>

#include "app/encoding_arguments.h"
#include "app/verbs.h"
#include "faithful/base/error.h"
#include "faithful/encoding/catalog.h"
#include "faithful/io/csv.h"
#include "faithful/io/npy.h"

namespace faithful::app {

namespace {

struct EncodeOptions {
  std::string name;
  EncodingArguments encoding;
  std::string dtype = "f64";
  std::string output;  // .npy or .csv; empty: CSV on standard output
};

// Shortest numbers that read back to the same bits.
template <class T>
std::string csv_text(const Matrix<T>& table) {
  std::string text;
  for (std::size_t r = 0; r < table.rows; ++r) text += fmt::format("{}\n", fmt::join(table.row(r), ","));
  return text;
}

// The table as CSV needs it.
template <class T>
Matrix<T> as_matrix(const Encoding& encoding, const std::string& place) {
  if (encoding.shape.size() != 2) {
    reject({{place},
            "a .npy file for a table of more than two axes",
            fmt::format("{} of {}", shape_text(encoding.shape), encoding.name),
            "use -o table.npy"});
  }
  return {encoding.shape[0], encoding.shape[1], std::vector<T>(encoding.values.begin(), encoding.values.end())};
}

template <class T>
void save(const Encoding& encoding, const std::string& output) {
  if (output.empty()) {
    print(csv_text(as_matrix<T>(encoding, "standard output")));
  } else if (output.ends_with(".csv") || output.ends_with(".csv.gz")) {
    save_csv(output, {}, as_matrix<T>(encoding, output));
  } else {
    const std::vector<T> values(encoding.values.begin(), encoding.values.end());
    save_npy(output, npy_view<T>(encoding.shape, values));
  }
}

void encode(const EncodeOptions& options) {
  const std::string& output = options.output;
  if (!output.empty() && !output.ends_with(".npy") && !output.ends_with(".csv") && !output.ends_with(".csv.gz")) {
    reject({{"--output"}, "a file name that ends in .npy, .csv or .csv.gz", quote(output)});
  }
  const Encoding encoding = make_encoding(options.name, resolved(options.encoding));
  if (encoding.kind == EncodingKind::kNone) {
    reject({{"encoding"}, "an encoding with a table", quote(options.name), "none adds nothing to the model"});
  }
  if (options.dtype == "f32") {
    save<float>(encoding, output);
  } else {
    save<double>(encoding, output);
  }
  if (!output.empty())
    print(fmt::format("{}: {} {}, {}{}\n", output, encoding.name, shape_text(encoding.shape), options.dtype,
                      encoding.note.empty() ? "" : "; " + encoding.note));
}

}  // namespace

Command encode_verb() {
  const auto options = std::make_shared<EncodeOptions>();
  return {.name = "encode",
          .summary = "writes the table of an encoding",
          .description =
              "Writes a positional encoding as a table of numbers. Shapes: additive encodings [S, D]; biases "
              "[H, S, S]; rope [S, D/H], cosines then sines; shaw [2, 2K+1, D/H]. Learned encodings have their initial "
              "values.",
          .options = joined(
              {{{"NAME", &options->name, "an encoding; faithful list shows them", required}},
               encoding_option_list(options->encoding),
               {{"--dtype T", &options->dtype, "type of the numbers", one_of({"f64", "f32"})},
                {"-o,--output FILE", &options->output, "table.npy or table.csv; without this option CSV is printed"}}}),
          .examples = {{"faithful encode dft --length 80 --dim 256 -o dft.npy", "the DFT encoding of 80 positions"},
                       {"faithful encode dft --length 80 --dim 64 --period 80 -o dft.npy",
                        "more positions than dimensions"},
                       {"faithful encode alibi --length 100 --heads 8 -o alibi.npy", "one bias per head"}},
          .run = [options] { encode(*options); }};
}

}  // namespace faithful::app
