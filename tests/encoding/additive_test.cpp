#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "faithful/encoding/catalog.h"
#include "faithful/encoding/encoding.h"
#include "tests/support.h"

namespace faithful {
namespace {

Encoding made(const char* name, std::size_t length, std::size_t dim) {
  return make_encoding(name, {.length = length, .dim = dim});
}

double at(const Encoding& encoding, std::size_t r, std::size_t c) {
  return encoding.values.at(r * encoding.shape.back() + c);
}

double rms_norm(const Encoding& encoding) {
  double squares = 0;
  for (const double value : encoding.values) squares += value * value;
  return std::sqrt(squares / static_cast<double>(encoding.shape[0]));
}

// <row a, row b>
double row_product(const Encoding& encoding, std::size_t a, std::size_t b) {
  double sum = 0;
  for (std::size_t c = 0; c < encoding.shape[1]; ++c) sum += at(encoding, a, c) * at(encoding, b, c);
  return sum;
}

TEST(Sinusoidal, HasThePapersFormula) {
  const Encoding encoding = made("sinusoidal", 5, 6);
  EXPECT_EQ(encoding.shape, (std::vector<std::size_t>{5, 6}));
  EXPECT_EQ(at(encoding, 0, 0), 0);
  EXPECT_EQ(at(encoding, 0, 1), 1);
  EXPECT_EQ(at(encoding, 3, 0), std::sin(3.0));
  EXPECT_EQ(at(encoding, 3, 1), std::cos(3.0));
  EXPECT_NEAR(at(encoding, 3, 2), 0.13879810108005053, 1e-16);  // sin(3 * 10000^(-2/6))
  EXPECT_NEAR(at(encoding, 4, 5), 0.9999628675191369, 1e-16);   // cos(4 * 10000^(-4/6))
  EXPECT_NEAR(rms_norm(encoding), std::sqrt(3.0), 1e-15);
  ASSERT_EQ(encoding.frequencies.size(), 3u);
  EXPECT_EQ(encoding.frequencies[0], 1);
}

TEST(Sinusoidal, OddWidthEndsWithALoneSine) {
  const Encoding one = made("sinusoidal", 4, 1), three = made("sinusoidal", 4, 3);
  EXPECT_EQ(at(one, 2, 0), std::sin(2.0));
  EXPECT_EQ(at(three, 2, 1), std::cos(2.0));
  EXPECT_NEAR(at(three, 2, 2), std::sin(2 * std::pow(1e4, -2.0 / 3)), 1e-16);
  EXPECT_EQ(three.frequencies.size(), 2u);
}

TEST(Sinusoidal, FollowsANamedConvention) {
  EncodingOptions options{.length = 4, .dim = 8};
  options.own = {{"layout", "halves"}, {"exponent", "i/(d/2-1)"}, {"first_position", 1}};
  const Encoding encoding = make_encoding("sinusoidal", options);
  EXPECT_NEAR(encoding.frequencies[1], 0.046415888336127795, 1e-17);
  EXPECT_NEAR(encoding.frequencies[3], 1e-4, 1e-19);
  EXPECT_EQ(at(encoding, 2, 0), std::sin(3.0));
  EXPECT_EQ(at(encoding, 2, 4), std::cos(3.0));
  EXPECT_EQ(at(encoding, 0, 5), std::cos(encoding.frequencies[1]));
  options.dim = 5;
  options.own.set("first_position", 0);
  const Encoding odd = make_encoding("sinusoidal", options);
  EXPECT_EQ(at(odd, 3, 2), std::sin(3 * odd.frequencies[2]));  // the lone sine
  EXPECT_EQ(at(odd, 3, 3), std::cos(3.0));
  options.dim = 2;
  EXPECT_EQ(make_encoding("sinusoidal", options).frequencies, std::vector<double>{1.0});
}

TEST(Sinusoidal, TakesRealPositions) {
  EncodingOptions options{.length = 2, .dim = 2, .positions = {0.25, -7.5}};
  const Encoding encoding = make_encoding("sinusoidal", options);
  EXPECT_EQ(encoding.values, (std::vector<double>{std::sin(0.25), std::cos(0.25), std::sin(-7.5), std::cos(-7.5)}));
}

TEST(Tape, StretchesTheFrequenciesByDimOverLength) {
  const Encoding encoding = made("tape", 10, 4);
  EXPECT_NEAR(at(encoding, 3, 0), 0.9320390859672263, 2e-16);
  EXPECT_NEAR(at(encoding, 3, 3), 0.9999280008639958, 1e-16);
  EXPECT_EQ(encoding.frequencies[0], 0.4);
}

TEST(Learned, StartsSmallAndSeeded) {
  const Encoding encoding = made("learned", 50, 40);
  double squares = 0;
  for (const double value : encoding.values) {
    ASSERT_LT(std::abs(value), 0.02);
    squares += value * value;
  }
  EXPECT_NEAR(squares / 2000, 0.02 * 0.02 / 3, 0.02 * 0.02 / 30);  // variance of the uniform distribution
  EXPECT_EQ(encoding.values, made("learned", 50, 40).values);
  EXPECT_NE(encoding.values, make_encoding("learned", {.length = 50, .dim = 40, .seed = 2}).values);
  const Encoding shorter = made("learned", 20, 40);
  EXPECT_TRUE(std::equal(shorter.values.begin(), shorter.values.end(), encoding.values.begin()));
}

TEST(Learned, TakesGivenParameters) {
  const std::vector<double> table{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(make_encoding("learned", {.length = 3, .dim = 2, .parameters = table}).values, table);
  EXPECT_EQ(testing::rejection([&] { make_encoding("learned", {.length = 3, .dim = 3, .parameters = table}); }),
            "parameters: expected 9 numbers for learned, found 6");
  EXPECT_EQ(testing::rejection([&] { make_encoding("dft", {.length = 3, .dim = 3, .parameters = table}); }),
            "parameters: expected none for dft, found 6");
}

TEST(LearnedFrequency, StartsWithTheGeometricSeries) {
  const Encoding encoding = made("learned-frequency", 8, 4);
  EXPECT_NEAR(encoding.frequencies[1], 1e-3, 1e-18);
  EXPECT_NEAR(encoding.frequencies[3], 1e-9, 1e-24);
  EXPECT_EQ(at(encoding, 0, 2), 0.5);
  EXPECT_EQ(at(encoding, 5, 0), 0.5 * std::cos(5.0));
  EXPECT_EQ(made("learned-frequency", 3, 1).values, (std::vector<double>{1, std::cos(1.0), std::cos(2.0)}));
  const std::vector<double> given{2, 0.5};  // w, b
  EXPECT_EQ(make_encoding("learned-frequency", {.length = 2, .dim = 1, .parameters = given}).values[1], std::cos(2.5));
}

TEST(TimeFeatures, AreALineAndSinesOfScaledTime) {
  const std::vector<double> given{2, 10, 0.5, 1};  // w, then b
  for (const char* name : {"mtan", "time2vec"}) {
    const Encoding encoding = make_encoding(name, {.length = 5, .own = {{"time_dim", 2}}, .parameters = given});
    EXPECT_EQ(encoding.shape, (std::vector<std::size_t>{5, 2}));
    EXPECT_EQ(at(encoding, 0, 0), 0.5);
    EXPECT_EQ(at(encoding, 2, 0), 1.5);
    EXPECT_EQ(at(encoding, 2, 1), std::sin(6.0));
    EXPECT_EQ(encoding.frequencies, std::vector<double>{2.5});
    EXPECT_EQ(make_encoding(name, {.length = 1, .own = {{"time_dim", 2}}, .parameters = given}).values[0], 0.5);
    const Encoding uneven =
        make_encoding(name, {.length = 3, .positions = {10, 11, 20}, .own = {{"time_dim", 2}}, .parameters = given});
    EXPECT_EQ(at(uneven, 1, 0), 2 * 0.1 + 0.5);
  }
  const std::vector<double> mtan = start_parameters("mtan", {.length = 5, .own = {{"time_dim", 500}}});
  const std::vector<double> time2vec = start_parameters("time2vec", {.length = 5, .own = {{"time_dim", 500}}});
  double most = 0, squares = 0;
  for (const double w : mtan) most = std::max(most, std::abs(w));
  for (const double w : time2vec) squares += w * w;
  EXPECT_LT(most, 1);
  EXPECT_GT(most, 0.98);
  EXPECT_NEAR(squares / 1000, 1, 0.15);
}

TEST(Rope, HoldsCosinesThenSines) {
  const Encoding encoding = make_encoding("rope", {.length = 3, .dim = 8, .heads = 2});
  EXPECT_EQ(encoding.kind, EncodingKind::kRotary);
  EXPECT_EQ(encoding.shape, (std::vector<std::size_t>{3, 4}));
  EXPECT_NEAR(encoding.frequencies[1], 0.01, 1e-17);
  EXPECT_EQ(at(encoding, 2, 0), std::cos(2.0));
  EXPECT_EQ(at(encoding, 2, 2), std::sin(2.0));
  EXPECT_NEAR(at(encoding, 2, 3), std::sin(0.02), 1e-17);
}

// Rotates the pairs (x, y) of one head's query or key [d_h] by a row of that table [d_h]:
//   x' = x cos - y sin,  y' = x sin + y cos.
void rotate_pairs(std::span<double> vector, std::span<const double> row, bool interleaved) {
  const std::size_t pairs = row.size() / 2;
  for (std::size_t i = 0; i < pairs; ++i) {
    double& x = vector[interleaved ? 2 * i : i];
    double& y = vector[interleaved ? 2 * i + 1 : i + pairs];
    const double cosine = row[i], sine = row[pairs + i], old_x = x;
    x = old_x * cosine - y * sine;
    y = old_x * sine + y * cosine;
  }
}

TEST(Rope, MakesProductsDependOnTheOffsetAlone) {
  const Encoding encoding = make_encoding("rope", {.length = 30, .dim = 4, .heads = 1});
  const std::span<const double> table(encoding.values);
  for (const bool interleaved : {true, false}) {
    const auto product = [&](std::size_t i, std::size_t j) {
      std::vector<double> q{1, 2, -3, 4}, k{0.5, -1, 2, 1};
      rotate_pairs(q, table.subspan(4 * i, 4), interleaved);
      rotate_pairs(k, table.subspan(4 * j, 4), interleaved);
      return q[0] * k[0] + q[1] * k[1] + q[2] * k[2] + q[3] * k[3];
    };
    EXPECT_NEAR(product(3, 7), product(20, 24), 1e-13);
    EXPECT_GT(std::abs(product(3, 7) - product(3, 8)), 0.1);
  }
  std::vector<double> neighbours{1, 0, 0, 0}, halves{1, 0, 0, 0};
  rotate_pairs(neighbours, table.subspan(4, 4), true);
  rotate_pairs(halves, table.subspan(4, 4), false);
  EXPECT_EQ(neighbours, (std::vector<double>{std::cos(1.0), std::sin(1.0), 0, 0}));
  EXPECT_EQ(halves, (std::vector<double>{std::cos(1.0), 0, std::sin(1.0), 0}));
}

TEST(Controls, OneHotIsTheIdentity) {
  EXPECT_EQ(made("onehot", 2, 3).values, (std::vector<double>{1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(testing::rejection([] { made("onehot", 4, 3); }),
            "length: expected at most dim 3 for onehot, found 4 (use dim = 4)");
}

TEST(Controls, NoneIsEmpty) {
  const Encoding none = make_encoding("none", {});
  EXPECT_EQ(none.kind, EncodingKind::kNone);
  EXPECT_TRUE(none.values.empty() && none.shape.empty());
}

TEST(Controls, RotationHasOrthonormalRowsOrColumns) {
  const Encoding wide = made("rotation", 7, 12);
  for (std::size_t a = 0; a < 7; ++a) {
    for (std::size_t b = 0; b < 7; ++b) EXPECT_NEAR(row_product(wide, a, b), a == b ? 1 : 0, 1e-14);
  }
  const Encoding tall = made("rotation", 12, 5);
  for (std::size_t a = 0; a < 5; ++a) {
    for (std::size_t b = 0; b < 5; ++b) {
      double sum = 0;
      for (std::size_t s = 0; s < 12; ++s) sum += at(tall, s, a) * at(tall, s, b);
      EXPECT_NEAR(sum, a == b ? 1 : 0, 1e-14);
    }
  }
}

// Without the signs of diag R, Householder's Q is no uniform sample: for d = 1 it would be the same sign always.
TEST(Controls, RotationIsUniform) {
  int positive = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const double value = make_encoding("rotation", {.length = 1, .dim = 1, .seed = seed}).values[0];
    EXPECT_EQ(std::abs(value), 1);
    positive += value > 0 ? 1 : 0;
  }
  EXPECT_GT(positive, 70);
  EXPECT_LT(positive, 130);
}

TEST(TemporalCodes, AreTheOriginalOnesWithAWeightForEachHead) {
  for (const auto& [length, dim] : {std::pair{1, 1}, {2, 2}, {7, 5}, {11, 8}}) {
    const EncodingOptions options{
        .length = static_cast<std::size_t>(length), .dim = static_cast<std::size_t>(dim), .heads = 3};
    EXPECT_EQ(make_encoding("t-pe", options).values, make_encoding("sinusoidal", options).values);
    EXPECT_EQ(start_parameters("t-pe", options), std::vector<double>(3, 0.1));
  }
}

TEST(Scale, SetsTheRmsNormOfEveryAdditiveEncoding) {
  for (const CatalogEntry& entry : encoding_catalog()) {
    if (entry.kind != EncodingKind::kAdditive) continue;
    EncodingOptions options{.length = 9, .dim = 18};
    const Encoding plain = make_encoding(entry.name, options);
    options.scale = parse_scale("unit");
    EXPECT_NEAR(rms_norm(make_encoding(entry.name, options)), 1, 1e-14) << entry.name;
    options.scale = parse_scale("matched");
    EXPECT_NEAR(rms_norm(make_encoding(entry.name, options)), 3, 1e-14) << entry.name;
    options.scale = parse_scale("2");
    EXPECT_EQ(make_encoding(entry.name, options).values[20], 2 * plain.values[20]) << entry.name;
  }
}

TEST(Scale, IsParsedAndPrinted) {
  for (const char* text : {"as-defined", "unit", "matched", "0.5"}) EXPECT_EQ(to_string(parse_scale(text)), text);
  for (const char* text : {"", "0", "-1", "nan", "inf", "big", "1x"}) {
    EXPECT_EQ(testing::rejection([&] { parse_scale(text); }),
              "scale: expected as-defined, unit, matched or a positive number, found " + quote(text));
  }
}

}  // namespace
}  // namespace faithful
