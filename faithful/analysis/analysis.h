#pragma once

// Everything that `faithful analyze` reports about an encoding or a table.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faithful/analysis/measures.h"
#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"
#include "faithful/encoding/encoding.h"

namespace faithful {

struct AnalysisOptions {
  double sigma_bins = 4;                  // bandwidth of the main figures, in bins of 2 pi / d
  std::vector<std::size_t> at = {};       // positions of the deltas; empty: those of 5, 40, 75 below min(S, d)
  double ridge = 1e-2;                    // lambda of the ridge inversion
  FaithfulnessOptions faithfulness = {};  // noise
  std::size_t search_values = 1 << 22;    // largest table, in values, in the search for the first collision
  ThreadPool* pool = nullptr;             // nullptr: one of default_threads()
};

// The curve of Algorithm 1 at the main bandwidth, for the figure.
struct DeltaCurve {
  std::size_t position = 0;
  std::vector<double> curve;  // [d]
};

struct Analysis {
  std::string name;
  std::optional<EncodingKind> kind;  // empty: a table of the user
  std::size_t length = 0;            // S
  std::size_t dim = 0;               // d: width of the table; for a bias the width of the model
  double rms_norm = 0;               // of the codes
  Matrix<double> table;              // what the heat map shows: the codes, or the bias of the first head
  Matrix<double> cosines;            // [S, S] inner products of the codes at RMS norm 1
  std::optional<Spectrum> spectrum;  // of additive, concatenated and rotary tables
  std::vector<Reconstruction> reconstruction;
  std::vector<DeltaCurve> curves;  // per-frequency, with `spectrum`'s g
  std::vector<RidgeInversion> ridge;
  Faithfulness faithfulness;
  std::vector<Finding> findings;  // only for tables of the user
  std::string note;               // what the encoding chose for itself; may be empty
};

// Measures the encoding of that name in the catalog. InputError as in make_encoding, and if a position of a delta is
// not in the table.
FAITHFUL_API Analysis analyze(const std::string& name, const EncodingOptions& encoding_options,
                              const AnalysisOptions& options = {});

// Measures a table [S, d] of the user; row s is the code of position s. `name` is its name in messages and figures,
// such as a file name. InputError if the table is empty, has a value that is not finite (`name:row:column`), or is too
// long to compare all pairs.
FAITHFUL_API Analysis analyze_table(const std::string& name, const Matrix<double>& table,
                                    const AnalysisOptions& options = {});

// The largest number of positions of a table.
inline constexpr std::size_t kMostPositions = 4096;

}  // namespace faithful
