#include "faithful/analysis/findings.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace faithful {

namespace {

using Weight = Finding::Weight;

// A fit that leaves less than this is the form itself, stored in whatever precision.
constexpr double kSameForm = 0.01;

Matrix<double> transposed(const Matrix<double>& table) {
  Matrix<double> result(table.columns, table.rows);
  for (std::size_t r = 0; r < table.rows; ++r) {
    for (std::size_t c = 0; c < table.columns; ++c) result(c, r) = table(r, c);
  }
  return result;
}

bool near(double value, double wanted) {
  return std::abs(value / wanted - 1) < 0.02;
}

std::string describe_columns(const SinusoidalFit& fit) {
  const char* one = fit.sine_first ? "sine" : "cosine";
  const char* two = fit.sine_first ? "cosine" : "sine";
  switch (fit.columns) {
    case SinusoidalColumns::kInterleaved:
      return fmt::format("{} and {} alternate", one, two);
    case SinusoidalColumns::kHalves:
      return fmt::format("{}s in the first half, {}s in the second", one, two);
    case SinusoidalColumns::kUnshared:
      return fmt::format("{} and {} alternate, each with its own frequency", one, two);
  }
  return "";
}

std::string guess_at_exponent(double base) {
  if (near(base, 100)) return "; that is an exponent of i/d instead of 2i/d";
  if (near(base, 1e8))
    return "; that is an exponent of 4i/d instead of 2i/d, as if the number of the column were doubled";
  if (base < 1) return "; the exponent has the wrong sign: frequencies rise instead of falling";
  return "";
}

// About a table that is sinusoidal: which one, and whether that is the usual one.
Finding judge_sinusoidal(const SinusoidalFit& fit, std::size_t d) {
  const double base = fit.base(d);
  const std::size_t pairs = d / 2;
  const auto half = static_cast<double>(pairs);
  const bool to_the_end = half > 1 && near(std::pow(fit.ratio, -(half - 1)), 1e4);  // exponent i/(d/2 - 1)
  const std::string form = fmt::format("a sinusoidal table: {}, row 0 is position {:g}, highest frequency {:.4g} rad",
                                       describe_columns(fit), fit.origin, fit.first);
  if (fit.columns == SinusoidalColumns::kUnshared) {
    return {Weight::kFault, "wrong-exponent",
            fmt::format("It is {}. Sine and cosine of a pair should share a frequency, but the exponent uses the "
                        "number of the column instead of the number of the pair (base {:.4g} by columns).",
                        form, base)};
  }
  if (near(base, 1e4) || to_the_end) {
    return {
        Weight::kRemark, "sinusoidal",
        fmt::format("It is {}, exponent {}, base 10000.", form, to_the_end && !near(base, 1e4) ? "i/(d/2-1)" : "2i/d")};
  }
  return {Weight::kFault, "wrong-exponent",
          fmt::format("It is {}, but neighbouring frequencies differ by the factor {:.5g}, which is base {:.4g} where "
                      "10000 (factor {:.5g}) is usual{}.",
                      form, fit.ratio, base, std::pow(1e4, -2.0 / static_cast<double>(d)), guess_at_exponent(base))};
}

void add_form(std::vector<Finding>& findings, const Matrix<double>& table) {
  const SinusoidalFit upright = fit_sinusoidal(table);
  if (upright.error < kSameForm) {
    findings.push_back(judge_sinusoidal(upright, table.columns));
    return;
  }
  if (fit_sinusoidal(transposed(table)).error < kSameForm) {
    findings.push_back(
        {Weight::kFault, "transposed",
         fmt::format("Its columns are the codes of a sinusoidal table, not its rows. Transpose it, so that row s is "
                     "position s ({} positions of width {}).",
                     table.columns, table.rows)});
  }
}

void add_duplicates(std::vector<Finding>& findings, const Matrix<double>& table, const Faithfulness& measures) {
  if (const Collisions& exact = measures.collisions[0]; exact.pairs > 0) {
    findings.push_back(
        {Weight::kFault, "duplicate-rows",
         fmt::format("{} of {} pairs of positions have the same code, the first {} and {}: no model can "
                     "distinguish them.",
                     exact.pairs, table.rows * (table.rows - 1) / 2, exact.first->first, exact.first->second)});
    return;
  }
  for (std::size_t i = 1; i < kPrecisions.size(); ++i) {
    const Collisions& rounded = measures.collisions[i];
    if (rounded.pairs == 0) continue;
    findings.push_back(
        {Weight::kWarning, "collisions-when-rounded",
         fmt::format("Rounded to {}, {} pairs of positions have the same code, the first {} and {}.",
                     to_string(kPrecisions[i]), rounded.pairs, rounded.first->first, rounded.first->second)});
  }
}

double cosine(std::span<const double> a, std::span<const double> b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) ab += a[i] * b[i], aa += a[i] * a[i], bb += b[i] * b[i];
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

void add_collinear_neighbours(std::vector<Finding>& findings, const Matrix<double>& table) {
  constexpr double kCollinear = 0.995;  // an angle of 5.7 degrees
  std::size_t count = 0, worst = 0;
  double largest = 0;
  for (std::size_t s = 0; s + 1 < table.rows; ++s) {
    const double c = cosine(table.row(s), table.row(s + 1));
    if (c > kCollinear) ++count;
    if (c > largest) largest = c, worst = s;
  }
  if (count == 0) return;
  findings.push_back({Weight::kWarning, "collinear-neighbours",
                      fmt::format("{} of {} neighbouring positions have nearly the same code (cosine above {}; the "
                                  "nearest are {} and {} with {:.6f}).",
                                  count, table.rows - 1, kCollinear, worst, worst + 1, largest)});
}

void add_constant_columns(std::vector<Finding>& findings, const Matrix<double>& table) {
  std::size_t count = 0, first = 0;
  for (std::size_t c = 0; c < table.columns; ++c) {
    bool constant = table.rows > 1;
    for (std::size_t s = 1; s < table.rows && constant; ++s) constant = table(s, c) == table(0, c);
    if (constant && count++ == 0) first = c;
  }
  if (count == 0) return;
  findings.push_back({Weight::kWarning, "constant-columns",
                      fmt::format("{} of {} columns are the same at every position, the first is column {}: they say "
                                  "nothing about position.",
                                  count, table.columns, first)});
}

void add_conditioning(std::vector<Finding>& findings, const Matrix<double>& table, const Faithfulness& measures) {
  const std::size_t full = std::min(table.rows, table.columns);
  if (measures.rank[1] && *measures.rank[1] < full) {
    findings.push_back(
        {Weight::kWarning, "rank",
         fmt::format("In fp32 the codes span {} of {} dimensions: no linear layer can compute every function "
                     "of the position from them.",
                     *measures.rank[1], full)});
  }
}

void add_low_frequencies(std::vector<Finding>& findings, double lowest_bin_share) {
  if (lowest_bin_share <= 0.5) return;
  findings.push_back({Weight::kWarning, "low-frequencies",
                      fmt::format("{:.0f} % of its power lies in the lowest frequency bin: it changes little from one "
                                  "position to the next.",
                                  100 * lowest_bin_share)});
}

void add_structure(std::vector<Finding>& findings, const Matrix<double>& table, const Faithfulness& measures) {
  if (table.rows < 8) return;
  if (measures.gram_deviation && *measures.gram_deviation < 1e-5) {
    findings.push_back({Weight::kRemark, "orthogonal",
                        "Its rows are orthogonal: all positions are equally far apart, as one-hot codes are."});
  } else if (measures.spearman && std::abs(*measures.spearman) < 0.05) {
    findings.push_back(
        {Weight::kRemark, "no-order",
         fmt::format("Codes of near positions are no nearer than those of far ones (Spearman {:.3f}): it "
                     "looks like independent random rows, as a learned table does before training.",
                     *measures.spearman)});
  }
}

}  // namespace

std::string_view to_string(Finding::Weight weight) {
  switch (weight) {
    case Weight::kFault:
      return "fault";
    case Weight::kWarning:
      return "warning";
    case Weight::kRemark:
      return "remark";
  }
  return "";
}

std::vector<Finding> diagnose_table(const Matrix<double>& table, const Faithfulness& measures,
                                    double lowest_bin_share) {
  std::vector<Finding> findings;
  add_form(findings, table);
  add_duplicates(findings, table, measures);
  add_collinear_neighbours(findings, table);
  add_constant_columns(findings, table);
  add_conditioning(findings, table, measures);
  add_low_frequencies(findings, lowest_bin_share);
  add_structure(findings, table, measures);
  std::ranges::stable_sort(findings, {}, [](const Finding& finding) { return static_cast<int>(finding.weight); });
  return findings;
}

}  // namespace faithful
