#include "faithful/engine/operators.h"

#include <numeric>

#include <gtest/gtest.h>

#include "tests/engine/fixture.h"
#include "tests/engine/gradient_check.h"

namespace faithful::engine {
namespace {

using testing::expect_gradients;
using testing::Fixture;
using Tensors = std::vector<Tensor<double>>;
using D = Tensor<double>;

TEST(Linear, Gradients) {
  for (const Activation activation : {Activation::kNone, Activation::kGelu}) {
    for (const auto& [rows, in, out] : {std::array<std::size_t, 3>{1, 1, 1}, {3, 5, 7}, {2, 17, 1}, {75, 2, 3}}) {
      expect_gradients({Shape{rows, in}, Shape{out, in}, Shape{out}}, [&](Tape<double>& tape, const Tensors& x) {
        return linear(tape, x[0], x[1], x[2], activation);
      });
    }
  }
  expect_gradients({Shape{2, 3, 4}, Shape{5, 4}},
                   [](Tape<double>& tape, const Tensors& x) { return linear(tape, x[0], x[1]); });
}

TEST(Linear, GradientsOfGroups) {
  for (const auto& [samples, groups, rows] : {std::array<std::size_t, 3>{1, 1, 1}, {2, 3, 5}, {3, 2, 1}}) {
    expect_gradients(
        {Shape{samples, groups, rows, 3}, Shape{groups, 2, 3}, Shape{groups, 2}},
        [](Tape<double>& tape, const Tensors& x) { return linear(tape, x[0], x[1], x[2], Activation::kGelu); });
  }
}

TEST(Linear, ReluHasTheSlopeOfItsSide) {
  // Kept away from the kink, where no derivative exists.
  expect_gradients(
      {{{2, 2}, {1, 2, -1, 3}}, {{2, 2}, {1, 1, -1, 0.5}}, {{2}, {0.1, 0.2}}},
      [](Tape<double>& tape, const Tensors& x) { return linear(tape, x[0], x[1], x[2], Activation::kRelu); });
  Fixture f;
  const D y = linear(f.tape, f.tensor({1, 2}, {1, -2}), f.tensor({2, 2}, {1, 1, 3, 1}), f.tensor({2}, {0, 0.5}),
                     Activation::kRelu);
  EXPECT_EQ(Fixture::numbers(y), (std::vector<double>{0, 1.5}));
}

TEST(LayerNorm, Gradients) {
  for (const auto& [rows, width] : {std::array<std::size_t, 2>{1, 1}, {1, 2}, {3, 7}, {4, 16}, {35, 3}}) {
    expect_gradients(
        {Shape{rows, width}, Shape{rows, width}, Shape{width}, Shape{width}},
        [](Tape<double>& tape, const Tensors& x) { return layer_norm(tape, x[0], x[1], x[2], x[3], 0.1); });
    expect_gradients({Shape{rows, width}, Shape{width}, Shape{width}},
                     [](Tape<double>& tape, const Tensors& x) { return layer_norm(tape, x[0], {}, x[1], x[2], 0.1); });
    // x is its own residual; then it is used once more: gradients add up.
    expect_gradients({Shape{rows, width}, Shape{width}, Shape{width}}, [](Tape<double>& tape, const Tensors& x) {
      return layer_norm(tape, x[0], x[0], x[1], x[2], 0.1);
    });
    expect_gradients({Shape{rows, width}, Shape{width}, Shape{width}}, [](Tape<double>& tape, const Tensors& x) {
      return add(tape, layer_norm(tape, x[0], x[0], x[1], x[2], 0.1), x[0]);
    });
  }
}

TEST(LayerNorm, ClosedForm) {
  Fixture f;
  const D y = layer_norm(f.tape, f.tensor({1, 2}, {1, 3}), f.tensor({1, 2}, {0, 2}), f.tensor({2}, {1, 10}),
                         f.tensor({2}, {0, 1}), 0.0);
  EXPECT_EQ(Fixture::numbers(y), (std::vector<double>{-1, 11}));  // rows 1, 5: mean 3, deviation 2
}

// Groups 0: one for all rows.
TEST(BatchNorm, Gradients) {
  for (const auto& sizes :
       {std::array<std::size_t, 3>{0, 1, 1}, {0, 2, 3}, {0, 7, 5}, {0, 37, 2}, {3, 4, 2}, {1, 1, 1}}) {
    const std::size_t groups = sizes[0], rows = groups == 0 ? sizes[1] : 2 * groups * sizes[1], width = sizes[2];
    const std::size_t own = std::max<std::size_t>(groups, 1) * width;
    const Shape of_columns = groups == 0 ? Shape{width} : Shape{groups, width};
    const Shape of_rows = groups == 0 ? Shape{rows, width} : Shape{2, groups, sizes[1], width};
    struct Case {
      bool training, masked;
      Activation activation;
    };
    for (const Case& of : {Case{true, false, Activation::kNone}, Case{false, false, Activation::kNone},
                           Case{true, true, Activation::kGelu}, Case{false, true, Activation::kRelu}}) {
      std::vector<std::uint8_t> valid(of.masked ? rows : 0, 1);
      for (std::size_t r = 0; r < valid.size(); ++r) valid[r] = r % 3 != 1;
      Parameters<double> parameters;
      const Parameter mean = parameters.declare({.name = "mean", .shape = of_columns, .statistic = true});
      const Parameter variance =
          parameters.declare({.name = "variance", .shape = of_columns, .initializer = ones(), .statistic = true});
      parameters.allocate();
      parameters.initialize(1);
      // The checker's own tape has no statistics, so this one is written out: a random mixture against differences.
      Random random(3);
      std::vector<double> x(rows * width), gain(own), offset(own), mix(rows * width), gradients(parameters.size());
      for (auto* v : {&x, &gain, &offset, &mix}) {
        for (double& number : *v) number = random.uniform(-1, 1);
      }
      std::vector<double> dx(x.size()), dgain(own), doffset(own);
      Tape<double> tape;
      const auto run = [&](bool record) {
        tape.begin(parameters, {.record = record, .training = of.training, .gradients = gradients});
        const D y = batch_norm(tape, tape.variable(x.data(), of_rows, dx.data()),
                               tape.variable(gain.data(), of_columns, dgain.data()),
                               tape.variable(offset.data(), of_columns, doffset.data()), tape[mean], tape[variance],
                               {.epsilon = 0.1, .mask = {valid}, .activation = of.activation});
        const D out = linear(tape, tape.reshape(y, {1, rows * width}), tape.input(mix.data(), {1, rows * width}));
        if (record) tape.backward(out);
        return *out.data;
      };
      run(true);
      for (const auto& [values, analytic] : {std::pair(&x, dx), std::pair(&gain, dgain), std::pair(&offset, doffset)}) {
        for (std::size_t i = 0; i < values->size(); ++i) {
          const double kept = (*values)[i];
          (*values)[i] = kept + 1e-5;
          const double above = run(false);
          (*values)[i] = kept - 1e-5;
          const double below = run(false);
          (*values)[i] = kept;
          ASSERT_NEAR(analytic[i], (above - below) / 2e-5, 1e-6);
        }
      }
    }
  }
}

// Padding counts for nothing, whatever stands there, and becomes zeros.
TEST(BatchNorm, LeavesOutPadding) {
  Fixture f(true);
  const D x = f.tensor({4, 1}, {1, 1000, 3, -7}), zero = f.tensor({1}, {0});
  const std::uint8_t valid[] = {1, 0, 1, 0};
  const D y =
      batch_norm(f.tape, x, f.tensor({1}, {2}), f.tensor({1}, {5}), zero, zero, {.epsilon = 0.0, .mask = {valid}});
  EXPECT_EQ(Fixture::numbers(y), (std::vector<double>{3, 0, 7, 0}));
}

// Every group is a batch norm of its own.
TEST(BatchNorm, GroupsAreApart) {
  Fixture f(true);
  const D x = f.tensor({2, 2, 1, 1}, {1, 10, 3, 50}), zero = f.tensor({2, 1}, {0, 0});
  const D y = batch_norm(f.tape, x, f.tensor({2, 1}, {1, 2}), f.tensor({2, 1}, {0, 5}), zero, zero, {.epsilon = 0.0});
  EXPECT_EQ(Fixture::numbers(y), (std::vector<double>{-1, 3, 1, 7}));
}

TEST(BatchNorm, LeavesTheStatisticsOfTheBatch) {
  Parameters<double> parameters;
  const Parameter mean = parameters.declare({.name = "mean", .shape = {2}, .statistic = true});
  const Parameter variance = parameters.declare({.name = "variance", .shape = {2}, .statistic = true});
  parameters.allocate();
  std::vector<double> gradients(parameters.size());
  Tape<double> tape;
  tape.begin(parameters, {.record = true, .training = true, .gradients = gradients});
  const double x[] = {1, 10, 3, 30}, one[] = {1, 1}, zero[] = {0, 0};
  double dx[4];
  batch_norm(tape, tape.variable(const_cast<double*>(x), {2, 2}, dx), tape.input(one, {2}), tape.input(zero, {2}),
             tape[mean], tape[variance]);
  EXPECT_EQ(gradients[0], 2);
  EXPECT_EQ(gradients[1], 20);
  EXPECT_EQ(gradients[16], 2);  // the unbiased variance of 1 and 3
  EXPECT_EQ(gradients[17], 200);
}

TEST(DepthwiseConvolution, ClosedForm) {
  Fixture f;
  const D x = f.tensor({1, 4, 2}, {1, 10, 2, 20, 3, 30, 4, 40});
  const D weight = f.tensor({3, 2}, {1, 0, 0, 1, 100, -1});  // taps -1, 0, 1
  EXPECT_EQ(Fixture::numbers(depthwise_convolution(f.tape, x, weight)),
            (std::vector<double>{200, -10, 301, -10, 402, -10, 3, 40}));
  EXPECT_EQ(Fixture::numbers(depthwise_convolution(f.tape, x, weight, 2)),
            (std::vector<double>{300, -20, 400, -20, 1, 30, 2, 40}));
}

// Widths around a long row of 1024 numbers, reaches beyond the end, in float too.
TEST(DepthwiseConvolution, EqualsTheSum) {
  for (const auto& [positions, width, kernel, dilation] :
       {std::array<std::size_t, 4>{1, 1, 1, 1}, {2, 3, 5, 1}, {50, 63, 5, 4}, {7, 1025, 3, 2}, {300, 5, 5, 128}}) {
    Random random(5);
    std::vector<float> x(2 * positions * width), weight(kernel * width);
    for (auto* numbers : {&x, &weight}) {
      for (float& number : *numbers) number = static_cast<float>(random.uniform(-1, 1));
    }
    Parameters<float> none;
    none.allocate();
    Tape<float> tape;
    tape.begin(none, {});
    const Tensor<float> y = depthwise_convolution(tape, tape.input(x.data(), {2, positions, width}),
                                                  tape.input(weight.data(), {kernel, width}), dilation);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t c = i % width, t = i / width % positions, b = i / width / positions;
      double sum = 0;
      for (std::size_t k = 0; k < kernel; ++k) {
        const std::size_t from = t + k * dilation;  // behind kernel / 2 dilations of padding
        if (from < kernel / 2 * dilation || from - kernel / 2 * dilation >= positions) continue;
        sum += weight[k * width + c] * x[(b * positions + from - kernel / 2 * dilation) * width + c];
      }
      ASSERT_NEAR(y.data[i], sum, 1e-5) << positions << " x " << width << " at " << i;
    }
  }
}

TEST(DepthwiseConvolution, Gradients) {
  for (const auto& [positions, width, kernel] : {std::array<std::size_t, 3>{1, 1, 1}, {2, 2, 5}, {7, 3, 3}}) {
    for (const std::size_t dilation : {1, 2, 4}) {
      expect_gradients({Shape{2, positions, width}, Shape{kernel, width}},
                       [dilation](Tape<double>& tape, const Tensors& x) {
                         return depthwise_convolution(tape, x[0], x[1], dilation);
                       });
    }
  }
}

TEST(Dropout, GradientsAndShareOfZeros) {
  expect_gradients({Shape{3, 5, 7}}, [](Tape<double>& tape, const Tensors& x) { return dropout(tape, x[0], 0.3); },
                   {.seed = 5, .step = 2});
  Parameters<float> parameters;
  parameters.allocate();
  Tape<float> tape;
  tape.begin(parameters, {.training = true, .draws = {.seed = 1}});
  const std::vector<float> ones(100000, 1);
  const Tensor<float> y = dropout(tape, tape.input(ones.data(), {10, 10000}), 0.25);
  const auto zeros = std::count(y.data, y.data + 100000, 0.0F);
  EXPECT_NEAR(static_cast<double>(zeros), 25000, 500);
  EXPECT_EQ(std::count(y.data, y.data + 100000, 4.0F / 3), 100000 - zeros);
}

TEST(Dropout, DependsOnTheSampleNotOnTheShard) {
  Parameters<float> parameters;
  parameters.allocate();
  const std::vector<float> ones(4 * 50, 1);
  const auto draw = [&](std::uint32_t first, std::size_t samples, std::uint32_t step, std::uint64_t seed) {
    Tape<float> tape;
    tape.begin(parameters, {.training = true, .draws = {.seed = seed, .step = step, .first_sample = first}});
    const Tensor<float> y = dropout(tape, tape.input(ones.data(), {samples, 50}), 0.5);
    const Tensor<float> again = dropout(tape, tape.input(ones.data(), {samples, 50}), 0.5);
    EXPECT_NE(std::vector<float>(y.data, y.data + 50), std::vector<float>(again.data, again.data + 50));
    return std::vector<float>(y.data, y.data + samples * 50);
  };
  const std::vector<float> whole = draw(0, 4, 1, 9), front = draw(0, 1, 1, 9), back = draw(1, 3, 1, 9);
  EXPECT_TRUE(std::equal(front.begin(), front.end(), whole.begin()));
  EXPECT_TRUE(std::equal(back.begin(), back.end(), whole.begin() + 50));
  EXPECT_NE(draw(0, 4, 2, 9), whole);
  EXPECT_NE(draw(0, 4, 1, 10), whole);
}

TEST(Dropout, DoesNothingOutsideTraining) {
  Fixture f;
  const D x = f.tensor({1, 3}, {1, 2, 3});
  EXPECT_EQ(dropout(f.tape, x, 0.9).data, x.data);
}

TEST(Pool, Gradients) {
  const std::vector<std::uint8_t> valid = {1, 0, 1, 0, 0, 0};
  for (const Mask mask : {Mask{}, Mask{valid}}) {
    expect_gradients({Shape{2, 3, 4}},
                     [&](Tape<double>& tape, const Tensors& x) { return mean_pool(tape, x[0], mask); });
    expect_gradients({Shape{2, 3, 4}},
                     [&](Tape<double>& tape, const Tensors& x) { return max_pool(tape, x[0], mask); });
  }
  expect_gradients({Shape{1, 1, 1}}, [](Tape<double>& tape, const Tensors& x) { return mean_pool(tape, x[0]); });
  for (const auto& sizes : {std::array<std::size_t, 2>{1, 1}, {3, 2}, {7, 1}}) {
    const std::size_t window = sizes[0], stride = sizes[1];
    for (const bool rectified : {false, true}) {
      expect_gradients({Shape{2, 7, 3}}, [&](Tape<double>& tape, const Tensors& x) {
        return max_pool_windows(tape, x[0], window, stride, rectified);
      });
    }
  }
}

// The first of equals takes the gradient, and below zero none does.
TEST(Pool, OneOfEqualsTakesTheGradient) {
  Parameters<double> parameters;
  parameters.allocate();
  std::vector<double> x{2, 2, -1, -3, 0, 0}, dx(6, 9);
  Tape<double> tape;
  tape.begin(parameters, {.record = true});
  tape.backward(sum(tape, max_pool_windows(tape, tape.variable(x.data(), {1, 6, 1}, dx.data()), 2, 2, true)));
  EXPECT_EQ(dx, (std::vector<double>{1, 0, 0, 0, 0, 0}));
}

TEST(Pool, ClosedForm) {
  Fixture f;
  const std::vector<std::uint8_t> valid = {1, 1, 0, 0, 0, 0};
  const D x = f.tensor({2, 3, 2}, {1, 8, 3, -2, 100, 100, 1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Fixture::numbers(mean_pool(f.tape, x, {valid})), (std::vector<double>{2, 3, 0, 0}));
  EXPECT_EQ(Fixture::numbers(max_pool(f.tape, x, {valid})), (std::vector<double>{3, 8, 0, 0}));
  EXPECT_EQ(Fixture::numbers(mean_pool(f.tape, f.tape.reshape(x, {1, 6, 2})))[0], 113.0 / 6);
  EXPECT_EQ(Fixture::numbers(max_pool_windows(f.tape, x, 2, 1)), (std::vector<double>{3, 8, 100, 100, 3, 4, 5, 6}));
  const D low = f.tensor({1, 4, 1}, {-3, -1, -2, 5});
  EXPECT_EQ(Fixture::numbers(max_pool_windows(f.tape, low, 2, 2)), (std::vector<double>{-1, 5}));
  EXPECT_EQ(Fixture::numbers(max_pool_windows(f.tape, low, 2, 2, true)), (std::vector<double>{0, 5}));
}

TEST(Arrange, Gradients) {
  expect_gradients({Shape{2, 3, 4}, Shape{3, 4}}, [](Tape<double>& t, const Tensors& x) { return add(t, x[0], x[1]); });
  expect_gradients({Shape{2, 3}, Shape{3}}, [](Tape<double>& t, const Tensors& x) { return add(t, x[0], x[1]); });
  expect_gradients({Shape{2, 3}}, [](Tape<double>& t, const Tensors& x) { return add(t, x[0], x[0]); });
  // Gradients that are handed over, to tensors that are used before and after.
  expect_gradients({Shape{2, 3}, Shape{3}}, [](Tape<double>& t, const Tensors& x) {
    const Tensor<double> h = scale(t, x[0], 1.5), twice = add(t, add(t, scale(t, h, -2), h), x[1]);
    return add(t, scale(t, add(t, h, twice), 0.5), add(t, twice, twice));
  });
  expect_gradients({Shape{2, 3}}, [](Tape<double>& t, const Tensors& x) { return scale(t, x[0], -1.7); });
  expect_gradients({Shape{2, 3}}, [](Tape<double>& t, const Tensors& x) { return sum(t, x[0]); });
  expect_gradients({Shape{2, 3, 4}, Shape{2, 3, 1}, Shape{3, 2}},
                   [](Tape<double>& t, const Tensors& x) { return concat<double>(t, x); });
  expect_gradients({Shape{2, 5, 3}}, [](Tape<double>& t, const Tensors& x) {
    return add(t, slice(t, x[0], 1, 2), slice(t, x[0], 2, 2));
  });
  expect_gradients({Shape{4, 3}}, [](Tape<double>& t, const Tensors& x) { return slice(t, x[0], 0, 1); });
  expect_gradients({Shape{2, 3}}, [](Tape<double>& t, const Tensors& x) { return repeat(t, x[0], 3); });
  expect_gradients({Shape{2, 3, 5}}, [](Tape<double>& t, const Tensors& x) { return transpose(t, x[0]); });
  for (const std::size_t order : {1, 2, 3}) {
    static constexpr std::uint8_t kValid[] = {1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0};
    for (const bool masked : {false, true}) {
      const Mask mask{masked ? std::span<const std::uint8_t>(kValid) : std::span<const std::uint8_t>()};
      expect_gradients({Shape{2, 7, 3}},
                       [=](Tape<double>& t, const Tensors& x) { return difference(t, x[0], order, mask); });
    }
  }
  expect_gradients({Shape{1, 1, 1}}, [](Tape<double>& t, const Tensors& x) { return difference(t, x[0], 1); });
  expect_gradients({Shape{2, 3, 5, 2}}, [](Tape<double>& t, const Tensors& x) { return transpose_rows(t, x[0]); });
}

TEST(Arrange, ClosedForm) {
  Fixture f;
  const D a = f.tensor({2, 1}, {1, 2}), b = f.tensor({1, 2}, {8, 9});
  const D parts[] = {a, b};
  EXPECT_EQ(Fixture::numbers(concat<double>(f.tape, parts)), (std::vector<double>{1, 8, 9, 2, 8, 9}));
  EXPECT_EQ(Fixture::numbers(repeat(f.tape, b, 2)), (std::vector<double>{8, 9, 8, 9}));
  const D c = f.tensor({1, 2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Fixture::numbers(transpose(f.tape, c)), (std::vector<double>{1, 4, 2, 5, 3, 6}));
  const D rows = f.tensor({2, 1, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(Fixture::numbers(transpose_rows(f.tape, f.tape.reshape(rows, {1, 2, 2, 2}))),
            (std::vector<double>{1, 2, 5, 6, 3, 4, 7, 8}));
  EXPECT_EQ(Fixture::numbers(transpose_rows(f.tape, rows)), Fixture::numbers(rows));
  EXPECT_EQ(Fixture::numbers(slice(f.tape, c, 1, 1)), (std::vector<double>{4, 5, 6}));
  const D squares = f.tensor({1, 6, 1}, {0, 1, 4, 9, 16, 25});
  EXPECT_EQ(Fixture::numbers(difference(f.tape, squares, 1)), (std::vector<double>{0, 1, 3, 5, 7, 9}));
  EXPECT_EQ(Fixture::numbers(difference(f.tape, squares, 2)), (std::vector<double>{0, 0, 2, 2, 2, 2}));
  EXPECT_EQ(Fixture::numbers(difference(f.tape, squares, 3)), (std::vector<double>{0, 0, 0, 0, 0, 0}));
  const std::uint8_t gap[] = {1, 1, 0, 1, 1, 1};
  EXPECT_EQ(Fixture::numbers(difference(f.tape, squares, 1, {gap})), (std::vector<double>{0, 1, 0, 0, 7, 9}));
  EXPECT_EQ(Fixture::numbers(difference(f.tape, squares, 2, {gap})), (std::vector<double>{0, 0, 0, 0, 0, 2}));
  EXPECT_EQ(Fixture::numbers(sum(f.tape, c)), (std::vector<double>{21}));
  EXPECT_EQ(Fixture::numbers(add(f.tape, c, f.tensor({3}, {10, 20, 30}))),
            (std::vector<double>{11, 22, 33, 14, 25, 36}));
}

// Parts of a split that get no gradient get zeros; the whole may be used besides.
TEST(Split, Gradients) {
  const auto build = [](int which) {
    return [which](Tape<double>& tape, const Tensors& x) {
      const std::size_t widths[] = {2, 1, 3};
      Tensors parts(3);
      const D y = scale(tape, x[0], 2);
      tape.split(y, widths, parts);
      const D some = linear(tape, parts[0], x[1]);
      if (which == 0) return some;
      if (which == 1) return add(tape, some, linear(tape, parts[2], x[2]));
      return add(tape, some, linear(tape, y, x[3]));
    };
  };
  for (const int which : {0, 1, 2}) {
    expect_gradients({Shape{3, 6}, Shape{4, 2}, Shape{4, 3}, Shape{4, 6}}, build(which));
  }
}

TEST(Convolution, Gradients) {
  for (const ConvolutionOptions& o : {ConvolutionOptions{1, 1, 1, 0}, ConvolutionOptions{3, 1, 1, 1},
                                      ConvolutionOptions{3, 2, 2, 3}, ConvolutionOptions{7, 1, 1, 0}}) {
    expect_gradients({Shape{2, 7, 3}, Shape{2, o.kernel * 3}, Shape{2}},
                     [&](Tape<double>& tape, const Tensors& x) { return convolution(tape, x[0], x[1], x[2], o); });
    expect_gradients({Shape{2, 3, 7, 1}, Shape{3, 2, o.kernel}, Shape{3, 2}},
                     [&](Tape<double>& tape, const Tensors& x) {
                       return convolution(tape, x[0], x[1], x[2], o, Activation::kGelu);
                     });
    expect_gradients({Shape{2, 3, 14, 2}, Shape{3, 4, o.kernel * 2}, Shape{3, 4}},
                     [&](Tape<double>& tape, const Tensors& x) {
                       ConvolutionOptions segments = o;
                       segments.segment = 7;
                       return convolution(tape, add(tape, x[0], x[0]), x[1], x[2], segments);
                     });
  }
}

// Groups, segment by segment, give what one group and one segment after the other gives.
TEST(Convolution, SegmentsOfGroupsAreConvolutions) {
  constexpr std::size_t kBatch = 2, kGroups = 3, kSegments = 2, kPositions = 9, kWidth = 2, kOut = 5;
  Random random(8);
  for (const ConvolutionOptions& o : {ConvolutionOptions{1, 1, 1, 0}, ConvolutionOptions{5, 1, 1, 2},
                                      ConvolutionOptions{3, 2, 1, 1}, ConvolutionOptions{3, 1, 2, 2}}) {
    std::vector<double> x(kBatch * kGroups * kSegments * kPositions * kWidth),
        weight(kGroups * kOut * o.kernel * kWidth);
    std::vector<double> bias(kGroups * kOut);
    for (auto* v : {&x, &weight, &bias}) {
      for (double& number : *v) number = random.uniform(-1, 1);
    }
    Fixture f;
    ConvolutionOptions with_segments = o;
    with_segments.segment = kPositions;
    const D y = convolution(f.tape, f.tape.input(x.data(), {kBatch, kGroups, kSegments * kPositions, kWidth}),
                            f.tape.input(weight.data(), {kGroups, kOut, o.kernel * kWidth}),
                            f.tape.input(bias.data(), {kGroups, kOut}), with_segments);
    std::vector<double> naive;
    for (std::size_t i = 0; i < kBatch * kGroups * kSegments; ++i) {
      const std::size_t group = i / kSegments % kGroups;
      const D one =
          convolution(f.tape, f.tape.input(x.data() + i * kPositions * kWidth, {1, kPositions, kWidth}),
                      f.tape.input(weight.data() + group * kOut * o.kernel * kWidth, {kOut, o.kernel * kWidth}),
                      f.tape.input(bias.data() + group * kOut, {kOut}), o);
      naive.insert(naive.end(), one.data, one.data + one.shape.count());
    }
    EXPECT_EQ(Fixture::numbers(y), naive);
  }
}

TEST(Convolution, ClosedForm) {
  Fixture f;
  const D x = f.tensor({1, 4, 1}, {1, 2, 3, 4}), bias = f.tensor({1}, {100});
  const D y = convolution(f.tape, x, f.tensor({1, 3}, {1, 10, 1000}), bias, {.kernel = 3, .padding = 1});
  EXPECT_EQ(Fixture::numbers(y), (std::vector<double>{2110, 3121, 4132, 143}));
  const D wide = convolution(f.tape, x, f.tensor({1, 2}, {1, 10}), bias, {.kernel = 2, .stride = 1, .dilation = 3});
  EXPECT_EQ(Fixture::numbers(wide), (std::vector<double>{141}));
}

}  // namespace
}  // namespace faithful::engine
