#include "faithful/engine/kernels.h"

#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "faithful/base/cpu.h"
#include "faithful/base/random.h"

namespace faithful::engine {
namespace {

const std::vector<std::size_t> kLengths = {1, 2, 3, 7, 8, 9, 16, 17, 31, 64, 100, 101};
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> numbers(std::size_t n, std::uint64_t stream, double least = -2, double most = 2) {
  Random random(11, stream);
  std::vector<float> values(n);
  for (float& value : values) value = static_cast<float>(random.uniform(least, most));
  return values;
}

std::vector<double> doubled(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

// Every float kernel is held against its twin in double.
void expect_near(const std::vector<float>& ours, const std::vector<double>& exact, double relative, double absolute) {
  ASSERT_EQ(ours.size(), exact.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    ASSERT_NEAR(ours[i], exact[i], relative * std::fabs(exact[i]) + absolute) << "at " << i << " of " << ours.size();
  }
}

std::vector<float> grid(double least, double most, std::size_t n = 200003) {
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = static_cast<float>(least + (most - least) * static_cast<double>(i) / static_cast<double>(n - 1));
  }
  return x;
}

TEST(Kernels, ExponentialOverItsRange) {
  const std::vector<float> x = grid(-87.3, 88.3);
  std::vector<float> y(x.size());
  exponential(x.data(), x.size(), y.data());
  std::vector<double> exact = doubled(x);
  exponential(exact.data(), exact.size(), exact.data());
  expect_near(y, exact, 2e-7, 0);
}

TEST(Kernels, ExponentialAtTheEnds) {
  for (const std::size_t n : kLengths) {
    std::vector<float> x(n, -kInfinity), y(n, 7);
    x[0] = 0;
    exponential(x.data(), n, y.data());
    EXPECT_EQ(y[0], 1);
    for (std::size_t i = 1; i < n; ++i) EXPECT_EQ(y[i], 0);
  }
  const float far[] = {-1e30F, -104, 1e30F};
  float y[3];
  exponential(far, 3, y);
  EXPECT_EQ(y[0], 0);
  EXPECT_EQ(y[1], 0);
  EXPECT_GT(y[2], 2e38F);
  EXPECT_LT(y[2], kInfinity);
}

TEST(Kernels, GeluIsTheExactForm) {
  // x Φ(x) at 1: 0.84134474..., known from the tables of the normal distribution; its slope there Φ(1) + φ(1).
  const double one = 1;
  double y = 0, slope = 0;
  gelu(&one, 1, &y, &slope);
  EXPECT_NEAR(y, 0.8413447460685429, 1e-15);
  EXPECT_NEAR(slope, 0.8413447460685429 + 0.24197072451914337, 1e-15);
}

TEST(Kernels, GeluOverItsRange) {
  const std::vector<float> x = grid(-8, 20);
  std::vector<float> y(x.size()), slope(x.size());
  gelu(x.data(), x.size(), y.data(), slope.data());
  std::vector<double> exact = doubled(x), exact_slope(x.size());
  gelu(exact.data(), exact.size(), exact.data(), exact_slope.data());
  expect_near(slope, exact_slope, 0, 3e-7);
  for (std::size_t i = 0; i < y.size(); ++i) {
    // Far out the argument of the exponential, x²/2, carries half a unit in the last place of its own.
    ASSERT_NEAR(y[i], exact[i], std::fabs(exact[i]) * (5e-7 + 6e-8 * x[i] * x[i] * (x[i] < 0 ? 0.5 : 0.0))) << x[i];
  }
  const float far[] = {-1e4F, -30, 1e4F};
  float at[3], slopes[3];
  gelu(far, 3, at, slopes);
  EXPECT_EQ(at[0], 0);
  EXPECT_EQ(at[1], 0);
  EXPECT_EQ(at[2], 1e4F);
  EXPECT_EQ(slopes[2], 1);
  const float odd[] = {kInfinity, std::numeric_limits<float>::quiet_NaN()};
  gelu(odd, 2, at, slopes);
  EXPECT_EQ(at[0], kInfinity);
  EXPECT_TRUE(std::isnan(at[1]));
  EXPECT_TRUE(std::isnan(slopes[1]));
}

TEST(Kernels, ActivationsMayWorkInPlace) {
  for (const std::size_t n : kLengths) {
    const std::vector<float> x = numbers(n, 1);
    std::vector<float> y(n), slope(n), y_only(n), in_place = x;
    gelu(x.data(), n, y.data(), slope.data());
    gelu(x.data(), n, y_only.data(), nullptr);
    EXPECT_EQ(y, y_only);
    std::vector<float> result(n);
    gelu(in_place.data(), n, result.data(), in_place.data());
    EXPECT_EQ(result, y);
    EXPECT_EQ(in_place, slope);
    in_place = x;
    relu(x.data(), n, y.data());
    relu(in_place.data(), n, in_place.data());
    EXPECT_EQ(in_place, y);
  }
}

TEST(Kernels, ReluIsExact) {
  for (const std::size_t n : kLengths) {
    const std::vector<float> x = numbers(n, n, -1, 1), slopes = numbers(n, n + 1000);
    std::vector<float> y(n), naive(n), dy = slopes, naive_dy = slopes;
    relu(x.data(), n, y.data());
    reference::relu(x.data(), n, naive.data());
    relu_backward(y.data(), n, dy.data());
    reference::relu_backward(naive.data(), n, naive_dy.data());
    EXPECT_EQ(y, naive);
    EXPECT_EQ(dy, naive_dy);
  }
  const float x[] = {-1, -0.0F, 0, 2, 3};
  float y[5], dy[5] = {7, 7, 7, 7, 7};
  relu(x, 5, y);
  relu_backward(y, 5, dy);
  EXPECT_EQ(std::vector<float>(y, y + 5), (std::vector<float>{0, 0, 0, 2, 3}));
  EXPECT_EQ(std::vector<float>(dy, dy + 5), (std::vector<float>{0, 0, 0, 7, 7}));
}

TEST(Kernels, SoftmaxAndItsGradient) {
  for (const std::size_t n : kLengths) {
    for (const double width : {1.0, 40.0}) {
      std::vector<float> p = numbers(n, n, -width, width), d = numbers(n, n + 1000);
      if (n > 2) p[n / 2] = -kInfinity;
      std::vector<double> exact = doubled(p);
      softmax(p.data(), n);
      softmax(exact.data(), n);
      expect_near(p, exact, 1e-6 + 6e-8 * 2 * width, 0);
      std::vector<double> exact_d = doubled(d);
      softmax_backward(p.data(), 1, n, n, d.data());
      softmax_backward(exact.data(), 1, n, n, exact_d.data());
      expect_near(d, exact_d, 1e-6, 1e-6);
    }
  }
}

TEST(Kernels, SoftmaxBackwardOfRowsIsThatOfEachRow) {
  for (const std::size_t rows : {1, 3, 4, 11}) {
    for (const std::size_t n : kLengths) {
      const std::size_t stride = n + 3;
      const std::vector<float> p = numbers(rows * stride, n, 0, 1);
      std::vector<float> all = numbers(rows * stride, n + 1), single = all;
      softmax_backward(p.data(), rows, n, stride, all.data());
      for (std::size_t r = 0; r < rows; ++r) {
        softmax_backward(p.data() + r * stride, 1, n, stride, single.data() + r * stride);
      }
      EXPECT_EQ(all, single);
    }
  }
}

TEST(Kernels, SoftmaxOfRowsIsThatOfEachRow) {
  for (const std::size_t rows : {1, 2, 7, 8, 9, 19}) {
    for (const std::size_t n : {1, 5, 8, 13, 16, 100}) {
      std::vector<float> all = numbers(rows * n, n);
      std::fill_n(all.data() + (rows - 1) * n, n, -kInfinity);  // the last row is masked throughout
      std::vector<float> single = all;
      softmax_rows(all.data(), rows, n, n);
      for (std::size_t r = 0; r < rows; ++r) softmax(single.data() + r * n, n);
      EXPECT_EQ(all, single) << rows << " x " << n;
      const float* last = all.data() + (rows - 1) * n;
      EXPECT_EQ(std::vector<float>(last, last + n), std::vector<float>(n));
    }
  }
}

TEST(Kernels, SoftmaxFillsUpRowsThatHaveRoom) {
  constexpr std::size_t kRows = 9, kRoom = 32;  // numbers behind a row: any vector fits
  for (const std::size_t n : {1, 5, 8, 13, 16, 100}) {
    std::vector<float> all = numbers(kRows * (n + kRoom), n), before = all;
    softmax_rows(all.data(), kRows, n, n + kRoom);
    for (std::size_t r = 0; r < kRows; ++r) {
      float *row = before.data() + r * (n + kRoom), *found = all.data() + r * (n + kRoom);
      softmax(row, n);
      EXPECT_EQ(std::vector<float>(found, found + n), std::vector<float>(row, row + n)) << r << " of " << n;
      const std::size_t filled = instruction_set() == "scalar" ? n : (n + 3) / 4 * 4;  // no vectors are shorter than 4
      for (std::size_t i = n; i < filled; ++i) EXPECT_EQ(found[i], 0) << i;
      for (std::size_t i = filled; i < n + kRoom; ++i) EXPECT_TRUE(found[i] == 0 || found[i] == row[i]) << i;
    }
  }
}

TEST(Kernels, SoftmaxOfAMaskedRowIsZero) {
  for (const std::size_t n : kLengths) {
    std::vector<float> p(n, -kInfinity);
    softmax(p.data(), n);
    EXPECT_EQ(p, std::vector<float>(n, 0));
  }
}

TEST(Kernels, SoftmaxOfWhatIsNoNumberIsNone) {
  for (const std::size_t n : kLengths) {
    for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
      std::vector<float> p = numbers(n, n);
      p[at] = std::numeric_limits<float>::quiet_NaN();
      softmax(p.data(), n);
      for (const float weight : p) EXPECT_TRUE(std::isnan(weight)) << at << " of " << n;
    }
  }
}

TEST(Kernels, SoftmaxOfEqualScoresIsUniform) {
  std::vector<float> p(64, 3.5F);
  softmax(p.data(), 64);
  EXPECT_EQ(p, std::vector<float>(64, 1.0F / 64));
}

// Layer norm of some rows with all its places, and backwards; rows of x, of the residual and of dz lie apart.
template <class T>
struct NormCase {
  NormCase(std::size_t rows, std::size_t n, bool with_residual)
      : x(of<T>(rows * (n + 3), 1)),
        residual(of<T>(rows * (n + 1), 2)),
        gain(of<T>(n, 3)),
        offset(of<T>(n, 4)),
        dy(of<T>(rows * n, 5)),
        unit(rows * n),
        scales(rows),
        y(rows * n),
        dz(rows * (n + 2)),
        dgain(n, T(0.5)),
        doffset(n, T(0.25)) {
    // A tenth as epsilon keeps rows of one or two elements well conditioned.
    const T epsilon = static_cast<T>(0.1F);
    const T* added = with_residual ? residual.data() : nullptr;
    const Normalization<T> all{rows,    n,           x.data(),      n + 3,       added,         n + 1,
                               epsilon, gain.data(), offset.data(), unit.data(), scales.data(), y.data()};
    normalize(all);
    normalize_backward(all, static_cast<const T*>(dy.data()), 0, rows, dz.data(), n + 2, dgain.data(), doffset.data());
    Normalization<T> without_unit = all;
    y_alone = y;
    without_unit.unit = without_unit.y = y_alone.data();
    normalize(without_unit);
  }

