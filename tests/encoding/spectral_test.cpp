#include "faithful/encoding/spectral.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "faithful/base/random.h"
#include "faithful/encoding/catalog.h"
#include "faithful/encoding/spectral_internal.h"
#include "tests/engine/forward.h"
#include "tests/engine/gradient_check.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::rejection;

Matrix<double> spectral_table(const EncodingOptions& options) {
  const Encoding encoding = make_encoding("spectral", options);
  return Matrix<double>(encoding.shape[0], encoding.shape[1], encoding.values);
}

template <class T = double>
Matrix<T> filled(const SpectralShape& shape, std::size_t threads = 1) {
  ThreadPool pool(threads);
  Matrix<T> table(shape.length, shape.dim);
  fill_spectral_into(std::span(table.values), shape, pool);
  return table;
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double closest(const Matrix<double>& table) {
  double least = INFINITY;
  for (std::size_t a = 0; a < table.rows; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      double square = 0;
      for (std::size_t c = 0; c < table.columns; ++c) square += std::pow(table(a, c) - table(b, c), 2);
      least = std::min(least, std::sqrt(square));
    }
  }
  return least;
}

TEST(Spectral, HasClosedForms) {
  // S = 2, d = 4 = P: r = e^-3, since L = S/6 = 1/3.
  const double r = std::exp(-3.0), g0 = 1 / ((1 - r) * (1 - r)), g1 = 1 / (1 + r * r), g2 = 1 / ((1 + r) * (1 + r));
  const double norm = std::sqrt(g0 + 2 * g1 + g2);
  const Matrix<double> periodic = spectral_table({.length = 2, .dim = 4});
  const double expected[2][4] = {{std::sqrt(g0), std::sqrt(2 * g1), 0, std::sqrt(g2)},
                                 {std::sqrt(g0), 0, std::sqrt(2 * g1), -std::sqrt(g2)}};
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(periodic(s, c), expected[s][c] / norm, 1e-15) << s << ", " << c;
  }
  // S = 2, d = 3 < 2S: cosines of 0 and pi/2, the third column is empty.
  const Matrix<double> cosine = spectral_table({.length = 2, .dim = 3});
  const double a = std::sqrt(g0 / 2), b = std::sqrt(g1 / 2), length = std::hypot(a, b);
  for (std::size_t s = 0; s < 2; ++s) {
    EXPECT_NEAR(cosine(s, 0), a / length, 1e-15);
    EXPECT_NEAR(cosine(s, 1), (s == 0 ? b : -b) / length, 1e-15);
    EXPECT_EQ(cosine(s, 2), 0);
  }
  EXPECT_EQ(spectral_table({.length = 1, .dim = 1}).values, std::vector<double>{1});
}

TEST(Spectral, WeighsFrequenciesByTheNamedSpectrum) {
  SpectralShape shape{.length = 4, .dim = 8, .period = 8, .length_scale = 2.5, .smoothness = 0.7};
  const double pi = std::numbers::pi, r = std::exp(-1 / 2.5);
  for (std::size_t k = 0; k < 5; ++k) {
    const double w = pi * static_cast<double>(k) / 4, x = w * 2.5;
    shape.spectrum = SpectrumKind::kExponential;
    EXPECT_NEAR(std::exp(log_spectrum(shape)[k]), 1 / (1 - 2 * r * std::cos(w) + r * r), 1e-13);
    shape.spectrum = SpectrumKind::kMatern;
    EXPECT_NEAR(std::exp(log_spectrum(shape)[k]), std::pow(1 + x * x / 1.4, -1.2), 1e-15);
    shape.spectrum = SpectrumKind::kGaussian;
    EXPECT_NEAR(std::exp(log_spectrum(shape)[k]), std::exp(-x * x / 2), 1e-15);
    shape.spectrum = SpectrumKind::kFlat;
    EXPECT_EQ(log_spectrum(shape)[k], 0);
  }
}

