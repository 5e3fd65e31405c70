#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "faithful/base/api.h"

namespace faithful {

// How an encoding enters a Transformer.
enum class EncodingKind {
  kNone,             // not at all
  kAdditive,         // added to the input:                values [S, d]
  kConcatenated,     // appended to the input:             values [S, time_dim]
  kRotary,           // rotates queries and keys:          values [S, d_h], cosines then sines
  kLogitBias,        // added to the attention logits:     values [H, S, S]
  kRelativeVectors,  // added to keys and values:          values [2, 2 clip + 1, d_h]
  kWeightBias,       // added to the softmaxed attention:  values [H, S, S]
};
FAITHFUL_API std::string_view to_string(EncodingKind kind);

// What an additive table is multiplied by. Its RMS norm is the root of the mean of its rows' squared norms.
struct EncodingScale {
  enum class Rule { kAsDefined, kUnit, kMatched, kNumber };
  Rule rule = Rule::kAsDefined;  // kUnit: to RMS norm 1; kMatched: to RMS norm sqrt(d/2), that of `sinusoidal`
  double number = 1;             // kNumber: the factor itself
};
// as-defined, unit, matched or a positive number. InputError names the place, and what the place takes besides these.
FAITHFUL_API EncodingScale parse_scale(std::string_view text, const std::string& place = "--scale",
                                       std::string_view besides = "");
FAITHFUL_API std::string to_string(const EncodingScale& scale);

// Libraries disagree on these; the defaults are the paper's.
struct SinusoidalConvention {
  enum class Layout { kInterleaved, kHalves };            // sin cos sin cos ..  |  all sines, then all cosines
  enum class Step { kTwoOverDim, kOneOverHalfMinusOne };  // exponent 2i/d  |  i/(d/2 - 1), which ends at 1/rho
  Layout layout = Layout::kInterleaved;
  Step step = Step::kTwoOverDim;
  double first_position = 0;  // added to every position
};

// Which two coordinates of a head are rotated together: (2i, 2i+1), or (i, i + d_h/2).
enum class RotaryPairing { kInterleaved, kHalves };

struct EncodingOptions {
  std::size_t length = 0;              // S, --length
  std::size_t dim = 0;                 // d, --dim
  std::size_t heads = 8;               // H, --heads; d_h = d / H
  double rho = 1e4;                    // base of sinusoidal, tape and rope, --rho
  std::size_t period = 0;              // of dft where S > d, --period; 0: d itself
  EncodingScale scale = {};            // of additive encodings, --scale
  std::uint64_t seed = 1;              // of everything that is drawn, --seed
  std::size_t clip = 16;               // of shaw: offsets beyond +-clip share a vector, --clip
  std::size_t time_dim = 16;           // width of mtan and time2vec, --time-dim
  std::vector<double> positions = {};  // real-valued positions instead of 0..S-1 ([S]; empty: none), --positions-file
  SinusoidalConvention sinusoidal = {};
  RotaryPairing pairing = RotaryPairing::kInterleaved;
  bool tupe_relative = false;           // adds a t5 bias to tupe
  std::vector<double> parameters = {};  // of a learned encoding, in the layout of start_parameters(); empty: its start
};

struct Encoding {
  std::string name = {};
  EncodingKind kind = EncodingKind::kNone;
  std::vector<std::size_t> shape = {};  // as EncodingKind says; empty for kNone
  std::vector<double> values = {};      // row after row
  std::vector<double> frequencies =
      {};  // those it is made of, each once, in radians per sample (not folded); may be empty
};

// The table that `name` has in the catalog. InputError where the name is unknown (with suggestions), or an option has
// no meaning for it; the place is the option.
FAITHFUL_API Encoding make_encoding(const std::string& name, const EncodingOptions& options);

// Start values of the parameters that training moves; empty for fixed encodings. Layouts:
//   learned [S, d]; learned-frequency [2, d], w then b; mtan, time2vec [2, time_dim], w then b;
//   t5 [32, H]; kerple [2, H], r1 then r2; erpe [2S-1, H], row i-j+S-1; shaw [2, 2 clip + 1, d_h], keys then values;
//   tupe p [S, d], then UQ [d, d], then UK [d, d], and with tupe_relative the table of t5 [32, H] behind them.
FAITHFUL_API std::vector<double> start_parameters(const std::string& name, const EncodingOptions& options);

}  // namespace faithful
