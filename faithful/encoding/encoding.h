#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/error.h"
#include "faithful/encoding/own_options.h"

namespace faithful {

// How an encoding enters a Transformer.
enum class EncodingKind {
  kNone,             // not at all
  kAdditive,         // added to the input:                values [S, d]
  kConcatenated,     // appended to the input:             values [S, features]
  kRotary,           // rotates queries and keys:          values [S, d_h], cosines then sines; pope [S, 2 d_h]
  kLogitBias,        // added to the attention logits:     values [H, S, S]
  kRelativeVectors,  // added to keys and values:          values [2, vectors, d_h], or [2, vectors, d] for all heads
  kWeightBias,       // added to the softmaxed attention:  values [H, S, S]
  kFromSignal,       // computed from each window's steps and added to them: no values
  kStochastic,       // queries and keys times random processes: no values
};
FAITHFUL_API std::string_view to_string(EncodingKind kind);

// The scale of an additive table. The RMS norm of a table is the square root of the mean squared norm of its rows.
struct EncodingScale {
  enum class Rule { kAsDefined, kUnit, kMatched, kNumber };
  Rule rule = Rule::kAsDefined;  // kUnit: to RMS norm 1; kMatched: to RMS norm sqrt(d/2), that of `sinusoidal`
  double number = 1;             // kNumber: the factor itself
};
// as-defined, unit, matched or a positive number. InputError names the place, and the other values that the place
// accepts.
FAITHFUL_API EncodingScale parse_scale(std::string_view text, const Place& place = {.field = "scale"},
                                       std::string_view besides = "");
FAITHFUL_API std::string to_string(const EncodingScale& scale);

struct EncodingOptions {
  std::size_t length = 0;               // S
  std::size_t dim = 0;                  // d
  std::size_t heads = 8;                // H; d_h = d / H
  EncodingScale scale = {};             // of additive encodings
  std::uint64_t seed = 1;               // of random codes and initial values
  std::vector<double> positions = {};   // real-valued positions instead of 0..S-1 ([S]; empty: none)
  OwnOptions own = {};                  // of single encodings: {{"rho", 100}}; CatalogEntry::options says which
  std::vector<double> parameters = {};  // of a learned encoding, in the layout of start_parameters(); empty: its start
};

struct Encoding {
  std::string name = {};
  EncodingKind kind = EncodingKind::kNone;
  std::vector<std::size_t> shape = {};   // as EncodingKind says; empty for kNone
  std::vector<double> values = {};       // row after row
  std::vector<double> frequencies = {};  // those it is made of, each once, radians per sample, not folded; may be empty
  std::string note = {};                 // what it chose for itself: "cosine basis, period 128"; may be empty
};

// Makes the table of the encoding `name`. InputError if the name is unknown (with suggestions), if an option does not
// apply to it (the error names the option), or if the encoding has no table (kFromSignal, kStochastic).
FAITHFUL_API Encoding make_encoding(const std::string& name, const EncodingOptions& options);

// InputError where make_encoding would refuse these options, except for the size of the table: a model may not need the
// table.
FAITHFUL_API void check_encoding(const std::string& name, const EncodingOptions& options);

// Initial values of the parameters that training changes; empty for fixed encodings. The file of the encoding describes
// their layout.
FAITHFUL_API std::vector<double> start_parameters(const std::string& name, const EncodingOptions& options);

}  // namespace faithful