  template <class To>
  static std::vector<To> of(std::size_t n, std::uint64_t stream) {
    const std::vector<float> values = numbers(n, stream);
    return {values.begin(), values.end()};
  }
  std::vector<T> x, residual, gain, offset, dy, unit, scales, y, y_alone, dz, dgain, doffset;
};

TEST(Kernels, NormalizeAndItsGradient) {
  for (const std::size_t n : kLengths) {
    for (const std::size_t rows : {1, 3, 4, 9}) {
      for (const bool with_residual : {false, true}) {
        const NormCase<float> ours(rows, n, with_residual);
        const NormCase<double> exact(rows, n, with_residual);
        expect_near(ours.scales, exact.scales, 1e-6, 0);
        expect_near(ours.unit, exact.unit, 0, 2e-6);
        expect_near(ours.y, exact.y, 0, 4e-6);
        EXPECT_EQ(ours.y_alone, ours.y);
        expect_near(ours.dz, exact.dz, 0, 2e-5);
        expect_near(ours.dgain, exact.dgain, 0, 1e-5);
        expect_near(ours.doffset, exact.doffset, 0, 1e-6);
      }
    }
  }
}

// Sums of equal numbers are rounded to one side: the worst rows for a sum, by the stated bounds.
TEST(Kernels, RowsOfEqualNumbers) {
  for (const std::size_t n : {100, 1000, 9999}) {
    for (const float value : {0.1F, 0.7F, -3.3F}) {
      std::vector<float> p(n, value);
      softmax(p.data(), n);
      const std::vector<double> equal(n, 1 / static_cast<double>(n));
      expect_near(p, equal, 1e-6 + 6e-8 * static_cast<double>(n), 0);  // vectors of one number are the worst
      std::vector<float> x(n, value), gain(n, 1), offset(n, 0), unit(n), y(n);
      float scale = 0;
      x[n / 2] += 1;
      normalize(Normalization<float>{1, n, x.data(), n, nullptr, n, 1e-5F, gain.data(), offset.data(), unit.data(),
                                     &scale, y.data()});
      std::vector<double> exact_x = doubled(x), ones(n, 1), zeros(n, 0), exact_unit(n), exact_y(n);
      double exact_scale = 0;
      normalize(Normalization<double>{1, n, exact_x.data(), n, nullptr, n, static_cast<double>(1e-5F), ones.data(),
                                      zeros.data(), exact_unit.data(), &exact_scale, exact_y.data()});
      double greatest = 0, worst = 0;
      for (std::size_t i = 0; i < n; ++i) {
        greatest = std::max(greatest, std::fabs(exact_y[i]));
        worst = std::max(worst, std::fabs(static_cast<double>(y[i]) - exact_y[i]));
      }
      const double mean_error = 6e-8 * static_cast<double>(n) * (std::fabs(static_cast<double>(value)) + 1);
      EXPECT_LT(worst, 2e-6 * greatest + mean_error * exact_scale) << n << " times " << value;
    }
  }
}

TEST(Kernels, SumsAndProductsAreExact) {
  for (const std::size_t n : kLengths) {
    const std::vector<float> x = numbers(5 * (n + 1), 1), y = numbers(n, 2);
    std::vector<float> sum = y, product = y, rows = y;
    add(x.data(), n, sum.data());
    multiply(x.data(), n, product.data());
    std::vector<float> tripled = y;
    rescale(3.0F, n, tripled.data());
    add_rows(x.data(), 5, n, n + 1, rows.data());
    std::vector<float> other_sum(n), other_product(n);
    add_into(x.data(), y.data(), n, other_sum.data());
    multiply_into(x.data(), y.data(), n, other_product.data());
    EXPECT_EQ(other_sum, sum);
    EXPECT_EQ(other_product, product);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(sum[i], y[i] + x[i]);
      EXPECT_EQ(product[i], y[i] * x[i]);
      EXPECT_EQ(tripled[i], 3 * y[i]);
      float all = y[i];
      for (std::size_t r = 0; r < 5; ++r) all += x[r * (n + 1) + i];
      EXPECT_EQ(rows[i], all);
    }
  }
}

