#include "faithful/encoding/dft.h"

#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "faithful/base/random.h"
#include "faithful/encoding/dft_kernel_internal.h"
#include "faithful/fourier/basis.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::rejection;

template <class T = double>
Matrix<T> dft_table(const DftShape& shape, std::size_t threads = 1) {
  ThreadPool pool(threads);
  Matrix<T> table(shape.length, shape.dim);
  fill_dft_into(std::span(table.values), shape, pool);
  return table;
}

double product(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double smallest_distance(const Matrix<double>& table) {
  double smallest = INFINITY;
  for (std::size_t a = 0; a < table.rows; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      double squares = 0;
      for (std::size_t c = 0; c < table.columns; ++c) squares += std::pow(table(a, c) - table(b, c), 2);
      smallest = std::min(smallest, std::sqrt(squares));
    }
  }
  return smallest;
}

TEST(Dft, IsTheBasisReadAtThePosition) {
  for (const std::size_t d : {1, 2, 3, 4, 5, 16, 17, 255, 256, 257, 1021, 1500}) {
    const Matrix<double> table = dft_table({.length = d, .dim = d});
    const RootTable roots(d);
    double worst = 0;
    for (std::size_t s = 0; s < d; s += d / 60 + 1) {
      for (std::size_t l = 0; l < d; ++l) worst = std::max(worst, std::abs(table(s, l) - basis_value(roots, l, s)));
    }
    EXPECT_LE(worst, 4e-16 * std::sqrt(2.0 / static_cast<double>(d))) << d;  // two ulp of the largest value
  }
}

TEST(Dft, HasClosedForms) {
  const double r3 = std::sqrt(1.0 / 3), r23 = std::sqrt(2.0 / 3), r2 = std::sqrt(0.5);
  EXPECT_EQ(dft_table({.length = 1, .dim = 1}).values, std::vector<double>{1});
  EXPECT_EQ(dft_table({.length = 2, .dim = 2}).values, (std::vector<double>{r2, r2, r2, -r2}));
  const std::vector<double> expected{
      r3, r23, 0, r3, -r23 / 2, r23 * std::sqrt(0.75), r3, -r23 / 2, -r23 * std::sqrt(0.75)};
  const Matrix<double> three = dft_table({.length = 3, .dim = 3});
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(three.values[i], expected[i], 2e-16) << i;
  EXPECT_EQ(dft_table({.length = 2, .dim = 2, .factor = 3}).values[3], -3 * r2);
}

TEST(Dft, IsOrthonormalToAFewUlp) {
  for (const std::size_t d : {1, 2, 3, 255, 256, 257, 1021, 4096}) {
    const Matrix<double> table = dft_table({.length = d, .dim = d}, 2);
    const std::size_t stride = d / 90 + 1;  // a sample of the rows of wide tables
    for (std::size_t a = 0; a < d; a += stride) {
      for (std::size_t b = a % 7; b <= a; b += stride) {
        ASSERT_NEAR(product(table.row(a), table.row(b)), a == b ? 1 : 0, 1e-14) << d << ": " << a << ", " << b;
      }
    }
  }
}

TEST(Dft, IsOrthonormalAtTheWidestWidth) {
  const std::size_t d = 65536;
  const RootTable roots(d);
  const DftShape shape{.length = d, .dim = d};
  std::vector<std::vector<double>> rows;
  for (const std::size_t s : {0, 1, 2, 255, 256, 4095, 32767, 32768, 32769, 50001, 65534, 65535}) {
    rows.emplace_back(d);
    fill_dft_rows(rows.back().data(), shape, roots, s, s + 1, false);
  }
  for (std::size_t a = 0; a < rows.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b)
      EXPECT_NEAR(product(rows[a], rows[b]), a == b ? 1 : 0, 1e-14) << a << ", " << b;
  }
}

