#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "faithful/analysis/analysis.h"
#include "faithful/analysis/extent.h"
#include "faithful/analysis/linear_algebra.h"
#include "faithful/analysis/reconstruction.h"
#include "faithful/base/random.h"
#include "faithful/encoding/catalog.h"
#include "faithful/fourier/basis.h"
#include "tests/support.h"

namespace faithful {
namespace {

// The pairs compared one by one: the oracle.
Collisions naive_count_collisions(const Matrix<double>& rows) {
  Collisions collisions;
  for (std::size_t t = 0; t < rows.rows; ++t) {
    for (std::size_t s = 0; s < t; ++s) {
      if (!std::ranges::equal(rows.row(s), rows.row(t))) continue;
      ++collisions.pairs;
      if (!collisions.first) collisions.first = {s, t};
    }
  }
  return collisions;
}

Matrix<double> random_matrix(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  Matrix<double> matrix(rows, columns);
  Random random(seed);
  for (double& value : matrix.values) value = random.normal();
  return matrix;
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

AnalysisOptions quick() {
  AnalysisOptions options;
  options.faithfulness.noise_samples = 1000;
  options.search_values = 1 << 14;
  return options;
}

TEST(LinearAlgebra, ReducedRowsKeepInnerProductsOnAnyNumberOfThreads) {
  ThreadPool one(1), three(3);
  for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 7}, {5, 3}, {7, 7}, {7, 8}, {13, 2000}, {3, 1537}}) {
    const Matrix<double> matrix = random_matrix(rows, columns, 1);
    const Matrix<double> reduced = reduced_rows(matrix, one);
    EXPECT_EQ(reduced, reduced_rows(matrix, three));
    EXPECT_EQ(reduced.columns, static_cast<std::size_t>(std::min(rows, columns)));
    for (std::size_t s = 0; s < matrix.rows; ++s) {
      for (std::size_t t = 0; t < matrix.rows; ++t) {
        EXPECT_NEAR(dot(reduced.row(s), reduced.row(t)), dot(matrix.row(s), matrix.row(t)), 1e-12 * columns);
      }
    }
  }
}

// U diag(values) V^T with orthogonal U, V made from the Fourier basis: singular values over sixteen decades come back.
TEST(LinearAlgebra, SingularValuesOfAKnownMatrix) {
  const std::size_t n = 16;
  const RootTable roots(n);
  Matrix<double> matrix(n, n);
  std::vector<double> wanted;
  for (std::size_t l = 0; l < n; ++l) {
    wanted.push_back(std::pow(10, -static_cast<double>(l)));
    for (std::size_t s = 0; s < n; ++s) {
      for (std::size_t t = 0; t < n; ++t) {
        matrix(s, t) += basis_value(roots, l, s) * wanted[l] * basis_value(roots, (l + 3) % n, t);
      }
    }
  }
  const std::vector<double> values = singular_values(matrix);
  ASSERT_EQ(values.size(), n);
  for (std::size_t l = 0; l < n; ++l) EXPECT_NEAR(values[l], wanted[l], 4e-16) << l;
}

TEST(LinearAlgebra, SmallSingularValuesAreNotLostInLargeOnes) {
  // Columns of very different size, which a bidiagonal reduction would blur: 3-4-5 triangles scaled.
  Matrix<double> matrix(2, 2, {3, 4e-20, 4, -3e-20});
  const std::vector<double> values = singular_values(matrix);
  EXPECT_NEAR(values[0], 5, 1e-14);
  EXPECT_NEAR(values[1], 5e-20, 1e-33);
  EXPECT_EQ(singular_values(Matrix<double>(3, 2)), (std::vector<double>{0, 0}));
  EXPECT_TRUE(singular_values({}).empty());
}