// The theorem of docs/spectral.md: for d = P the kernel is a sum of two geometric series.
TEST(Spectral, HasTheKernelOfTheTheorem) {
  EXPECT_TRUE(rc::check([] {
    const auto period = *rc::gen::inRange<std::size_t>(1, 90);
    const auto length = *rc::gen::inRange<std::size_t>(1, period + 1);
    const double scale = std::exp(*rc::gen::inRange(-200, 500) / 100.0);
    const Matrix<double> table = spectral_table(
        {.length = length, .dim = period, .own = {{"period", period}, {"basis", "periodic"}, {"length_scale", scale}}});
    const double r = std::exp(-1 / scale), p = static_cast<double>(period);
    const auto s = *rc::gen::inRange<std::size_t>(0, length), t = *rc::gen::inRange<std::size_t>(0, length);
    const double apart = std::abs(static_cast<double>(s) - static_cast<double>(t));
    const double kernel = (std::pow(r, apart) + std::pow(r, p - apart)) / (1 + std::pow(r, p));
    RC_ASSERT(std::abs(dot(table.row(s), table.row(t)) - kernel) < 1e-13);
  }));
}

TEST(Spectral, IsTheDftEncodingAtLengthScaleZero) {
  for (const std::size_t d : {1, 2, 3, 4, 17, 64, 101}) {
    const EncodingOptions flat{
        .length = d, .dim = d, .own = {{"period", d}, {"basis", "periodic"}, {"spectrum", "flat"}}};
    const EncodingOptions short_scale{
        .length = d, .dim = d, .own = {{"period", d}, {"basis", "periodic"}, {"length_scale", 0.02}}};
    const std::vector<double> dft = make_encoding("dft", {.length = d, .dim = d}).values;
    EXPECT_EQ(spectral_table(flat).values, dft) << d;
    const std::vector<double> near = spectral_table(short_scale).values;
    for (std::size_t i = 0; i < dft.size(); ++i) ASSERT_NEAR(near[i], dft[i], 1e-15) << d;  // r = e^-50
  }
  // Fewer columns than the period: the DFT encoding with that period.
  const EncodingOptions wide{
      .length = 9, .dim = 7, .own = {{"period", 20}, {"basis", "periodic"}, {"spectrum", "flat"}}};
  EXPECT_EQ(spectral_table(wide).values, make_encoding("dft", {.length = 9, .dim = 7, .own = {{"period", 20}}}).values);
}

TEST(Spectral, HasTheReferenceDistances) {
  const auto at = [](double share) {
    return closest(spectral_table({.length = 80, .dim = 256, .own = {{"length_scale", 80 / share}}}));
  };
  EXPECT_NEAR(at(24), .7200, 5e-5);
  EXPECT_NEAR(at(12), .5278, 5e-5);
  EXPECT_NEAR(at(6), .3801, 5e-5);
  EXPECT_NEAR(at(3), .2713, 5e-5);
  EXPECT_EQ(closest(spectral_table({.length = 80, .dim = 256})), at(6)) << "the default is S/6";
  EXPECT_NEAR(closest(spectral_table({.length = 64, .dim = 64})), .3161, 5e-5);
  EXPECT_NEAR(closest(spectral_table({.length = 100, .dim = 64})), .1912, 5e-5);
}

TEST(Spectral, TakesTheBasisThatTheWidthAllows) {
  const auto taken = [](const EncodingOptions& options) { return to_string(spectral_shape(options)); };
  EXPECT_EQ(taken({.length = 80, .dim = 256}), "periodic basis, period 256, exponential spectrum, length scale 13.3");
  EXPECT_EQ(taken({.length = 8, .dim = 16}), "periodic basis, period 16, exponential spectrum, length scale 1.33");
  EXPECT_EQ(taken({.length = 8, .dim = 15}), "cosine basis, period 16, exponential spectrum, length scale 1.33");
  EXPECT_EQ(taken({.length = 8, .dim = 4, .own = {{"basis", "periodic"}, {"spectrum", "flat"}}}),
            "periodic basis, period 16, flat spectrum");
  EXPECT_EQ(taken({.length = 8, .dim = 4, .own = {{"period", 20}, {"spectrum", "matern"}, {"length_scale", 2}}}),
            "cosine basis, period 20, matern spectrum, length scale 2, smoothness 1.5");
  EXPECT_EQ(taken({.length = 2, .dim = 8, .positions = {0, 9.5}}),
            "cosine basis, period 20, exponential spectrum, length scale 1.67");
  EXPECT_EQ(make_encoding("spectral", {.length = 80, .dim = 256}).note, taken({.length = 80, .dim = 256}));
}

