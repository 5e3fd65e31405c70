#include "faithful/analysis/findings.h"

#include <cmath>

#include <gtest/gtest.h>

#include "faithful/analysis/analysis.h"
#include "faithful/base/random.h"
#include "tests/support.h"

namespace faithful {
namespace {

AnalysisOptions quick() {
  AnalysisOptions options;
  options.faithfulness.noise_samples = 1000;
  return options;
}

Matrix<double> sinusoidal_table(std::size_t length, std::size_t d, const EncodingOptions& more = {}) {
  EncodingOptions options = more;
  options.length = length;
  options.dim = d;
  return {length, d, make_encoding("sinusoidal", options).values};
}

Matrix<double> transposed(const Matrix<double>& table) {
  Matrix<double> result(table.columns, table.rows);
  for (std::size_t r = 0; r < table.rows; ++r) {
    for (std::size_t c = 0; c < table.columns; ++c) result(c, r) = table(r, c);
  }
  return result;
}

Matrix<double> in_fp32(Matrix<double> table) {
  round_in_place(table.values, Precision::kFp32);
  return table;
}

// The finding of that kind, or an empty text.
std::string finding(const Matrix<double>& table, const std::string& what) {
  for (const Finding& one : analyze_table("table.npy", table, quick()).findings) {
    if (one.what == what) return one.text;
  }
  return "";
}

TEST(SinusoidalFit, FindsBaseLayoutAndOrigin) {
  for (const double rho : {100.0, 1e4, 1e6}) {
    const SinusoidalFit fit = fit_sinusoidal(in_fp32(sinusoidal_table(80, 64, {.own = {{"rho", rho}}})));
    EXPECT_LT(fit.error, 1e-4);
    EXPECT_NEAR(fit.base(64) / rho, 1, 1e-3);
    EXPECT_NEAR(fit.first, 1, 1e-6);
    EXPECT_EQ(fit.columns, SinusoidalColumns::kInterleaved);
    EXPECT_TRUE(fit.sine_first);
    EXPECT_EQ(fit.origin, 0);
  }
  const SinusoidalFit fit =
      fit_sinusoidal(sinusoidal_table(50, 32, {.own = {{"layout", "halves"}, {"first_position", 1}}}));
  EXPECT_EQ(fit.columns, SinusoidalColumns::kHalves);
  EXPECT_EQ(fit.origin, 1);
  EXPECT_LT(fit.error, 1e-6);
}

TEST(SinusoidalFit, DoesNotFindWhatIsNotThere) {
  Matrix<double> noise(40, 16);
  Random random(1);
  for (double& value : noise.values) value = random.normal();
  EXPECT_GT(fit_sinusoidal(noise).error, 0.5);
  EXPECT_EQ(fit_sinusoidal(Matrix<double>(40, 16)).error, 1);
  EXPECT_EQ(fit_sinusoidal(Matrix<double>(2, 2, 1.0)).error, 1);
}

TEST(Findings, AProperSinusoidalTableHasNoFault) {
  const Analysis analysis = analyze_table("pe.npy", in_fp32(sinusoidal_table(80, 64)), quick());
  for (const Finding& one : analysis.findings) EXPECT_NE(one.weight, Finding::Weight::kFault) << one.text;
  EXPECT_EQ(
      finding(sinusoidal_table(80, 64), "sinusoidal"),
      "It is a sinusoidal table: sine and cosine alternate, row 0 is position 0, highest frequency 1 rad, exponent 2i/d, "
      "base 10000.");
  EXPECT_NE(
      finding(sinusoidal_table(80, 64, {.own = {{"exponent", "i/(d/2-1)"}}}), "sinusoidal").find("exponent i/(d/2-1)"),
      std::string::npos);
}

TEST(Findings, WrongExponent) {
  const std::string halved = finding(in_fp32(sinusoidal_table(80, 64, {.own = {{"rho", 100}}})), "wrong-exponent");
  EXPECT_NE(halved.find("base 100 where 10000"), std::string::npos) << halved;
  EXPECT_NE(halved.find("exponent of i/d instead of 2i/d"), std::string::npos) << halved;
  const std::string doubled = finding(sinusoidal_table(80, 64, {.own = {{"rho", 1e8}}}), "wrong-exponent");
  EXPECT_NE(doubled.find("4i/d instead of 2i/d"), std::string::npos) << doubled;

  // A well-known slip: sin and cos of a pair take the exponents of their own columns.
  Matrix<double> unshared(80, 64);
  for (std::size_t s = 0; s < 80; ++s) {
    for (std::size_t c = 0; c < 64; ++c) {
      const double angle = static_cast<double>(s) * std::pow(1e4, -2.0 * static_cast<double>(c) / 64);
      unshared(s, c) = c % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
  }
  const std::string own = finding(unshared, "wrong-exponent");
  EXPECT_NE(own.find("each with its own frequency"), std::string::npos) << own;
}

TEST(Findings, WrongAxis) {
  const std::string text = finding(transposed(sinusoidal_table(80, 64)), "transposed");
  EXPECT_EQ(
      text,
      "Its columns are the codes of a sinusoidal table, not its rows. Transpose it, so that row s is position s (80 "
      "positions of width 64).");
}

TEST(Findings, DuplicateRowsConstantColumnsAndCollinearNeighbours) {
  Matrix<double> table(10, 4);
  Random random(3);
  for (double& value : table.values) value = random.normal();
  for (std::size_t s = 0; s < 10; ++s) table(s, 2) = 100;
  for (std::size_t c = 0; c < 4; ++c) table(6, c) = table(2, c);
  EXPECT_EQ(finding(table, "duplicate-rows"),
            "1 of 45 pairs of positions have the same code, the first 2 and 6: no model can distinguish them.");
  EXPECT_EQ(finding(table, "constant-columns"),
            "1 of 4 columns are the same at every position, the first is column 2: they say nothing about position.");
  EXPECT_NE(finding(table, "collinear-neighbours"), "");
  EXPECT_NE(finding(Matrix<double>(10, 4, 1.0), "low-frequencies"), "");
}

TEST(Findings, RandomAndOrthogonalTables) {
  Matrix<double> noise(60, 256);
  Random random(4);
  for (double& value : noise.values) value = random.normal();
  EXPECT_NE(finding(noise, "no-order"), "");
  EXPECT_NE(finding(Matrix<double>(16, 16, make_encoding("dft", {.length = 16, .dim = 16}).values), "orthogonal"), "");
}

TEST(Findings, NumbersThatAreNoneAreRejectedWithTheirPlace) {
  Matrix<double> table(3, 4, 1.0);
  table(1, 2) = NAN;
  EXPECT_EQ(testing::rejection([&] { analyze_table("pe.npy", table); }),
            "pe.npy:2:3: expected a finite number, found nan");
  EXPECT_EQ(testing::rejection([] { analyze_table("pe.npy", {}); }),
            "pe.npy: expected a table with rows and columns, found an empty one");
}

}  // namespace
}  // namespace faithful