TEST(LinearAlgebra, LargeAndSmallMatricesAgree) {
  const Matrix<double> matrix = random_matrix(400, 390, 3);  // beyond the size that is rotated
  const std::vector<double> values = singular_values(matrix);
  double squares = 0;
  for (const double value : values) squares += value * value;
  EXPECT_NEAR(squares / dot(matrix.values, matrix.values), 1, 1e-12);
}

TEST(LinearAlgebra, WideGramMatrixIsTheGramMatrix) {
  ThreadPool one(1), three(3);
  const Matrix<double> rows = random_matrix(3, 20'000, 6), plain = gram_matrix(rows),
                       wide = wide_gram_matrix(rows, one);
  EXPECT_EQ(wide, wide_gram_matrix(rows, three));
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(wide.values[i], plain.values[i], 1e-9);
}

TEST(LinearAlgebra, RidgeInverseSolvesItsEquation) {
  const Matrix<double> gram = gram_matrix(random_matrix(9, 5, 2));
  const Matrix<double> inverse = ridge_inverse(gram, 0.1);
  for (std::size_t s = 0; s < 9; ++s) {  // (G + lambda I) F = G
    for (std::size_t t = 0; t < 9; ++t) {
      double sum = 0.1 * inverse(s, t);
      for (std::size_t u = 0; u < 9; ++u) sum += gram(s, u) * inverse(u, t);
      EXPECT_NEAR(sum, gram(s, t), 1e-12);
    }
  }
}

TEST(Collisions, HashingFindsWhatComparingFinds) {
  Random random(5);
  for (const std::size_t rows : {0, 1, 2, 3, 50}) {
    for (const std::size_t columns : {1, 2, 5}) {
      Matrix<double> matrix(rows, columns);
      for (double& value : matrix.values) value = random.below(2) == 0 ? -0.0 : static_cast<double>(random.below(3));
      const Collisions fast = count_collisions(matrix), naive = naive_count_collisions(matrix);
      EXPECT_EQ(fast.pairs, naive.pairs);
      EXPECT_EQ(fast.first, naive.first);
    }
  }
}

TEST(Spectrum, PeriodogramIsThatOfTheColumns) {
  for (const auto& [rows, d] : {std::pair{1, 1}, {3, 2}, {7, 5}, {5, 8}, {20, 7}}) {
    const Matrix<double> table = random_matrix(rows, d, 4);
    const FrequencyLines lines = lines_of_periodogram(gram_matrix(table), d);
    std::vector<double> power;
    double sum = 0;
    for (std::size_t k = 0; k < frequency_count(d); ++k) {
      double both = 0;
      for (int c = 0; c < d; ++c) {
        double re = 0, im = 0;
        for (int s = 0; s < rows; ++s) {
          re += table(s, c) * std::cos(basis_frequency(k, d) * s);
          im += table(s, c) * std::sin(basis_frequency(k, d) * s);
        }
        both += re * re + im * im;
      }
      power.push_back(both * static_cast<double>(frequency_multiplicity(k, d)));
      sum += power.back();
    }
    ASSERT_EQ(lines.exact.size(), power.size());
    for (std::size_t k = 0; k < power.size(); ++k) EXPECT_NEAR(lines.exact[k], power[k] / sum, 1e-12);
  }
}

// A one-hot table is white: its periodogram is what the dft encoding's frequencies are.
TEST(Spectrum, OneHotIsFlat) {
  const Analysis analysis = analyze("onehot", {.length = 12, .dim = 12}, quick());
  for (const Reconstruction& one : analysis.reconstruction) {
    if (one.smoothed || one.weighting != Weighting::kPerBasisFunction) continue;
    EXPECT_NEAR(one.shape.peak, 1, 1e-12);
  }
  EXPECT_NEAR(analysis.spectrum->lowest_bin_share, 1.0 / 12, 1e-12);
}

TEST(Reconstruction, AnyFunctionWithFlatWeightsComesBack) {
  for (const std::size_t d : {1, 2, 3, 8, 17}) {
    const Matrix<double> f = random_matrix(1, d, d);
    std::vector<double> flat(frequency_count(d)), counted(frequency_count(d));
    for (std::size_t k = 0; k < flat.size(); ++k) {
      flat[k] = 1;
      counted[k] = static_cast<double>(frequency_multiplicity(k, d));
    }
    const RealTransform transform(d);
    const auto one = reconstruct(f.values, flat, Weighting::kPerFrequency, transform);
    const auto two = reconstruct(f.values, counted, Weighting::kPerBasisFunction, transform);
    for (std::size_t t = 0; t < d; ++t) {
      EXPECT_NEAR(one[t], f.values[t], 1e-13);
      EXPECT_NEAR(two[t], f.values[t], 1e-13);
    }
    const auto nothing =
        reconstruct(f.values, std::vector<double>(flat.size(), 0.0), Weighting::kPerFrequency, transform);
    EXPECT_EQ(nothing, std::vector<double>(d, 0.0));
  }
}

TEST(Reconstruction, WidthsByInterpolation) {
  const std::vector<double> tent = {0, 1, 2, 3, 4, 3, 2, 1, 0}, zeros(9, 0.0);
  const CurveShape middle = measure_curve(tent, zeros, false);
  EXPECT_EQ(middle.peak, 4);
  EXPECT_EQ(middle.peak_at, 4u);
  EXPECT_DOUBLE_EQ(*middle.fwhm, 4);
  EXPECT_DOUBLE_EQ(*middle.width10, 7.2);
  EXPECT_DOUBLE_EQ(middle.l2_error, std::sqrt(44));
  const std::vector<double> edge = {4, 3, 2, 1, 0, 1, 2, 3};
  EXPECT_DOUBLE_EQ(*measure_curve(edge, std::vector<double>(8, 0.0), true).fwhm, 4);  // goes on at the other end
  EXPECT_FALSE(measure_curve(edge, std::vector<double>(8, 0.0), false).fwhm);         // leaves the range
  EXPECT_FALSE(measure_curve(std::vector<double>(5, 1.0), std::vector<double>(5, 0.0), true).fwhm);
  EXPECT_FALSE(measure_curve(std::vector<double>(5, 0.0), std::vector<double>(5, 0.0), true).fwhm);
}

Matrix<double> line_distances(std::size_t length) {
  Matrix<double> distances(length, length);
  for (std::size_t s = 0; s < length; ++s) {
    for (std::size_t t = 0; t < length; ++t)
      distances(s, t) = std::abs(static_cast<double>(s) - static_cast<double>(t));
  }
  return distances;
}

TEST(DistanceAwareness, ClosedForms) {
  EXPECT_DOUBLE_EQ(*distance_spearman(line_distances(7)), 1);
  EXPECT_DOUBLE_EQ(*monotone_share(line_distances(7)), 1);
  Matrix<double> falling = line_distances(7), tied(7, 7, 1.0);
  for (double& value : falling.values) value = 10 - value;
  EXPECT_DOUBLE_EQ(*distance_spearman(falling), -1);
  EXPECT_DOUBLE_EQ(*monotone_share(falling), 0);
  for (std::size_t i = 0; i < tied.values.size(); ++i) tied.values[i] += 1e-12 * static_cast<double>(i % 5);
  EXPECT_EQ(distance_spearman(tied), 0.0);
  EXPECT_EQ(monotone_share(tied), 0.0);
  EXPECT_FALSE(distance_spearman(line_distances(2)));
  // Three positions, distances 1 (0-1), 1 (1-2), 1 (0-2): tied. With 0-2 the nearest: ranks (1, 2), 2 against
  // (1.5, 1.5, 3).
  Matrix<double> three = line_distances(3);
  three(0, 2) = three(2, 0) = 0.5;
  EXPECT_DOUBLE_EQ(*distance_spearman(three), -1);
}

TEST(ShiftDefect, ClosedForms) {
  EXPECT_EQ(*shift_defect(line_distances(6)), 0);
  EXPECT_FALSE(shift_defect(Matrix<double>(5, 5, 3.0)));
  EXPECT_FALSE(shift_defect(Matrix<double>(1, 1, 3.0)));
  // diag(0, 1): along the diagonal 0 and 1 (variance sum 1/2), all four values sum of squares 3/4.
  EXPECT_DOUBLE_EQ(*shift_defect(Matrix<double>(2, 2, {0, 0, 0, 1})), 2.0 / 3);
}

// Two codes at distance D: an error when the noise along their difference exceeds D/2, so Q(D / (2 sigma)).
TEST(Noise, TwoCodesInClosedForm) {
  ThreadPool pool(2);
  const Matrix<double> codes(2, 2, {1, 0, 0, 1}), distances(2, 2, {0, std::sqrt(2), std::sqrt(2), 0});
  const NoiseDecoding noise = decode_under_noise(codes, distances, {0.5, 1}, 20'000, 7, pool);
  for (std::size_t i = 0; i < 2; ++i) {
    const double wanted = std::erfc(1 / (2 * noise.sigmas[i])) / 2;
    EXPECT_NEAR(noise.error_rates[i], wanted, 1e-12);  // the control variate is the error itself
    EXPECT_NEAR(noise.mean_absolute_errors[i], wanted, 0.02);
  }
  EXPECT_NEAR(noise.sigma10, 1 / (2 * 0.9061938), 0.01);  // erfc(0.9061938) = 0.2
}

TEST(Noise, SameBitsOnAnyNumberOfThreadsAndEqualCodesGoToTheFirst) {
  ThreadPool one(1), three(3);
  const CodeGeometry geometry = make_geometry(random_matrix(11, 4, 1), one);
  const auto run = [&](ThreadPool& pool, std::uint64_t seed) {
    return decode_under_noise(geometry.reduced, geometry.distances, {0.2, 0.5}, 100, seed, pool);
  };
  EXPECT_EQ(run(one, 1).error_rates, run(three, 1).error_rates);
  EXPECT_EQ(run(one, 1).sigma10, run(three, 1).sigma10);
  EXPECT_NE(run(one, 1).sigma10, run(one, 2).sigma10);
  const Matrix<double> same(3, 1, {1, 1, 1});
  const NoiseDecoding twins = decode_under_noise(same, Matrix<double>(3, 3), {0.1}, 64, 1, one);
  EXPECT_DOUBLE_EQ(twins.error_rates[0], 2.0 / 3);
  EXPECT_DOUBLE_EQ(twins.mean_absolute_errors[0], 1);
  EXPECT_EQ(twins.sigma10, 0);
}

// The sampled inner products against noise that is really added to each coordinate.
TEST(Noise, AgreesWithNoiseOnTheCodesThemselves) {
  ThreadPool pool(1);
  const CodeGeometry geometry = make_geometry(random_matrix(12, 3, 2), pool);
  const NoiseDecoding noise = decode_under_noise(geometry.reduced, geometry.distances, {0.3}, 4000, 1, pool);
  Random random(9);
  double errors = 0;
  const int rounds = 3000;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t s = 0; s < 12; ++s) {
      std::vector<double> seen(geometry.reduced.row(s).begin(), geometry.reduced.row(s).end());
      for (double& value : seen) value += 0.3 * random.normal();
      std::size_t best = 0;
      double least = HUGE_VAL;
      for (std::size_t t = 0; t < 12; ++t) {
        double distance = 0;
        for (std::size_t i = 0; i < 3; ++i) distance += std::pow(seen[i] - geometry.reduced(t, i), 2);
        if (distance < least) least = distance, best = t;
      }
      errors += best != s;
    }
  }
  EXPECT_NEAR(noise.error_rates[0], errors / (12 * rounds), 0.012);
}