TEST(Spectral, TimesSettlePeriodAndLengthScale) {
  const auto settled = [](EncodingOptions options, std::optional<double> longest) {
    const std::string note = catalog_entry("spectral").settle_in_model(options, longest);
    return note + " | " + to_string(spectral_shape(options));
  };
  EXPECT_EQ(settled({.length = 10, .dim = 8}, {}),
            " | cosine basis, period 20, exponential spectrum, length scale 1.67");
  EXPECT_EQ(
      settled({.length = 10, .dim = 8}, 40.0),
      "the longest training window lasts 40 steps: the spectral encoding takes the period 102 and the length scale "
      "6.83 | cosine basis, period 102, exponential spectrum, length scale 6.83");
  EXPECT_EQ(settled({.length = 10, .dim = 120}, 40.0),
            "the longest training window lasts 40 steps: the spectral encoding takes the length scale 6.83 | periodic "
            "basis, period 120, exponential spectrum, length scale 6.83");
  EXPECT_EQ(settled({.length = 10, .dim = 8, .own = {{"period", 200}}}, 40.0),
            " | cosine basis, period 200, exponential spectrum, length scale 1.67");
  EXPECT_EQ(settled({.length = 10, .dim = 8}, 5.0),
            " | cosine basis, period 20, exponential spectrum, length scale 1.67");
}

TEST(Spectral, AllCodesHaveNormOne) {
  EXPECT_TRUE(rc::check([] {
    const auto length = *rc::gen::inRange<std::size_t>(1, 60), d = *rc::gen::inRange<std::size_t>(2, 130);
    const char* spectrum = *rc::gen::element("exponential", "matern", "gaussian", "flat");
    const Matrix<double> table = spectral_table({.length = length, .dim = d, .own = {{"spectrum", spectrum}}});
    for (std::size_t s = 0; s < length; ++s) RC_ASSERT(std::abs(dot(table.row(s), table.row(s)) - 1) < 1e-13);
  }));
}

TEST(Spectral, FloatsAreTheRoundedDoublesAndThreadsChangeNoBits) {
  for (const std::size_t d : {7, 700}) {
    const SpectralShape shape = spectral_shape({.length = 300, .dim = d});
    const Matrix<double> wide = filled(shape), again = filled(shape, 3);
    const Matrix<float> narrow = filled<float>(shape);
    EXPECT_EQ(wide, again);
    for (std::size_t i = 0; i < wide.values.size(); ++i)
      ASSERT_EQ(narrow.values[i], static_cast<float>(wide.values[i]));
  }
}

TEST(Spectral, TakesRealPositions) {
  for (const char* basis : {"periodic", "cosine"}) {
    const OwnOptions own{{"basis", basis}, {"period", 24}, {"length_scale", 2}};
    const Matrix<double> whole = spectral_table({.length = 12, .dim = 9, .own = own});
    const Matrix<double> real = spectral_table({.length = 3, .dim = 9, .positions = {0, 11, 4.5}, .own = own});
    for (std::size_t c = 0; c < 9; ++c) {
      EXPECT_NEAR(real(0, c), whole(0, c), 3e-16);
      EXPECT_NEAR(real(1, c), whole(11, c), 3e-16);
    }
    EXPECT_NEAR(dot(real.row(2), real.row(2)), 1, 1e-14);
  }
  // In the cosine basis a code between two positions, by its definition.
  const Matrix<double> between = spectral_table(
      {.length = 1, .dim = 3, .positions = {2.25}, .own = {{"period", 10}, {"length_scale", 2}, {"basis", "cosine"}}});
  std::vector<double> row;
  const double r = std::exp(-0.5);
  for (std::size_t k = 0; k < 3; ++k) {
    const double w = std::numbers::pi * static_cast<double>(k) / 5;
    row.push_back((k == 0 ? std::sqrt(0.5) : std::cos(w * 2.75)) / std::sqrt(1 - 2 * r * std::cos(w) + r * r));
  }
  const double norm = std::sqrt(dot(row, row));
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(between(0, c), row[c] / norm, 1e-15);
}

