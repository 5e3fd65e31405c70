#pragma once

// What is wrong with a table of positions, in plain words.

#include <string>
#include <vector>

#include "faithful/analysis/faithfulness.h"
#include "faithful/base/api.h"
#include "faithful/base/matrix.h"

namespace faithful {

struct Finding {
  enum class Weight { kFault, kWarning, kRemark };
  Weight weight = Weight::kRemark;
  std::string what;  // `duplicate-rows`, `transposed`, ...: for programs
  std::string text;  // for people: what is wrong, where, how much, and what to do
};
FAITHFUL_API std::string_view to_string(Finding::Weight weight);  // fault, warning, remark

// How the columns of a sinusoidal table are ordered: sin cos sin cos .., all sines then all cosines, or, by mistake,
// with a frequency of its own for every column.
enum class SinusoidalColumns { kInterleaved, kHalves, kUnshared };

// The table a * sin or cos((s + origin) * first * ratio^i), i the number of the pair (of the column where unshared).
struct SinusoidalFit {
  SinusoidalColumns columns = SinusoidalColumns::kInterleaved;
  bool sine_first = true;
  double first = 0;      // highest frequency, radians per sample
  double ratio = 0;      // of neighbouring frequencies
  double origin = 0;     // position of row 0
  double amplitude = 0;  // a
  double error = 1;      // RMS difference from the table / RMS of the table

  // The rho for which ratio = rho^(-2/d) (unshared: rho^(-1/d)).
  double base(std::size_t d) const;
};

// The best fit of the sinusoidal form to a table [S, d], over frequencies, layout and order. Frequencies are
// measured in each column, so that any base is found; error 1 where no column is a sinusoid.
FAITHFUL_API SinusoidalFit fit_sinusoidal(const Matrix<double>& table);

// All findings about a table [S, d] of finite numbers, faults first.
FAITHFUL_API std::vector<Finding> diagnose_table(const Matrix<double>& table, const Faithfulness& measures,
                                                 double lowest_bin_share);

}  // namespace faithful