TEST(Dft, StreamedStoresAndAnyAlignmentGiveTheSameBits) {
  for (const std::size_t d : {1, 2, 7, 64, 65, 513, 1021}) {
    const DftShape shape{.length = d, .dim = d};
    const Matrix<double> expected = dft_table(shape);
    const Matrix<float> expected_float = dft_table<float>(shape);
    const RootTable roots(d);
    for (std::size_t shift = 0; shift < 17; shift += 3) {
      std::vector<double> wide(d * d + 20, -7);
      std::vector<float> narrow(d * d + 20, -7);
      fill_dft_rows(wide.data() + shift, shape, roots, 0, d, true);
      fill_dft_rows(narrow.data() + shift, shape, roots, 0, d, true);
      ASSERT_TRUE(std::equal(expected.values.begin(), expected.values.end(), wide.begin() + static_cast<long>(shift)));
      ASSERT_TRUE(std::equal(expected_float.values.begin(), expected_float.values.end(),
                             narrow.begin() + static_cast<long>(shift)));
      for (std::size_t i = 0; i < 20; ++i) {  // nothing beside the table is touched
        const std::size_t outside = i < shift ? i : d * d + i;
        ASSERT_EQ(wide[outside], -7) << d << ", " << shift;
        ASSERT_EQ(narrow[outside], -7) << d << ", " << shift;
      }
    }
  }
}

// The products of the kernel one by one: run with each FAITHFUL_ISA, it shows that none changes a bit.
TEST(Dft, VectorsDoNotChangeBits) {
  const std::size_t d = 1021, pairs = pair_count(d), block = 256;
  const Matrix<double> table = dft_table({.length = d, .dim = d});
  const RootTable roots(d);
  const double factor = std::sqrt(2.0 / static_cast<double>(d));
  for (std::size_t s = 0; s < d; ++s) {
    for (std::size_t k = 1; k <= pairs; ++k) {
      const std::size_t fine_k = (k - 1) % block + 1;
      const Root fine = roots.at(fine_k * s), coarse = roots.at((k - fine_k) * s);
      ASSERT_EQ(table(s, k), factor * coarse.cos * fine.cos - factor * coarse.sin * fine.sin) << s << ", " << k;
      ASSERT_EQ(table(s, pairs + k), factor * coarse.sin * fine.cos + factor * coarse.cos * fine.sin) << s << ", " << k;
    }
  }
}

TEST(Dft, ThreadsDoNotChangeBits) {
  for (const std::size_t d : {257, 3000}) {  // the second is large enough to be streamed
    const DftShape shape{.length = d / 2, .dim = d};
    EXPECT_EQ(dft_table(shape, 1), dft_table(shape, 3));
  }
}

TEST(Dft, FloatsAreTheRoundedDoubles) {
  const Matrix<double> wide = dft_table({.length = 100, .dim = 301});
  const Matrix<float> narrow = dft_table<float>({.length = 100, .dim = 301});
  for (std::size_t i = 0; i < wide.values.size(); ++i) ASSERT_EQ(narrow.values[i], static_cast<float>(wide.values[i]));
}

TEST(Dft, PeriodHasTheReferenceDistance) {
  const Matrix<double> odd = dft_table({.length = 80, .dim = 65, .period = 80});
  EXPECT_NEAR(smallest_distance(odd), 1.2508321333090486, 1e-14);
  for (std::size_t s = 0; s < 80; ++s) EXPECT_NEAR(product(odd.row(s), odd.row(s)), 1, 1e-14);
  const Matrix<double> even = dft_table({.length = 80, .dim = 64, .period = 80});
  EXPECT_NEAR(smallest_distance(even), 1.2148926051700553, 1e-14);
  double squares = 0, least = 2, most = 0;
  for (std::size_t s = 0; s < 80; ++s) {
    const double square = product(even.row(s), even.row(s));
    squares += square;
    least = std::min(least, square);
    most = std::max(most, square);
  }
  EXPECT_NEAR(squares / 80, 1, 1e-14);
  EXPECT_NEAR(least, 0.9873591094628913, 1e-14);
  EXPECT_NEAR(most, 1.0156250000000002, 1e-14);
  EXPECT_EQ(dft_table({.length = 8, .dim = 8, .period = 8}), dft_table({.length = 8, .dim = 8}));
}

TEST(Dft, PeriodIsATightFrameOverAllPositions) {
  const Matrix<double> table = dft_table({.length = 12, .dim = 7, .period = 12});
  for (std::size_t a = 0; a < 7; ++a) {
    for (std::size_t b = 0; b < 7; ++b) {
      double sum = 0;
      for (std::size_t s = 0; s < 12; ++s) sum += table(s, a) * table(s, b);
      EXPECT_NEAR(sum, a == b ? 12.0 / 7 : 0, 1e-14);
    }
  }
}

