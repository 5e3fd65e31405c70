#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "faithful/fourier/density.h"
#include "faithful/fourier/transform.h"

namespace faithful {
namespace {

// 1 to 200 whole numbers: exact in double, so that only the transform rounds.
std::vector<double> some_values() {
  const auto d = *rc::gen::inRange<std::size_t>(1, 200);
  const auto whole = *rc::gen::container<std::vector<int>>(d, rc::gen::inRange(-1000, 1000));
  return {whole.begin(), whole.end()};
}

double energy(const std::vector<double>& x) {
  return std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
}

TEST(TransformProperty, InverseUndoesForwardAndForwardInverse) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<double> f = some_values();
    const RealTransform transform(f.size());
    std::vector<double> once(f.size()), back(f.size());
    transform.forward(f, once);
    transform.inverse(once, back);
    for (std::size_t t = 0; t < f.size(); ++t) RC_ASSERT(std::abs(back[t] - f[t]) < 1e-11);
    transform.inverse(f, once);
    transform.forward(once, back);
    for (std::size_t t = 0; t < f.size(); ++t) RC_ASSERT(std::abs(back[t] - f[t]) < 1e-11);
  }));
}

TEST(TransformProperty, KeepsTheEnergy) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<double> f = some_values();
    std::vector<double> c(f.size());
    RealTransform(f.size()).forward(f, c);
    RC_ASSERT(std::abs(energy(c) - energy(f)) <= 1e-13 * energy(f));
  }));
}

TEST(DensityProperty, AddsUpToOne) {
  EXPECT_TRUE(rc::check([] {
    std::vector<double> frequencies = some_values();
    for (double& w : frequencies) w /= 300;
    const auto d = *rc::gen::inRange<std::size_t>(1, 100);
    const double sigma = *rc::gen::inRange(10, 100) / 10.0;  // wide enough to reach some basis frequency
    const FrequencyDensity density = frequency_density(frequencies, d, sigma);
    RC_ASSERT(std::abs(std::accumulate(density.g.begin(), density.g.end(), 0.0) - 1) < 1e-13);
  }));
}

}  // namespace
}  // namespace faithful
