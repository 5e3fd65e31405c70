// The operators that only encodings have: closed forms, and central differences at edge sizes.

#include <cmath>

#include <gtest/gtest.h>

#include "faithful/encoding/operators_internal.h"
#include "tests/engine/forward.h"
#include "tests/engine/gradient_check.h"

namespace faithful {
namespace {

using engine::Pairing;
using engine::Shape;
using namespace engine::testing;

std::vector<double> numbers(std::size_t count, double from = 0.3) {
  std::vector<double> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(from + std::sin(static_cast<double>(3 * i)));
  return all;
}

TEST(Waves, AreCosinesOrALineAndSines) {
  Forward forward;
  const std::vector<double> t = {0, 0.5, -2}, w = {1, 3}, b = {0.25, -1};
  const Tensor<double> cosines = cosine_features<double>(forward.tape, t, forward(w, {2}), forward(b, {2}), 0.5);
  const Tensor<double> features = time_features<double>(forward.tape, t, forward(w, {2}), forward(b, {2}));
  for (std::size_t n = 0; n < 3; ++n) {
    for (std::size_t i = 0; i < 2; ++i) {
      const double angle = w[i] * t[n] + b[i];
      EXPECT_NEAR(cosines.row(n)[i], 0.5 * std::cos(angle), 1e-15);
      EXPECT_NEAR(features.row(n)[i], i == 0 ? angle : std::sin(angle), 1e-15);
    }
  }
}

TEST(Waves, Gradients) {
  for (const std::size_t width : kSizes) {
    for (const std::size_t count : kSizes) {
      const std::vector<double> t = numbers(count);
      expect_gradients({Shape{width}, Shape{width}}, [&](Tape<double>& tape, const Tensors& v) {
        return cosine_features<double>(tape, t, v[0], v[1], 0.7);
      });
      expect_gradients({Shape{width}, Shape{width}}, [&](Tape<double>& tape, const Tensors& v) {
        return time_features<double>(tape, t, v[0], v[1]);
      });
    }
  }
}

TEST(GatherColumns, TakesRowsAsColumns) {
  Forward forward;
  const std::vector<double> table = {1, 2, 3, 4, 5, 6};  // [3, 2]
  const std::vector<std::uint32_t> rows = {2, 0, 2, 1};
  expect_values(gather_columns<double>(forward.tape, forward(table, {3, 2}), rows), {5, 1, 5, 3, 6, 2, 6, 4});
}

TEST(GatherColumns, Gradients) {
  const std::vector<std::uint32_t> rows = {2, 0, 2, 1, 2};  // one row more than once
  for (const std::size_t heads : kSizes) {
    expect_gradients({Shape{4, heads}},
                     [&](Tape<double>& tape, const Tensors& v) { return gather_columns<double>(tape, v[0], rows); });
  }
}

TEST(KerpleBias, IsMinusALogarithm) {
  Forward forward;
  const std::vector<double> log_rates = {0, std::log(2.0), 0, std::log(3.0)};  // r1 = 1, 2; r2 = 1, 3
  const double one = -std::log(2.0), two = -std::log(3.0), a = -2 * std::log(4.0), b = -2 * std::log(7.0);
  expect_values(kerple_bias<double>(forward.tape, forward(log_rates, {2, 2}), 3),
                {two, one, 0, one, two, b, a, 0, a, b});
}

TEST(KerpleBias, Gradients) {
  for (const std::size_t heads : kSizes) {
    for (const std::size_t positions : kSizes) {
      expect_gradients({Shape{2, heads}}, [&](Tape<double>& tape, const Tensors& v) {
        return kerple_bias<double>(tape, v[0], positions);
      });
    }
  }
}

TEST(Rotate, TurnsPairs) {
  Forward forward;
  const std::vector<double> x = {1, 2, 3, 4}, quarter = {std::acos(-1.0) / 2, 0};
  expect_values(
      rotate<double>(forward.tape, forward(x, {1, 1, 4}), forward(quarter, {1, 1, 2}), 1, Pairing::kInterleaved),
      {-2, 1, 3, 4});
  expect_values(rotate<double>(forward.tape, forward(x, {1, 1, 4}), forward(quarter, {1, 1, 2}), 1, Pairing::kHalves),
                {-3, 2, 1, 4});
}

TEST(Rotate, Gradients) {
  for (const Pairing pairing : {Pairing::kInterleaved, Pairing::kHalves}) {
    for (const std::size_t pairs : {1, 3}) {
      for (const std::size_t heads : {1, 2}) {
        const std::vector<double> angles = numbers(2 * 3 * pairs);
        const std::size_t width = heads * 2 * pairs;
        expect_gradients({Shape{2, 3, width}}, [&](Tape<double>& tape, const Tensors& v) {
          return rotate<double>(tape, v[0], tape.input(angles.data(), {2, 3, pairs}), heads, pairing);
        });
        // As the model uses it: a column range, and another user of the same numbers before it.
        expect_gradients({Shape{2, 3, 2 * width}}, [&](Tape<double>& tape, const Tensors& v) {
          const Tensor<double> whole = scale(tape, v[0], 2);
          const std::size_t widths[] = {width, width};
          Tensor<double> parts[2];
          tape.split(whole, widths, parts);
          const Tensor<double> by = tape.input(angles.data(), {2, 3, pairs});
          return add(tape, rotate<double>(tape, parts[1], by, heads, pairing),
                     rotate<double>(tape, parts[0], by, heads, pairing));
        });
      }
    }
  }
}

TEST(BesideInHeads, Interleaves) {
  Forward forward;
  const std::vector<double> x = {1, 2, 3, 4, 5, 6, 7, 8}, y = {10, 20};  // [2, 1, 4], [1, 2], two heads
  expect_values(beside_in_heads<double>(forward.tape, forward(x, {2, 1, 4}), forward(y, {1, 2}), 2),
                {1, 2, 10, 3, 4, 20, 5, 6, 10, 7, 8, 20});
}

TEST(BesideInHeads, Gradients) {
  for (const std::size_t heads : {1, 2, 3}) {
    for (const std::size_t width : {1, 2, 5}) {
      for (const std::size_t batch : {1, 3}) {
        expect_gradients(
            {Shape{batch, 3, heads * width}, Shape{3, heads * 2}},
            [&](Tape<double>& tape, const Tensors& v) { return beside_in_heads<double>(tape, v[0], v[1], heads); });
      }
    }
  }
}

// The products of the rows are what TUPE says: theta_0 from the token, theta_1 to it, the inner products elsewhere.
TEST(TokenTerms, GiveTheProductsOfTupe) {
  Forward forward;
  const std::size_t heads = 2, width = 3, steps = 4, each = width + 2;
  const std::vector<double> q = numbers(steps * heads * width), k = numbers(steps * heads * width, -0.6);
  const std::vector<double> theta = {0.1, 0.2, 0.3, 0.4};  // [2, H]
  const Tensor<double> of = forward(theta, {2, heads});
  const Tensor<double> queries =
      with_token_terms<double>(forward.tape, forward(q, {steps, heads * width}), of, 5, true);
  const Tensor<double> keys = with_token_terms<double>(forward.tape, forward(k, {steps, heads * width}), of, 5, false);
  for (std::size_t h = 0; h < heads; ++h) {
    for (std::size_t i = 0; i <= steps; ++i) {
      for (std::size_t j = 0; j <= steps; ++j) {
        double product = 0, inner = 0;
        for (std::size_t c = 0; c < each; ++c) product += queries.row(i)[h * each + c] * keys.row(j)[h * each + c];
        for (std::size_t c = h * width; i > 0 && j > 0 && c < (h + 1) * width; ++c) {
          inner += q[(i - 1) * heads * width + c] * k[(j - 1) * heads * width + c];
        }
        const double expected = i == 0 ? 5 * theta[h] : j == 0 ? 5 * theta[heads + h] : inner;
        EXPECT_NEAR(product, expected, 1e-14) << h << ' ' << i << ' ' << j;
      }
    }
  }
}

TEST(TokenTerms, Gradients) {
  for (const std::size_t heads : {1, 3}) {
    for (const std::size_t steps : {1, 5}) {
      expect_gradients({Shape{steps, heads * 2}, Shape{2, heads}}, [](Tape<double>& tape, const Tensors& v) {
        return with_token_terms<double>(tape, v[0], v[1], 1.7, false);
      });
      const std::vector<double> theta(2 * heads, 0.5);
      expect_gradients({Shape{steps, heads * 2}}, [&](Tape<double>& tape, const Tensors& v) {
        return with_token_terms<double>(tape, v[0], tape.input(theta.data(), {2, heads}), 1.7, true);
      });
    }
  }
}

}  // namespace
}  // namespace faithful
