// The reference values of the paper's figures and of the definitions page, to every digit printed there:
// d = 256, S = 80, rho = 10,000, sigma = 4 bins.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "faithful/analysis/analysis.h"
#include "faithful/analysis/spectrum.h"

namespace faithful {
namespace {

// `value` rounded to as many decimals as `printed` has is `printed`.
void expect_printed(double value, const std::string& printed) {
  const std::size_t point = printed.find('.');
  const int decimals = point == std::string::npos ? 0 : static_cast<int>(printed.size() - point - 1);
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  EXPECT_EQ(text, printed);
}

const Analysis& analysis_of(const std::string& name) {
  const auto make = [](const std::string& which) { return analyze(which, {.length = 80, .dim = 256}); };
  static const Analysis sinusoidal = make("sinusoidal"), dft = make("dft");
  return name == "dft" ? dft : sinusoidal;
}

const Reconstruction& reconstruction_of(const Analysis& analysis, std::size_t position, Weighting weighting,
                                        std::optional<double> sigma_bins) {
  for (const Reconstruction& one : analysis.reconstruction) {
    if (one.position == position && one.weighting == weighting && one.sigma_bins == sigma_bins) return one;
  }
  throw std::runtime_error("no such reconstruction");
}

TEST(Reference, SpectrumOfTheOriginal) {
  const Spectrum& spectrum = *analysis_of("sinusoidal").spectrum;
  expect_printed(spectrum.normalizer, "897.76781");
  expect_printed(spectrum.g[0], "0.106987");
  expect_printed(spectrum.g[1], "0.108916");
  expect_printed(spectrum.g[8], "0.0363221");
  expect_printed(spectrum.g[32], "0.00491447");
  EXPECT_EQ(spectrum.g.size(), 129u);
  EXPECT_EQ(spectrum.lowest_bin_share, 76.0 / 128);
  expect_printed(*spectrum.crossover, "103.04");
  expect_printed(crossover(512, 1e4), "244.62");
  const Encoding wide = make_encoding("sinusoidal", {.length = 2, .dim = 512});
  EXPECT_EQ(lowest_bin_share(lines_of_frequencies(wide.frequencies, 512)), 133.0 / 256);
}

TEST(Reference, SpectrumOfTheDft) {
  const Spectrum& spectrum = *analysis_of("dft").spectrum;
  ASSERT_EQ(spectrum.g.size(), 129u);
  EXPECT_DOUBLE_EQ(spectrum.g[0], 1.0 / 256);
  EXPECT_DOUBLE_EQ(spectrum.g[128], 1.0 / 256);
  for (std::size_t k = 1; k < 128; ++k) EXPECT_DOUBLE_EQ(spectrum.g[k], 2.0 / 256);
  EXPECT_FALSE(spectrum.smoothed);
  EXPECT_FALSE(spectrum.crossover);
}

TEST(Reference, ReconstructionOfTheOriginal) {
  for (const std::size_t position : {5, 40, 75}) {
    const auto& paper = reconstruction_of(analysis_of("sinusoidal"), position, Weighting::kPerFrequency, 4).shape;
    expect_printed(paper.peak, "0.3403");
    expect_printed(*paper.fwhm, "11.90");
    expect_printed(*paper.width10, "32.56");
    EXPECT_EQ(paper.peak_at, position);
    const auto& exact = reconstruction_of(analysis_of("sinusoidal"), position, Weighting::kPerBasisFunction, 4).shape;
    expect_printed(exact.peak, "0.3173");
    expect_printed(*exact.fwhm, "13.52");
  }
  expect_printed(*reconstruction_of(analysis_of("sinusoidal"), 40, Weighting::kPerFrequency, 1).shape.fwhm, "27.3");
}

TEST(Reference, ReconstructionOfTheDft) {
  const Analysis& dft = analysis_of("dft");
  for (const std::size_t position : {5, 40, 75}) {
    const auto& paper = reconstruction_of(dft, position, Weighting::kPerFrequency, std::nullopt).shape;
    expect_printed(paper.peak, "0.99902");
    expect_printed(paper.l2_error, "0.0442");
    const auto& exact = reconstruction_of(dft, position, Weighting::kPerBasisFunction, std::nullopt).shape;
    EXPECT_NEAR(exact.peak, 1, 1e-14);
    EXPECT_LT(exact.l2_error, 1e-13);
    const auto& alike = reconstruction_of(dft, position, Weighting::kPerFrequency, 4).shape;
    expect_printed(alike.peak, "0.9973");
    expect_printed(alike.l2_error, "0.0734");
  }
}

TEST(Reference, RidgeInversion) {
  const RidgeInversion& ridge = analysis_of("sinusoidal").ridge[1];
  EXPECT_EQ(ridge.position, 40u);
  expect_printed(ridge.shape.peak, "0.327");
  expect_printed(*ridge.shape.fwhm, "3.61");
  // G = I: the curve is the delta over 1 + lambda.
  EXPECT_NEAR(analysis_of("dft").ridge[1].shape.peak, 1 / 1.01, 1e-14);
}

TEST(Reference, Conditioning) {
  const Faithfulness& original = analysis_of("sinusoidal").faithfulness;
  EXPECT_EQ(original.rank, (PerPrecision<std::optional<std::size_t>>{44, 35, 29, 30}));  // fp64, fp32, bf16, fp16
  expect_printed(*original.stable_rank, "1.61");
  EXPECT_TRUE(original.singular);
  const Faithfulness& dft = analysis_of("dft").faithfulness;
  EXPECT_EQ(dft.rank, (PerPrecision<std::optional<std::size_t>>{80, 80, 80, 80}));
  EXPECT_NEAR(*dft.condition, 1, 1e-12);
  EXPECT_NEAR(*dft.stable_rank, 80, 1e-10);
  EXPECT_NEAR(*dft.effective_rank, 80, 1e-10);
  EXPECT_FALSE(dft.singular);
}

// The page's "0.972" is the coherence of the original encoding; |G - I|_F / sqrt(S) is 5.563 (checked with NumPy).
TEST(Reference, GramMatrix) {
  const Faithfulness& original = analysis_of("sinusoidal").faithfulness;
  expect_printed(*original.coherence, "0.972");
  expect_printed(*original.gram_deviation, "5.563");
  EXPECT_LT(*analysis_of("dft").faithfulness.coherence, 1e-14);
  EXPECT_LT(*analysis_of("dft").faithfulness.gram_deviation, 1e-13);
}

TEST(Reference, NoiseDecoding) {
  const NoiseDecoding& original = *analysis_of("sinusoidal").faithfulness.noise;
  const NoiseDecoding& dft = *analysis_of("dft").faithfulness.noise;
  ASSERT_EQ(original.sigmas[5], .1);
  expect_printed(original.error_rates[5], "0.24");
  EXPECT_EQ(dft.error_rates[5], 0);
  EXPECT_GT(dft.sigma10, 3 * original.sigma10);
}

TEST(Reference, PeriodMakesTheDftLonger) {
  const Analysis analysis = analyze("dft", {.length = 80, .dim = 65, .own = {{"period", 80}}});
  expect_printed(*analysis.faithfulness.min_distance, "1.251");
  EXPECT_EQ(analysis.faithfulness.collisions[0].pairs, 0u);
  EXPECT_EQ(analysis.faithfulness.first_collision[0], 81u);
  EXPECT_NEAR(*analysis_of("dft").faithfulness.min_distance, std::sqrt(2), 1e-14);
  EXPECT_EQ(analysis_of("dft").faithfulness.first_collision[0], 257u);
}

}  // namespace
}  // namespace faithful