TEST(Spectral, RefusesWhatHasNoTable) {
  const auto made = [](const EncodingOptions& options) {
    return rejection([&] { make_encoding("spectral", options); });
  };
  EXPECT_EQ(made({.length = 8, .dim = 4, .own = {{"spectrum", "flat"}, {"length_scale", 2}}}),
            "length_scale does not apply to spectrum = flat: it weighs all frequencies alike");
  EXPECT_EQ(made({.length = 8, .dim = 4, .own = {{"smoothness", 2}}}), "smoothness applies only to spectrum = matern");
  EXPECT_EQ(made({.length = 8, .dim = 4, .own = {{"period", 14}}}),
            "period: expected an even number of at least 16 for the cosine basis, found 14");
  EXPECT_EQ(made({.length = 8, .dim = 4, .own = {{"period", 17}}}),
            "period: expected an even number of at least 16 for the cosine basis, found 17");
  EXPECT_EQ(made({.length = 8, .dim = 5, .own = {{"period", 7}, {"basis", "periodic"}}}),
            "period: expected at least length 8, found 7");
  EXPECT_EQ(made({.length = 3, .dim = 5, .own = {{"period", 4}}}), "period: expected at least dim 5, found 4");
  EXPECT_EQ(made({.length = 2, .dim = 1}),
            "dim: expected at least 2 for the cosine basis of several positions, found 1");
  EXPECT_EQ(made({.length = 2, .dim = 3, .positions = {-2, 1}}),
            "positions: expected positions from -0.5 to 1.5 for the cosine basis of this period, found -2 and 1");
  EXPECT_EQ(made({.length = 2, .dim = 3, .positions = {0, 9}, .own = {{"period", 8}}}),
            "positions: expected positions from -0.5 to 3.5 for the cosine basis of this period, found 0 and 9 (use "
            "period = 20)");
  EXPECT_EQ(made({.length = 2, .dim = 4, .positions = {-1, 9}, .own = {{"period", 8}, {"basis", "periodic"}}}),
            "positions: expected positions less than 8 apart for this period, found -1 and 9 (use period = 22)");
  EXPECT_EQ(rejection([] {
              make_encoding("spectral-learned", {.length = 4, .dim = 4, .own = {{"spectrum", "flat"}}});
            }),
            "spectrum: expected a spectrum with a length scale to learn, found flat (use learned_spectrum = "
            "frequencies)");
}

// d = P and the cosine basis with d >= S: f = delta_s, for every s, length scale and spectrum that a double can divide by.
TEST(SpectralDecode, TheInverseIsExact) {
  for (const char* spectrum : {"exponential", "matern", "flat"}) {
    for (const std::size_t d : {1, 2, 3, 4, 16, 17, 61, 64}) {
      for (const std::size_t length : {std::size_t{1}, d / 2, d}) {
        if (length == 0) continue;
        EncodingOptions options{.length = length, .dim = d, .own = {{"spectrum", spectrum}}};
        if (length > d / 2 && d != 1 && d % 3 == 1)
          options.own = {{"spectrum", spectrum}, {"basis", "periodic"}, {"period", d}};
        SpectralShape shape = spectral_shape(options);
        shape.factor = 2.5;
        ASSERT_TRUE(shape.has_inverse());
        const SpectralDecoder decoder(shape);
        const Matrix<double> table = filled(shape);
        for (std::size_t s = 0; s < length; ++s) {
          const std::vector<double> f = decoder.inverse(table.row(s));
          for (std::size_t t = 0; t < f.size(); ++t)
            ASSERT_NEAR(f[t], s == t ? 1 : 0, 1e-11) << to_string(shape) << " S=" << length << " d=" << d << " s=" << s;
        }
      }
    }
  }
  const SpectralShape few = spectral_shape({.length = 9, .dim = 8});
  EXPECT_FALSE(few.has_inverse());
  EXPECT_EQ(rejection([&] { SpectralDecoder(few).inverse(std::vector<double>(8)); }),
            "dim: expected at least 9 for the exact inverse, found 8");
}

