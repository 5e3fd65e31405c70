// The operators of single heads: closed forms, and central differences at edge sizes.

#include <cmath>

#include <gtest/gtest.h>

#include "faithful/encoding/operators_internal.h"
#include "tests/engine/forward.h"
#include "tests/engine/gradient_check.h"

namespace faithful {
namespace {

using engine::OffsetFunction;
using engine::Shape;
using namespace engine::testing;

// a_h o^2
OffsetFunction<double> parabola(Tensor<double> a) {
  OffsetFunction<double> f;
  f.of[0] = a;
  f.add = [](const OffsetFunction<double>& of, Tape<double>&, std::size_t h, std::span<const double> o, double* row) {
    for (std::size_t j = 0; j < o.size(); ++j) row[j] += of.of[0].data[h] * o[j] * o[j];
  };
  f.add_gradient = [](const OffsetFunction<double>& of, Tape<double>& tape, std::size_t h, std::span<const double> o,
                      const double* d) {
    for (std::size_t j = 0; j < o.size(); ++j) tape.gradient_to_add(of.of[0])[h] += d[j] * o[j] * o[j];
  };
  return f;
}

TEST(OverOffsets, EvaluatesEveryHead) {
  Forward forward;
  const std::vector<double> a = {1, -2};
  expect_values(over_offsets<double>(forward.tape, parabola(forward(a, {2})), 2, 3),
                {4, 1, 0, 1, 4, -8, -2, 0, -2, -8});
}

TEST(OverOffsets, Gradients) {
  for (const std::size_t heads : kSizes) {
    for (const std::size_t positions : kSizes) {
      expect_gradients({Shape{heads}}, [&](Tape<double>& tape, const Tensors& v) {
        return over_offsets<double>(tape, parabola(v[0]), heads, positions);
      });
    }
  }
}

TEST(HeadsFirst, MovesHeadsAndTurnsRowsRound) {
  Forward forward;
  const std::vector<double> x = {1, 2, 3, 4, 5, 6, 7, 8};  // two rows of two heads
  expect_values(heads_first<double>(forward.tape, forward(x, {2, 4}), 2, false), {1, 2, 5, 6, 3, 4, 7, 8});
  expect_values(heads_first<double>(forward.tape, forward(x, {2, 4}), 2, true), {5, 6, 1, 2, 7, 8, 3, 4});
}

TEST(ProductsWith, TakeTheDifference) {
  Forward forward;
  const std::vector<double> x = {1, 2, 3, 4, 5, 6, 7, 8}, u = {1, 1, 0, 0}, v = {2, 1, 0, 3};  // [2, 2, 2]
  expect_values(products_with<double>(forward.tape, forward(x, {2, 2, 2}), forward(u, {4}), forward(v, {4}), 0.5),
                {0.5, 1.5, 9, 12});
}

TEST(ProjectHeads, GivesEveryHeadItsOwnWeights) {
  Forward forward;
  const std::vector<double> x = {1, 2, 3, 4}, w = {1, 0, 1, 0, 1, 1, 2, 0, 0, 0, 0, 3};  // [1, 1, 4], [4, 3]
  expect_values(project_heads<double>(forward.tape, forward(x, {1, 1, 4}), forward(w, {4, 3}), 2), {1, 2, 3, 6, 0, 12});
}

TEST(HeadOperators, Gradients) {
  for (const std::size_t heads : {1, 3}) {
    for (const std::size_t width : {1, 2, 5}) {
      for (const std::size_t rows : {1, 4}) {
        for (const bool reversed : {false, true}) {
          expect_gradients({Shape{rows, heads * width}}, [&](Tape<double>& tape, const Tensors& v) {
            return heads_first<double>(tape, v[0], heads, reversed);
          });
        }
        expect_gradients(
            {Shape{heads, rows, width}, Shape{heads * width}, Shape{heads * width}},
            [&](Tape<double>& tape, const Tensors& v) { return products_with<double>(tape, v[0], v[1], v[2], 0.7); });
        // As the model uses it: a column range, and another user of the same numbers before it.
        expect_gradients({Shape{2, rows, 2 * heads * width}, Shape{heads * width, 3}},
                         [&](Tape<double>& tape, const Tensors& v) {
                           const Tensor<double> whole = scale(tape, v[0], 2);
                           const std::size_t widths[] = {heads * width, heads * width};
                           Tensor<double> parts[2];
                           tape.split(whole, widths, parts);
                           return add(tape, project_heads<double>(tape, parts[1], v[1], heads),
                                      project_heads<double>(tape, parts[0], v[1], heads));
                         });
      }
    }
  }
}

}  // namespace
}  // namespace faithful