TEST(Dft, RefusesCollisionsAndNamesThem) {
  EXPECT_EQ(rejection([] { make_encoding("dft", {.length = 80, .dim = 64}); }),
            "length: expected at most dim 64 positions for dft, found 80 (positions 0 and 64 have the same code; "
            "use dim = 80 or period = 80)");
  EXPECT_EQ(rejection([] { make_encoding("dft", {.length = 3, .dim = 2}); }),
            "length: expected at most dim 2 positions for dft, found 3 (positions 0 and 2 have the same code; "
            "use dim = 3)");
  EXPECT_EQ(make_encoding("dft", {.length = 80, .dim = 64, .own = {{"period", 80}}}).values.size(), 80 * 64u);
}

TEST(Dft, RefusesPeriodsOutOfRange) {
  const auto made = [](std::size_t length, std::size_t dim, std::size_t period) {
    return rejection([&] { make_encoding("dft", {.length = length, .dim = dim, .own = {{"period", period}}}); });
  };
  EXPECT_EQ(made(80, 64, 70), "period: expected at least length 80, found 70");
  EXPECT_EQ(made(10, 64, 63), "period: expected at least dim 64, found 63");
  EXPECT_EQ(made(2, 2, 5), "dim: expected at least 3 with period, found 2");
}

TEST(Dft, TakesRealPositions) {
  const std::size_t d = 7;
  EncodingOptions options{.length = 4, .dim = d, .positions = {0, 3, 2.5, 6}};
  const Encoding encoding = make_encoding("dft", options);
  const Matrix<double> whole = dft_table({.length = d, .dim = d});
  for (std::size_t c = 0; c < d; ++c) {
    EXPECT_NEAR(encoding.values[d + c], whole(3, c), 2e-16);
    EXPECT_NEAR(encoding.values[3 * d + c], whole(6, c), 2e-16);
  }
  EXPECT_NEAR(encoding.values[2 * d + 2], std::sqrt(2.0 / 7) * std::cos(2 * std::numbers::pi * 2 * 2.5 / 7), 1e-15);
  EXPECT_NEAR(encoding.values[2 * d + 5], std::sqrt(2.0 / 7) * std::sin(2 * std::numbers::pi * 2 * 2.5 / 7), 1e-15);
  options.positions = {-1, 0, 1, 2};  // a position before 0 is the one as far before the end
  const Encoding before = make_encoding("dft", options);
  for (std::size_t c = 0; c < d; ++c) EXPECT_NEAR(before.values[c], whole(6, c), 2e-16);
  options.positions = {0.5, 1, 2, 7.5};
  EXPECT_EQ(rejection([&] { make_encoding("dft", options); }),
            "positions: expected positions less than 7 apart for dft, found 0.5 and 7.5 (use period = 8)");
}

TEST(Dft, RealPositionsStayExactAtLargeWidths) {
  const std::size_t d = 65537;
  const double position = 40000.25;
  const Encoding encoding = make_encoding("dft", {.length = 1, .dim = d, .positions = {position}});
  for (const std::size_t k : {1, 1000, 32768}) {
    const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(k) *
                              static_cast<long double>(position) / static_cast<long double>(d);
    const long double scale = std::sqrt(2.0L / static_cast<long double>(d));
    EXPECT_NEAR(encoding.values[k], static_cast<double>(scale * std::cos(angle)), 4e-18) << k;
    EXPECT_NEAR(encoding.values[pair_count(d) + k], static_cast<double>(scale * std::sin(angle)), 4e-18) << k;
  }
}

TEST(Dft, KnowsItsFrequencies) {
  const Encoding even = make_encoding("dft", {.length = 4, .dim = 4}),
                 odd = make_encoding("dft", {.length = 3, .dim = 3});
  ASSERT_EQ(even.frequencies.size(), 3u);
  EXPECT_EQ(even.frequencies[2], std::numbers::pi);
  EXPECT_EQ(odd.frequencies.size(), 2u);
  const Encoding period = make_encoding("dft", {.length = 8, .dim = 3, .own = {{"period", 8}}});
  EXPECT_EQ(period.frequencies, (std::vector<double>{0, std::numbers::pi / 4}));
}

// Noise of exactly that length, in a random direction.
void disturb(std::span<double> code, double length, Random& random) {
  std::vector<double> noise(code.size());
  double squares = 0;
  for (double& value : noise) {
    value = random.normal();
    squares += value * value;
  }
  for (std::size_t i = 0; i < code.size(); ++i) code[i] += noise[i] * length / std::sqrt(squares);
}