TEST(Kernels, SquaredSumIsThatOfAllShards) {
  for (const std::size_t n : kLengths) {
    const std::vector<float> of_shard[] = {numbers(n, 1), numbers(n, 2), numbers(n, 3)};
    const float* gradients[] = {of_shard[0].data(), of_shard[1].data(), of_shard[2].data()};
    for (const std::size_t shards : {1, 2, 3}) {
      const double naive = reference::squared_sum(gradients, shards, n);
      EXPECT_NEAR(squared_sum(gradients, shards, n), naive, 1e-12 * naive) << n;
    }
  }
}

TEST(Kernels, BatchNormEqualsItsTwinInEveryBit) {
  for (const std::size_t n : kLengths) {
    const std::vector<float> x = numbers(n, 1), a = numbers(n, 2), b = numbers(n, 3), c = numbers(n, 4),
                             d = numbers(n, 5);
    std::vector<float> ours[] = {a, b, c}, naive[] = {a, b, c};
    add_squares(x.data(), d.data(), n, ours[0].data());
    reference::add_squares(x.data(), d.data(), n, naive[0].data());
    add_slopes(x.data(), d.data(), n, ours[1].data(), ours[2].data());
    reference::add_slopes(x.data(), d.data(), n, naive[1].data(), naive[2].data());
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(ours[i], naive[i]) << n;
    const Standardization<float> forward{a.data(), b.data(), c.data(), d.data()};
    standardize(forward, x.data(), n, ours[0].data(), ours[1].data());
    reference::standardize(forward, x.data(), n, naive[0].data(), naive[1].data());
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(ours[i], naive[i]) << n;
    const StandardizationBackward<float> backward{a.data(), b.data(), c.data()};
    for (const bool add : {false, true}) {
      standardize_backward(backward, x.data(), d.data(), n, add, ours[2].data());
      reference::standardize_backward(backward, x.data(), d.data(), n, add, naive[2].data());
      EXPECT_EQ(ours[2], naive[2]) << n;
    }
  }
}

