// The spectral encoding among the others: the reference values of docs/spectral.md, the bound on its condition number,
// Pearson, and the frontier.
#include "faithful/analysis/frontier.h"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "faithful/analysis/faithfulness.h"
#include "faithful/analysis/linear_algebra.h"
#include "tests/support.h"

namespace faithful {
namespace {

struct Reference {
  const char* name;
  std::size_t length, dim;
  double share;  // length scale S / share; 0: the default
  double min_distance, condition, condition_digits, stable_rank, coherence, spearman, pearson, noise1, noise2;
};

// Computed by NumPy, apart from this library; noise with 200,000 draws (the last one of the first row: 4,800,000). At
// L = S/24, Spearman is 1 but for distances beyond 60 positions, which differ by less than the 1e-9 that count as tied.
constexpr Reference kReferences[] = {
    {"sinusoidal", 80, 256, 0, .2361, 0, 0, 1.61, .9721, .9994, .779, .2345, .5945},
    {"tape", 80, 256, 0, .6177, 0, 0, 2.02, .8092, .9844, .843, .0025, .238},
    {"spectral", 80, 256, 24, .7200, 6.667, 1e-3, 12.08, .7408, .99994, .511, .0003, .086},
    {"spectral", 80, 256, 12, .5278, 13.03, 1e-2, 6.29, .8607, 1, .660, .0083, .216},
    {"spectral", 80, 256, 6, .3801, 24.79, 1e-2, 3.47, .9277, 1, .802, .0599, .399},
    {"spectral", 80, 256, 3, .2713, 44.55, 1e-2, 2.15, .9632, 1, .896, .190, .583},
    {"dft", 80, 256, 0, 1.4142, 1, 1e-4, 80, 0, 0, 0, 0, .010},
    {"spectral", 64, 64, 0, .3161, 24.9, 1e-1, 3.34, .9500, .9981, .812, .050, .370},
    {"sinusoidal", 64, 64, 0, .2602, 0, 0, 1.58, .9662, .9299, .763, .191, .557},
    {"spectral", 100, 64, 0, .1912, 31.7, 1e-1, 3.30, .9817, .9983, .803, .203, .558},
    {"sinusoidal", 100, 64, 0, .2602, 0, 0, 1.71, .9662, .9015, .756, .191, .570},
};

TEST(Spectral, HasTheReferenceMeasures) {
  for (const Reference& wanted : kReferences) {
    SCOPED_TRACE(wanted.name + std::to_string(wanted.length) + " " + std::to_string(wanted.share));
    EncodingOptions options{.length = wanted.length, .dim = wanted.dim};
    if (wanted.share > 0) options.own.set("length_scale", static_cast<double>(wanted.length) / wanted.share);
    AnalysisOptions quick;
    quick.faithfulness.noise_sigmas = {.1, .2};
    quick.search_values = 1;
    const Faithfulness found = analyze(wanted.name, options, quick).faithfulness;
    EXPECT_NEAR(*found.min_distance, wanted.min_distance, 5.1e-5);
    EXPECT_EQ(found.singular, wanted.condition == 0);
    if (!found.singular) {
      EXPECT_NEAR(*found.condition, wanted.condition, .51 * wanted.condition_digits);
    }
    EXPECT_NEAR(*found.stable_rank, wanted.stable_rank, 5.1e-3);
    EXPECT_NEAR(*found.coherence, wanted.coherence, 5.1e-5);
    EXPECT_NEAR(*found.spearman, wanted.spearman, 5.1e-5);
    EXPECT_NEAR(*found.pearson, wanted.pearson, 5.1e-4);
    EXPECT_NEAR(found.noise->error_rates[0], wanted.noise1, .003);
    EXPECT_NEAR(found.noise->error_rates[1], wanted.noise2, .003);
  }
}

TEST(Spectral, ConditionIsBelowTheHyperbolicCotangent) {
  EXPECT_TRUE(rc::check([] {
    const auto period = *rc::gen::inRange<std::size_t>(2, 70);
    const auto length = *rc::gen::inRange<std::size_t>(1, period + 1);
    const double scale = std::exp(*rc::gen::inRange(-100, 400) / 100.0);
    const Encoding table = make_encoding(
        "spectral",
        {.length = length, .dim = period, .own = {{"basis", "periodic"}, {"period", period}, {"length_scale", scale}}});
    const std::vector<double> values = singular_values(Matrix<double>(length, period, table.values));
    const double bound = 1 / std::tanh(1 / (2 * scale));
    RC_ASSERT(values.front() / values[length - 1] <= bound * (1 + 1e-9));
  }));
}

TEST(Pearson, IsOneOnALineAndZeroWhereAllAreTied) {
  const auto distances = [](std::size_t length, auto of) {
    Matrix<double> all(length, length);
    for (std::size_t s = 0; s < length; ++s)
      for (std::size_t t = 0; t < length; ++t)
        all(s, t) = of(std::abs(static_cast<double>(s) - static_cast<double>(t)));
    return all;
  };
  EXPECT_NEAR(*distance_pearson(distances(7, [](double apart) { return 3 * apart; })), 1, 1e-14);
  EXPECT_NEAR(*distance_pearson(distances(7, [](double apart) { return apart == 0 ? 0 : 9 - apart; })), -1, 1e-14);
  EXPECT_EQ(distance_pearson(distances(7, [](double apart) { return apart == 0 ? 0.0 : 1.5; })), 0.0);
  EXPECT_FALSE(distance_pearson(distances(2, [](double apart) { return apart; })));
  // Three positions, distances 1, 1 and 1.5: offsets 1, 1, 2 in proportion.
  EXPECT_NEAR(*distance_pearson(distances(3, [](double apart) { return apart == 2 ? 1.5 : apart; })), 1, 1e-14);
}

TEST(Frontier, GoesFromEqualDistancesToNearAndFar) {
  const Frontier frontier = make_frontier({.length = 24, .dim = 64});
  ASSERT_GT(frontier.spectral.size(), 6U);
  EXPECT_EQ(frontier.spectral.front().length_scale, 0.0);
  EXPECT_NEAR(frontier.spectral.front().min_distance, std::sqrt(2), 1e-12);
  EXPECT_EQ(frontier.spectral.front().pearson, 0);
  EXPECT_EQ(frontier.spectral.back().length_scale, 24.0);
  EXPECT_GT(frontier.spectral.back().pearson, .9);
  for (std::size_t i = 1; i < frontier.spectral.size(); ++i) {  // one knob: more of the one is less of the other
    EXPECT_LT(frontier.spectral[i].min_distance, frontier.spectral[i - 1].min_distance);
    EXPECT_LT(frontier.spectral[i].noise_sigma10, 1.001 * frontier.spectral[i - 1].noise_sigma10);  // it is sampled
    EXPECT_GT(frontier.spectral[i].pearson, frontier.spectral[i - 1].pearson);
  }
  const auto names = [](const Frontier& of) {
    std::string all;
    for (const FrontierPoint& point : of.others) all += point.name + " ";
    return all;
  };
  for (const char* name : {"sinusoidal ", "dft ", "tape ", "onehot ", "rotation "})
    EXPECT_NE(names(frontier).find(name), std::string::npos) << name;
  const Frontier narrow = make_frontier({.length = 24, .dim = 8});
  EXPECT_EQ(names(narrow).find("onehot"), std::string::npos) << "it has no codes for 24 positions";
  EXPECT_NE(names(narrow).find("dft "), std::string::npos) << "with a period";
  EXPECT_EQ(testing::rejection([] { make_frontier({.length = 2, .dim = 8}); }),
            "length: expected from 3 to 512 positions for a frontier, found 2");
  EXPECT_EQ(testing::rejection([] { make_frontier({.length = 8, .dim = 1}); }),
            "dim: expected at least 2 for a frontier, found 1");
}

}  // namespace
}  // namespace faithful