TEST(Codes, OfEveryKind) {
  EncodingOptions options{.length = 5, .dim = 16, .heads = 2, .own = {{"clip", 2}}};
  EXPECT_EQ(make_codes(make_encoding("none", options), 5, Precision::kFp64), Matrix<double>(5, 1));
  const Encoding alibi = make_encoding("alibi", options);
  const Matrix<double> centred = make_codes(alibi, 5, Precision::kFp64);
  EXPECT_EQ(centred.columns, 10u);
  EXPECT_NEAR(centred(1, 3) - centred(1, 1), alibi.values[5 + 3] - alibi.values[5 + 1], 1e-15);
  for (std::size_t s = 0; s < 5; ++s) EXPECT_NEAR(std::accumulate(&centred(s, 0), &centred(s, 0) + 5, 0.0), 0, 1e-14);

  const Encoding shaw = make_encoding("shaw", options);  // [2, 5, 8]
  const Matrix<double> codes = make_codes(shaw, 5, Precision::kFp64);
  const auto vector = [&](std::size_t half, std::size_t s, std::size_t j) {
    const std::size_t offset =
        static_cast<std::size_t>(std::clamp<int>(static_cast<int>(j) - static_cast<int>(s), -2, 2) + 2);
    return std::span(shaw.values).subspan((half * 5 + offset) * 8, 8);
  };
  for (std::size_t s = 0; s < 5; ++s) {
    for (std::size_t t = 0; t < 5; ++t) {
      double wanted = 0;
      for (std::size_t j = 0; j < 5; ++j)
        wanted += dot(vector(0, s, j), vector(0, t, j)) + dot(vector(1, s, j), vector(1, t, j));
      EXPECT_NEAR(dot(codes.row(s), codes.row(t)), wanted, 1e-15);
    }
  }
}