// Widths around a vector, kernels around the five taps that go together, reaches beyond the ends, rows around a block.
TEST(Kernels, DepthwiseEqualsItsTwin) {
  for (const auto& [positions, width, kernel, dilation] : {std::array<std::size_t, 4>{1, 1, 1, 1},
                                                           {2, 3, 5, 1},
                                                           {50, 63, 5, 4},
                                                           {33, 64, 5, 2},
                                                           {7, 17, 3, 2},
                                                           {70, 9, 7, 3},
                                                           {40, 5, 11, 1},
                                                           {20, 2, 5, 9},
                                                           {20, 2, 5, 30}}) {
    const Depthwise of{positions, width, kernel, dilation};
    const std::vector<float> x = numbers(positions * width, 1), w = numbers(kernel * width, 2),
                             dy = numbers(positions * width, 3);
    for (const bool add : {false, true}) {
      std::vector<float> y = dy;
      std::vector<double> exact = doubled(y);
      depthwise(of, x.data(), w.data(), add, y.data());
      reference::depthwise(of, doubled(x).data(), doubled(w).data(), add, exact.data());
      expect_near(y, exact, 1e-6, 2e-6 * static_cast<double>(kernel));
    }
    std::vector<float> dw = w;
    std::vector<double> exact = doubled(dw);
    depthwise_weights(of, x.data(), dy.data(), dw.data());
    reference::depthwise_weights(of, doubled(x).data(), doubled(dy).data(), exact.data());
    expect_near(dw, exact, 1e-6, 5e-7 * static_cast<double>(positions + 2));
  }
}

