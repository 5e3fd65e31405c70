#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>
#include <vector>

#include <fftw3.h>
#include <gtest/gtest.h>

#include "faithful/base/random.h"
#include "faithful/fourier/basis.h"
#include "faithful/fourier/density.h"
#include "faithful/fourier/transform.h"
#include "tests/support.h"

namespace faithful {
namespace {

// The sums as they are written, in O(d^2): the oracles of the fast ones.
void naive_forward(std::span<const double> f, std::span<double> c) {
  const RootTable roots(f.size());
  for (std::size_t l = 0; l < f.size(); ++l) {
    c[l] = 0;
    for (std::size_t t = 0; t < f.size(); ++t) c[l] += f[t] * basis_value(roots, l, t);
  }
}

void naive_inverse(std::span<const double> c, std::span<double> f) {
  const RootTable roots(c.size());
  for (std::size_t t = 0; t < c.size(); ++t) {
    f[t] = 0;
    for (std::size_t l = 0; l < c.size(); ++l) f[t] += c[l] * basis_value(roots, l, t);
  }
}

// The sum as it is written.
FrequencyDensity naive_frequency_density(std::span<const double> frequencies, std::size_t d, double sigma) {
  FrequencyDensity density{std::vector<double>(frequency_count(d)), 0};
  for (std::size_t k = 0; k < density.g.size(); ++k) {
    long double sum = 0;  // an oracle should not lose digits by adding up
    for (const double w : frequencies) {
      const double distance = (basis_frequency(k, d) - folded_frequency(w)) / sigma;
      sum += std::exp(-distance * distance / 2);
    }
    density.g[k] = static_cast<double>(sum);
  }
  density.normalizer = std::accumulate(density.g.begin(), density.g.end(), 0.0);
  for (double& value : density.g) value /= density.normalizer;
  return density;
}

const double kPi = std::numbers::pi;

std::vector<double> random_values(std::size_t n, std::uint64_t seed = 1) {
  Random random(seed);
  std::vector<double> values(n);
  for (double& value : values) value = random.normal();
  return values;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

TEST(Basis, CountsPairsAndFrequencies) {
  const std::size_t pairs[] = {0, 0, 1, 1, 2, 2};
  for (std::size_t d = 1; d <= 6; ++d) EXPECT_EQ(pair_count(d), pairs[d - 1]) << d;
  EXPECT_EQ(frequency_count(1), 1u);
  EXPECT_EQ(frequency_count(2), 2u);
  EXPECT_EQ(frequency_count(5), 3u);
  EXPECT_EQ(frequency_count(6), 4u);
  std::vector<std::size_t> even, odd;
  for (std::size_t l = 0; l < 6; ++l) even.push_back(frequency_index(l, 6));
  for (std::size_t l = 0; l < 5; ++l) odd.push_back(frequency_index(l, 5));
  EXPECT_EQ(even, (std::vector<std::size_t>{0, 1, 2, 1, 2, 3}));
  EXPECT_EQ(odd, (std::vector<std::size_t>{0, 1, 2, 1, 2}));
}

TEST(Basis, RootsHaveTheirClosedForms) {
  const double half = std::sqrt(0.5), high = std::sqrt(3.0) / 2;
  const auto expect_root = [](std::uint64_t j, std::uint64_t d, double c, double s) {
    const Root root = root_of_unity(j, d);
    EXPECT_EQ(root.cos, c) << j << "/" << d;
    EXPECT_EQ(root.sin, s) << j << "/" << d;
  };
  expect_root(0, 1, 1, 0);
  expect_root(1, 2, -1, 0);
  expect_root(1, 4, 0, 1);
  expect_root(3, 4, 0, -1);
  expect_root(1, 8, half, half);
  expect_root(3, 8, -half, half);
  expect_root(5, 8, -half, -half);
  expect_root(7, 8, half, -half);
  EXPECT_NEAR(root_of_unity(1, 12).cos, high, 2e-16);
  EXPECT_NEAR(root_of_unity(7, 12).cos, -high, 2e-16);
  EXPECT_NEAR(root_of_unity(7, 12).sin, -0.5, 1e-16);
  EXPECT_NEAR(root_of_unity(2, 3).sin, -high, 2e-16);
}

TEST(Basis, RootsAreWithinOneUlp) {
  for (const std::uint64_t d : {3, 7, 100, 257, 1021, 65536, 65537}) {
    for (std::uint64_t j = 0; j < d; j += d / 50 + 1) {
      const long double angle =
          2 * std::numbers::pi_v<long double> * static_cast<long double>(j) / static_cast<long double>(d);
      const Root root = root_of_unity(j, d);
      ASSERT_LT(std::abs(root.cos - std::cos(angle)), 1.12e-16L) << j << "/" << d;
      ASSERT_LT(std::abs(root.sin - std::sin(angle)), 1.12e-16L) << j << "/" << d;
    }
  }
}

TEST(Basis, TableHoldsEveryRoot) {
  for (const std::size_t d : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 255, 256, 257, 1021, 4096}) {
    const RootTable table(d);
    ASSERT_EQ(table.size(), d);
    for (std::size_t j = 0; j < d; ++j) {
      const Root root = root_of_unity(j, d);
      ASSERT_NEAR(table.cos(j), root.cos, 2.3e-16) << j << "/" << d;
      ASSERT_NEAR(table.sin(j), root.sin, 2.3e-16) << j << "/" << d;
    }
    EXPECT_EQ(table.cos(d), 1);
    EXPECT_EQ(table.sin(3 * std::uint64_t{d}), 0);
  }
}

TEST(Basis, IsOrthonormal) {
  for (const std::size_t d : {1, 2, 3, 4, 5, 8, 31, 64, 97}) {
    const RootTable roots(d);
    for (std::size_t l = 0; l < d; ++l) {
      for (std::size_t m = 0; m <= l; ++m) {
        double sum = 0;
        for (std::size_t t = 0; t < d; ++t) sum += basis_value(roots, l, t) * basis_value(roots, m, t);
        ASSERT_NEAR(sum, l == m ? 1 : 0, 2e-15) << d << ": " << l << ", " << m;
      }
    }
  }
}

TEST(Basis, HasTheOrderOfTheDefinition) {
  const RootTable roots(6);
  for (std::size_t t = 0; t < 6; ++t) {
    const double x = 2 * kPi * static_cast<double>(t) / 6, pair = std::sqrt(2.0 / 6), end = std::sqrt(1.0 / 6);
    const double expected[] = {end,
                               pair * std::cos(x),
                               pair * std::cos(2 * x),
                               pair * std::sin(x),
                               pair * std::sin(2 * x),
                               t % 2 == 0 ? end : -end};
    for (std::size_t l = 0; l < 6; ++l) EXPECT_NEAR(basis_value(roots, l, t), expected[l], 1e-15) << l << ", " << t;
  }
}

TEST(Transform, AgreesWithTheNaiveSums) {
  for (const std::size_t d : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 14, 15, 16, 22, 49, 60, 97, 121, 128, 257}) {
    const RealTransform transform(d);
    const std::vector<double> f = random_values(d, d);
    std::vector<double> fast(d), naive(d);
    transform.forward(f, fast);
    naive_forward(f, naive);
    EXPECT_LT(largest_difference(fast, naive), 2e-14) << "forward " << d;
    transform.inverse(f, fast);
    naive_inverse(f, naive);
    EXPECT_LT(largest_difference(fast, naive), 2e-14) << "inverse " << d;
  }
}

TEST(Transform, WorksInPlaceAndAgain) {
  for (const std::size_t d : {6, 7}) {
    const RealTransform transform(d);
    EXPECT_EQ(transform.size(), d);
    const std::vector<double> f = random_values(d);
    std::vector<double> out(d), same = f;
    transform.forward(f, out);
    transform.forward(same, same);
    EXPECT_EQ(same, out);
    transform.inverse(same, same);
    EXPECT_LT(largest_difference(same, f), 1e-15);
  }
}

// The coefficients that FFTW finds, in our order and scale.
std::vector<double> fftw_coefficients(const std::vector<double>& f) {
  const std::size_t d = f.size(), pairs = pair_count(d);
  std::vector<double> in = f, c(d);
  std::vector<std::complex<double>> out(d / 2 + 1);
  const fftw_plan plan =
      fftw_plan_dft_r2c_1d(static_cast<int>(d), in.data(), reinterpret_cast<fftw_complex*>(out.data()), FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  for (std::size_t l = 0; l < d; ++l) {
    const std::size_t k = frequency_index(l, d);
    const bool sine = l > pairs && l <= 2 * pairs;
    const double scale = std::sqrt(static_cast<double>(frequency_multiplicity(k, d)) / static_cast<double>(d));
    c[l] = scale * (sine ? -out[k].imag() : out[k].real());
  }
  return c;
}

TEST(Transform, AgreesWithFftwAtLengthsOfEveryKind) {
  for (const std::size_t d : {1000, 1009, 1024, 2 * 1009, 4099, 7 * 7 * 11 * 13, 65536, 65537}) {
    const std::vector<double> f = random_values(d, d);
    std::vector<double> c(d), back(d);
    const RealTransform transform(d);
    transform.forward(f, c);
    EXPECT_LT(largest_difference(c, fftw_coefficients(f)), 1e-13) << d;
    transform.inverse(c, back);
    EXPECT_LT(largest_difference(back, f), 1e-13) << d;
  }
}

// w_l = rho^(-l/d), l = 0, 2, ..: the frequencies of the original encoding.
std::vector<double> original_frequencies(std::size_t d) {
  std::vector<double> frequencies;
  for (std::size_t l = 0; l + 1 < d; l += 2)
    frequencies.push_back(std::pow(1e4, -static_cast<double>(l) / static_cast<double>(d)));
  return frequencies;
}

TEST(Density, HasTheReferenceValues) {
  const FrequencyDensity density = frequency_density(original_frequencies(256), 256, 4 * basis_frequency(1, 256));
  ASSERT_EQ(density.g.size(), 129u);
  EXPECT_NEAR(density.normalizer, 897.76781, 5e-6);
  EXPECT_NEAR(density.g[0], 0.106987, 5e-7);
  EXPECT_NEAR(density.g[1], 0.108916, 5e-7);
  EXPECT_NEAR(density.g[8], 0.0363221, 5e-8);
  EXPECT_NEAR(density.g[32], 0.00491447, 5e-9);
  EXPECT_NEAR(std::accumulate(density.g.begin(), density.g.end(), 0.0), 1, 1e-15);
}

TEST(Density, AgreesWithTheNaiveSumForEveryBandwidth) {
  for (const std::size_t d : {1, 2, 3, 16, 101, 256, 1000}) {
    std::vector<double> frequencies = original_frequencies(d);
    for (const double w : random_values(50, d)) frequencies.push_back(3 * w);  // some to be folded
    for (const double bins : {0.1, 0.5, 1.0, 4.0, 4.6, 8.0, 33.0, 500.0, 1e6}) {
      const double sigma = bins * basis_frequency(1, d);
      const FrequencyDensity fast = frequency_density(frequencies, d, sigma);
      const FrequencyDensity naive = naive_frequency_density(frequencies, d, sigma);
      const double peak = *std::max_element(naive.g.begin(), naive.g.end());
      EXPECT_NEAR(fast.normalizer / naive.normalizer, 1, 1e-14) << d << ", " << bins;
      EXPECT_LT(largest_difference(fast.g, naive.g), 2e-15 * peak) << d << ", " << bins;
    }
  }
}

TEST(Density, FoldsFrequenciesIntoTheBand) {
  EXPECT_EQ(folded_frequency(-1), 1);
  EXPECT_EQ(folded_frequency(kPi), kPi);
  EXPECT_NEAR(folded_frequency(4), 2 * kPi - 4, 1e-15);
  EXPECT_NEAR(folded_frequency(2 * kPi + 0.5), 0.5, 1e-15);
  const std::vector<double> inside{1.0}, outside{2 * kPi - 1.0};
  const double sigma = 4 * basis_frequency(1, 64);
  EXPECT_LT(largest_difference(frequency_density(inside, 64, sigma).g, frequency_density(outside, 64, sigma).g), 1e-15);
}

TEST(Density, OfNothingIsNothing) {
  const FrequencyDensity none = frequency_density({}, 8, 1);
  EXPECT_EQ(none.normalizer, 0);
  EXPECT_EQ(none.g, std::vector<double>(5));
  const std::vector<double> between{0.3};
  EXPECT_EQ(frequency_density(between, 8, 1e-9).normalizer, 0);
}

TEST(Density, RejectsWhatHasNoMeaning) {
  const std::vector<double> one{1.0}, broken{1.0, NAN};
  EXPECT_EQ(testing::rejection([&] { frequency_density(one, 8, 0); }), "sigma: expected a positive number, found 0");
  EXPECT_EQ(testing::rejection([&] { frequency_density(one, 8, NAN); }),
            "sigma: expected a positive number, found nan");
  EXPECT_EQ(testing::rejection([&] { frequency_density(broken, 8, 1); }),
            "frequencies: expected finite numbers, found nan");
}

}  // namespace
}  // namespace faithful