TEST(DftDecode, GivesEveryPositionBackAlsoUnderNoise) {
  struct Case {
    std::size_t d, n;
  };
  Random random(3);
  for (const auto [d, n] : {Case{1, 1},
                            {2, 2},
                            {3, 3},
                            {4, 4},
                            {64, 64},
                            {97, 97},
                            {3, 8},
                            {4, 8},
                            {4, 9},
                            {64, 80},
                            {65, 80},
                            {8, 9},
                            {9, 10}}) {
    Matrix<double> table = dft_table({.length = n, .dim = d, .period = d == n ? 0 : n, .factor = 2.5});
    const double half = n > 1 ? smallest_distance(table) / 2 : 1;
    for (const double noise : {0.0, 0.999 * half}) {
      for (std::size_t s = 0; s < n; ++s) disturb(table.row(s), noise, random);
      const std::vector<std::size_t> positions = decode_dft(table, d == n ? 0 : n, 2.5);
      for (std::size_t s = 0; s < n; ++s) EXPECT_EQ(positions[s], s) << d << ", " << n << ", " << noise;
    }
  }
}

// The worst noise: straight towards the nearest other code.
TEST(DftDecode, HoldsUntilHalfTheWay) {
  for (const std::size_t d : {5, 6}) {
    const std::size_t n = 9;
    const Matrix<double> table = dft_table({.length = n, .dim = d, .period = n});
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        if (a == b) continue;
        Matrix<double> between(2, d);
        for (std::size_t c = 0; c < d; ++c) {
          between(0, c) = table(a, c) + 0.499 * (table(b, c) - table(a, c));
          between(1, c) = table(a, c) + 0.501 * (table(b, c) - table(a, c));
        }
        const std::vector<std::size_t> found = decode_dft(between, n);
        const auto distance = [&](std::size_t row, std::size_t t) {
          double squares = 0;
          for (std::size_t c = 0; c < d; ++c) squares += std::pow(between(row, c) - table(t, c), 2);
          return squares;
        };
        for (std::size_t row = 0; row < 2; ++row) {
          for (std::size_t t = 0; t < n; ++t) EXPECT_LE(distance(row, found[row]), distance(row, t) + 1e-12);
        }
      }
    }
  }
}

TEST(DftDecode, RejectsBrokenTables) {
  Matrix<double> table = dft_table({.length = 4, .dim = 4});
  table(2, 1) = NAN;
  EXPECT_EQ(rejection([&] { decode_dft(table, 0, 1, "table.npy"); }),
            "table.npy:3:2: expected a finite number, found nan");
  EXPECT_EQ(rejection([] { decode_dft(Matrix<double>(2, 4), 3); }), "period: expected at least dim 4, found 3");
  EXPECT_EQ(rejection([] { decode_dft(Matrix<double>(0, 0)); }), "dim: expected at least 1, found none");
}

TEST(Dft, RowsThatAreNoCodesAreCounted) {
  ThreadPool pool(1);
  for (const std::size_t period : {0, 11}) {
    Matrix<double> table(5, 8);
    fill_dft_into(std::span(table.values), {.length = 5, .dim = 8, .period = period, .factor = 2}, pool);
    const auto far = [&](double factor) {
      return dft_distances(table, decode_dft(table, period, factor), period, factor).far;
    };
    EXPECT_EQ(far(2), 0U);
    EXPECT_EQ(far(1), 5U) << "another factor";
    for (double& value : table.row(3)) value = 0;
    EXPECT_EQ(far(2), 1U) << "no code";
  }
}

TEST(Dft, RowsBetweenCodesAreCounted) {
  const Matrix<double> table = dft_table({.length = 80, .dim = 64, .period = 80});
  const auto distances = [](const Matrix<double>& codes, std::size_t period) {
    return dft_distances(codes, decode_dft(codes, period), period);
  };
  const CodeDistances own = distances(table, 80), other = distances(table, 0);
  EXPECT_EQ(own.far + own.between, 0U);
  EXPECT_EQ(other.far, 0U);
  EXPECT_EQ(other.between, 32U) << "2 of 5 rows are 0.4 positions from a code";
  EXPECT_LT(other.furthest, other.apart / 2);
  EXPECT_NEAR(other.apart, std::sqrt(2), 1e-12);
  Matrix<double> noisy = table;
  for (double& value : noisy.values) value += 0.02;  // 0.16 a row
  EXPECT_EQ(distances(noisy, 80).between, 0U);
  for (double& value : noisy.values) value += 0.03;  // 0.4
  EXPECT_EQ(distances(noisy, 80).between, 80U);
  EXPECT_NEAR(distances(noisy, 80).furthest, 0.4, 1e-12);
}

}  // namespace
}  // namespace faithful