TEST(SpectralDecode, GivesPositionsBackUnderNoise) {
  EXPECT_TRUE(rc::check([] {
    const auto length = *rc::gen::inRange<std::size_t>(2, 60), d = *rc::gen::inRange<std::size_t>(3, 130);
    const char* spectrum = *rc::gen::element("exponential", "matern", "flat");
    const char* basis = *rc::gen::element("auto", "periodic", "cosine");
    SpectralShape shape =
        spectral_shape({.length = length, .dim = d, .own = {{"spectrum", spectrum}, {"basis", basis}}});
    shape.factor = 1.5;
    Matrix<double> table = filled(shape);
    const double half = closest(table) / 2;
    RC_PRE(half > 1e-6);
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    for (std::size_t s = 0; s < length; ++s) {
      std::vector<double> noise(d);
      for (double& value : noise) value = random.normal();
      const double by = 0.99 * half / std::sqrt(dot(noise, noise));
      for (std::size_t c = 0; c < d; ++c) table(s, c) += by * noise[c];
    }
    const DecodedPositions found = decode_spectral(table, shape);
    for (std::size_t s = 0; s < length; ++s) RC_ASSERT(found.positions[s] == s);
    RC_ASSERT(found.distances.far == 0U);
  }));
}

TEST(SpectralDecode, CountsRowsThatAreNoCodes) {
  const SpectralShape shape = spectral_shape({.length = 6, .dim = 5});
  Matrix<double> table = filled(shape);
  for (double& value : table.row(3)) value = -value;
  EXPECT_EQ(decode_spectral(table, shape).distances.far, 1U);
  table(2, 1) = NAN;
  EXPECT_EQ(rejection([&] { decode_spectral(table, shape, "codes.npy"); }),
            "codes.npy:3:2: expected a finite number, found nan");
  EXPECT_EQ(rejection([&] { decode_spectral(Matrix<double>(2, 4), shape, "codes.npy"); }),
            "codes.npy: expected 5 columns, found 4");
}

TEST(SpectralLearned, StartsAsSpectral) {
  for (const char* learned : {"length-scale", "frequencies"}) {
    for (const std::size_t d : {9, 40}) {
      const EncodingOptions options{.length = 12, .dim = d, .own = {{"learned_spectrum", learned}}};
      const std::vector<double> fixed = make_encoding("spectral", {.length = 12, .dim = d}).values;
      const std::vector<double> start = make_encoding("spectral-learned", options).values;
      for (std::size_t i = 0; i < fixed.size(); ++i) ASSERT_NEAR(start[i], fixed[i], 1e-15);
    }
  }
}

TEST(SpectralLearned, Gradients) {
  using engine::Shape;
  using engine::testing::expect_gradients, engine::testing::Tensors;
  for (const char* basis : {"periodic", "cosine"}) {
    for (const std::size_t d : {3, 4, 7, 12}) {
      for (const char* spectrum : {"exponential", "matern", "gaussian"}) {
        SpectralShape shape =
            spectral_shape({.length = 5, .dim = d, .own = {{"basis", basis}, {"spectrum", spectrum}}});
        shape.factor = 0.7;
        std::vector<double> rows(5 * d);
        const SpectralRows of(shape);
        for (std::size_t s = 0; s < 5; ++s) of.row_into(std::span(rows).subspan(s * d, d), s);
        expect_gradients({Shape{1}},
                         [&](Tape<double>& tape, const Tensors& v) { return learned_log_spectrum(tape, v[0], shape); });
        expect_gradients({Shape{shape.frequencies()}}, [&](Tape<double>& tape, const Tensors& v) {
          return learned_codes(tape, tape.input(rows.data(), {5, d}), v[0], shape);
        });
      }
    }
  }
}

}  // namespace
}  // namespace faithful