TEST(Extent, OffsetsOfRelativeSchemes) {
  const EncodingOptions options{.length = 80, .dim = 64};
  const auto check = [&](const std::string& name, std::optional<std::size_t> distinct, std::optional<bool> sign) {
    const OffsetResolution found = resolve_offsets(name, options);
    EXPECT_EQ(found.distinct_offsets, distinct) << name;
    EXPECT_EQ(found.sign_seen, sign) << name;
  };
  check("alibi", 80, false);
  check("kerple", 80, false);
  check("erpe", 159, true);
  check("shaw", 33, true);
  check("rope", 159, true);
  check("t5", 29, true);  // 8 exact distances and 7 log buckets below 80, of each sign but 0
  check("tupe", std::nullopt, std::nullopt);
  check("sinusoidal", std::nullopt, std::nullopt);
}

TEST(Extent, FirstCollision) {
  const auto search = [](const std::string& name, const EncodingOptions& options) {
    return find_first_collision(name, options, {}, 1 << 18);  // nothing known: none of these has one so early
  };
  const FirstCollision dft = search("dft", {.length = 4, .dim = 8});
  EXPECT_EQ(dft.length, (PerPrecision<std::optional<std::size_t>>{9, 9, 9, 9}));
  EXPECT_EQ(search("dft", {.length = 4, .dim = 5, .own = {{"period", 11}}}).length[0], 12u);
  // d = 2: sin s, cos s. In bf16 some rows are soon equal, in fp64 none are.
  const FirstCollision small = search("sinusoidal", {.length = 4, .dim = 2});
  EXPECT_EQ(small.limit, 65'536u);
  EXPECT_FALSE(small.length[0]);
  ASSERT_TRUE(small.length[2]);
  const Encoding at = make_encoding("sinusoidal", {.length = *small.length[2], .dim = 2});
  const Collisions there = naive_count_collisions(make_codes(at, *small.length[2], Precision::kBf16));
  EXPECT_EQ(there.pairs, 1u);
  EXPECT_EQ(there.first->second + 1, *small.length[2]);
  EXPECT_FALSE(search("tape", {.length = 4, .dim = 8}).limit);
}

TEST(Analysis, EveryEncodingOfTheCatalogAtEdgeSizes) {
  for (const CatalogEntry& entry : encoding_catalog()) {
    if (!entry.has_table() && entry.kind != EncodingKind::kNone) continue;
    for (const auto& [length, dim, heads] : {std::tuple{1, 2, 1}, {2, 2, 1}, {6, 8, 2}, {3, 8, 2}}) {
      EncodingOptions options{.length = static_cast<std::size_t>(length),
                              .dim = static_cast<std::size_t>(dim),
                              .heads = static_cast<std::size_t>(heads),
                              .own = {{"time_dim", 4}}};
      SCOPED_TRACE(entry.name + " S=" + std::to_string(length));
      const Analysis analysis = analyze(entry.name, options, quick());
      const Faithfulness& measures = analysis.faithfulness;
      const bool table = entry.kind == EncodingKind::kAdditive || entry.kind == EncodingKind::kConcatenated ||
                         entry.kind == EncodingKind::kRotary;
      EXPECT_EQ(analysis.spectrum.has_value(), table);
      EXPECT_EQ(measures.min_distance.has_value(), length > 1);
      for (const auto& value : {measures.condition, measures.stable_rank, measures.gram_deviation, measures.spearman}) {
        EXPECT_FALSE(value && std::isnan(*value));
      }
      if (analysis.spectrum) {
        const std::vector<double>& g = analysis.spectrum->g;
        EXPECT_NEAR(std::accumulate(g.begin(), g.end(), 0.0), 1, 1e-12);
      }
      EXPECT_TRUE(analysis.findings.empty());
    }
  }
}

TEST(Analysis, ZeroCodes) {
  const Faithfulness erpe = analyze("erpe", {.length = 6, .dim = 8, .heads = 2}, quick()).faithfulness;
  EXPECT_EQ(erpe.min_distance, 0.0);
  for (const Collisions& collisions : erpe.collisions) EXPECT_EQ(collisions.pairs, 15u);
  EXPECT_FALSE(erpe.condition);
  EXPECT_FALSE(erpe.coherence);
  EXPECT_FALSE(erpe.noise);
  EXPECT_EQ(erpe.distinct_offsets, 11u);
}

TEST(Analysis, RopeIsTheOriginalEncodingOfAHead) {
  const Analysis rope = analyze("rope", {.length = 10, .dim = 64, .heads = 4}, quick());
  const Analysis head = analyze("sinusoidal", {.length = 10, .dim = 16}, quick());
  EXPECT_NEAR(*rope.faithfulness.min_distance, *head.faithfulness.min_distance, 1e-13);
  EXPECT_EQ(rope.spectrum->g, head.spectrum->g);
  EXPECT_EQ(rope.spectrum->crossover, head.spectrum->crossover);
  EXPECT_NEAR(*rope.faithfulness.shift_defect, 0, 1e-20);
}

TEST(Analysis, MirrorImagesOfSymmetricBiases) {
  const Faithfulness alibi = analyze("alibi", {.length = 9, .dim = 8, .heads = 1}, quick()).faithfulness;
  EXPECT_EQ(alibi.collisions[0].pairs, 0u);
  EXPECT_NEAR(*alibi.shift_defect, 0, 1e-25);
}

TEST(Analysis, PositionsBeyondTheTableAreRejected) {
  AnalysisOptions options = quick();
  options.at = {3, 12};
  EXPECT_EQ(testing::rejection([&] { analyze("sinusoidal", {.length = 20, .dim = 8}, options); }),
            "at: expected positions below 8 (the smaller of length and dim), found 12");
  options.at = {};
  options.sigma_bins = 0;
  EXPECT_EQ(testing::rejection([&] { analyze("dft", {.length = 4, .dim = 8}, options); }),
            "sigma_bins: expected a positive number, found 0");
  EXPECT_EQ(testing::rejection([&] { analyze("dft", {.length = 5000, .dim = 8}, quick()); }),
            "length: expected at most 4096 positions, found 5000 (every pair of positions is compared)");
}

}  // namespace
}  // namespace faithful