TEST(Kernels, DropoutDrawsTheSameNumbersAsItsTwin) {
  for (const std::size_t n : {1, 7, 16, 127, 128, 129, 1000}) {
    const DropoutPlace place{{123, 456}, 7, 8, 9, 20000};
    std::vector<float> ours(n), naive(n);
    dropout_factors(place, n, 2.5F, ours.data());
    reference::dropout_factors(place, n, 2.5F, naive.data());
    EXPECT_EQ(ours, naive) << n;
  }
}

TEST(Kernels, AdamWStepsAsDefined) {
  for (const std::size_t n : kLengths) {
    const std::vector<float> g0 = numbers(n, 1), g1 = numbers(n, 2);
    const std::vector<double> h0 = doubled(g0), h1 = doubled(g1);
    std::vector<float> w = numbers(n, 3), m(n, 0), v(n, 0);
    std::vector<double> w2 = doubled(w), m2(n, 0), v2(n, 0);
    const float* gradients[] = {g0.data(), g1.data()};
    const double* gradients2[] = {h0.data(), h1.data()};
    const AdamWOptions options{.rate = 0.01, .decay = 0.1};
    for (std::size_t t = 1; t <= 3; ++t) {
      adamw(gradients, 2, 0.5F, n, AdamWStep<float>(options, t, true), w.data(), m.data(), v.data());
      adamw(gradients2, 2, 0.5, n, AdamWStep<double>(options, t, true), w2.data(), m2.data(), v2.data());
    }
    expect_near(w, w2, 3e-7, 1e-7);
    expect_near(m, m2, 1e-6, 1e-7);
    expect_near(v, v2, 2e-6, 1e-10);
  }
}

TEST(Kernels, TheFirstAdamWStepHasTheLengthOfTheRate) {
  // m / sqrt(v) is the sign of the gradient at step 1; epsilon changes nothing at this size.
  const double g = -4;
  const double* gradients[] = {&g};
  double w = 1, m = 0, v = 0;
  adamw(gradients, 1, 1.0, 1, AdamWStep<double>({.rate = 0.01, .epsilon = 0, .decay = 0.5}, 1, true), &w, &m, &v);
  EXPECT_NEAR(w, 1 * (1 - 0.01 * 0.5) + 0.01, 1e-15);
}

}  // namespace
}  // namespace faithful::engine
