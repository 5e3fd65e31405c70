#include "faithful/engine/attention.h"

#include <numeric>

#include <gtest/gtest.h>

#include "faithful/engine/reference_attention.h"
#include "tests/engine/gradient_check.h"

namespace faithful::engine {
namespace {

using testing::expect_gradients;
using testing::Variable;
using Tensors = std::vector<Tensor<double>>;

struct Sizes {
  std::size_t samples, positions, heads, key_width, value_width;
};
const std::vector<Sizes> kSizes = {{1, 1, 1, 2, 1}, {2, 3, 2, 4, 3}, {1, 7, 3, 2, 5}, {2, 13, 1, 6, 2}};

// Which position terms take part; bit by bit.
enum Term {
  kRotation = 1,
  kRelativeKeys = 2,
  kRelativeValues = 4,
  kBias = 8,
  kWeights = 16,
  kMask = 32,
  kHalves = 64,
  kAll = 127,
  kPerHead = 128,  // relative vectors for each head
  kRelativeQueries = 256,
  kTimes = 512,
  kFunction = 1024,  // with times
};

constexpr std::size_t kClip = 2;

// The variables of one case, in the order assemble() reads them.
std::vector<Variable> variables_of(const Sizes& n) {
  const Shape keys{n.samples, n.positions, n.heads * n.key_width};
  return {keys,
          keys,
          Shape{n.samples, n.positions, n.heads * n.value_width},
          Shape{n.positions, n.key_width / 2},
          Shape{2 * kClip + 1, n.key_width},
          Shape{2 * kClip + 1, n.value_width},
          Shape{n.heads, 2 * n.positions - 1},
          Shape{n.heads, 2 * n.positions - 1},
          Shape{n.heads, 2 * kClip + 1, n.key_width},
          Shape{n.heads, 2 * kClip + 1, n.value_width},
          Shape{n.heads, 2 * kClip + 1, n.key_width},
          Shape{n.heads, 1}};
}

// Uneven; some pairs lie beyond the ends of the tables, some at whole distances.
template <class T>
std::vector<T> times_of(const Sizes& n) {
  std::vector<T> times;
  for (std::size_t i = 0; i < n.samples * n.positions; ++i) {
    times.push_back(static_cast<T>(i % n.positions) * (i % 3 == 0 ? T(1) : T(0.75)));
  }
  return times;
}

// a_h sin(offset)
template <class T>
OffsetFunction<T> sine_of(Tensor<T> a) {
  OffsetFunction<T> f;
  f.of[0] = a;
  f.add = [](const OffsetFunction<T>& of, Tape<T>&, std::size_t h, std::span<const T> offsets, T* row) {
    for (std::size_t j = 0; j < offsets.size(); ++j) row[j] += of.of[0].data[h] * std::sin(offsets[j]);
  };
  f.add_gradient = [](const OffsetFunction<T>& of, Tape<T>& tape, std::size_t h, std::span<const T> offsets,
                      const T* d) {
    T* to = tape.gradient_to_add(of.of[0]);
    for (std::size_t j = 0; j < offsets.size(); ++j) to[h] += d[j] * std::sin(offsets[j]);
  };
  return f;
}

// Sample 0 lacks its last position, the others their first; one position alone stays.
std::vector<std::uint8_t> mask_of(const Sizes& n) {
  std::vector<std::uint8_t> valid(n.samples * n.positions, 1);
  if (n.positions > 1) {
    for (std::size_t b = 0; b < n.samples; ++b) valid[b * n.positions + (b == 0 ? n.positions - 1 : 0)] = 0;
  }
  return valid;
}

template <class T>
AttentionInputs<T> assemble(const Sizes& n, int terms, const std::vector<Tensor<T>>& x,
                            const std::vector<std::uint8_t>& mask, const std::vector<T>& times) {
  AttentionInputs<T> in{.query = x[0], .key = x[1], .value = x[2], .heads = n.heads};
  if (terms & kRotation) in.angles = x[3];
  if (terms & kHalves) in.pairing = Pairing::kHalves;
  if (terms & kRelativeKeys) in.relative_keys = x[terms & kPerHead ? 8 : 4];
  if (terms & kRelativeValues) in.relative_values = x[terms & kPerHead ? 9 : 5];
  if (terms & kRelativeQueries) in.relative_queries = x[10];
  if (terms & kTimes) in.times = times;
  if (terms & kFunction) in.offset_function = sine_of(x[11]);
  if (terms & kBias) in.offset_bias = x[6];
  if (terms & kWeights) in.offset_weights = x[7];
  if (terms & kMask) in.valid = mask;
  return in;
}

constexpr int kTermSets[] = {0,
                             kRotation,
                             kRotation | kHalves,
                             kRelativeKeys,
                             kRelativeValues,
                             kBias,
                             kWeights,
                             kMask,
                             kAll,
                             kPerHead | kRelativeKeys | kRelativeValues,
                             kRelativeQueries,
                             kPerHead | kRelativeQueries | kAll,
                             kTimes | kRelativeKeys,
                             kTimes | kRelativeValues,
                             kTimes | kRelativeQueries,
                             kTimes | kWeights | kMask,
                             kTimes | kFunction,
                             kTimes | kBias,
                             kTimes | kFunction | kPerHead | kRelativeQueries | kAll};

TEST(Attention, GradientsOfEveryTermKeptAndRecomputed) {
  for (const Sizes& n : kSizes) {
    const std::vector<std::uint8_t> mask = mask_of(n);
    const std::vector<double> times = times_of<double>(n);
    for (const int terms : kTermSets) {
      for (const std::size_t keep : {0, 512}) {
        SCOPED_TRACE(std::to_string(n.positions) + " positions, terms " + std::to_string(terms));
        expect_gradients(variables_of(n), [&](Tape<double>& tape, const Tensors& x) {
          AttentionInputs<double> in = assemble(n, terms, x, mask, times);
          in.keep_up_to = keep;
          return attention(tape, in);
        });
      }
    }
  }
}

TEST(Attention, EqualsItsDefinition) {
  Parameters<double> parameters;
  parameters.allocate();
  for (const Sizes& n : kSizes) {
    const std::vector<std::uint8_t> mask = mask_of(n);
    const std::vector<double> times = times_of<double>(n);
    for (const int terms : kTermSets) {
      Tape<double> tape;
      tape.begin(parameters, {});
      Random random(4);
      std::vector<Variable> variables = variables_of(n);
      Tensors x;
      for (Variable& v : variables) {
        for (std::size_t i = 0; i < v.shape.count(); ++i) v.values.push_back(random.uniform(-2, 2));
        x.push_back(tape.input(v.values.data(), v.shape));
      }
      const AttentionInputs<double> in = assemble(n, terms, x, mask, times);
      const Tensor<double> ours = attention(tape, in);
      const std::vector<double> naive = reference::attention(tape, in);
      for (std::size_t i = 0; i < naive.size(); ++i) ASSERT_NEAR(ours.data[i], naive[i], 1e-12);
    }
  }
}

// Long enough for several tiles of rows, in float: against the definition in double, and kept against recomputed.
class AttentionTiles : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Terms, AttentionTiles,
                         ::testing::Values(kAll, kAll | kPerHead | kRelativeQueries,
                                           kTimes | kFunction | kPerHead | kRelativeQueries | kAll));

TEST_P(AttentionTiles, ManyTilesGiveTheSame) {
  const Sizes n{1, 600, 2, 4, 3};
  const int terms = GetParam();
  const std::vector<std::uint8_t> mask = mask_of(n);
  const std::vector<float> times = times_of<float>(n);
  Random random(4);
  std::vector<Variable> variables = variables_of(n);
  std::vector<std::vector<float>> values;
  for (Variable& v : variables) {
    for (std::size_t i = 0; i < v.shape.count(); ++i) v.values.push_back(static_cast<float>(random.uniform(-1, 1)));
    values.emplace_back(v.values.begin(), v.values.end());
  }
  Parameters<double> none;
  none.allocate();
  Tape<double> tape;
  tape.begin(none, {});
  Tensors exact;
  for (Variable& v : variables) exact.push_back(tape.input(v.values.data(), v.shape));
  const std::vector<double> naive = reference::attention(tape, assemble(n, terms, exact, mask, times_of<double>(n)));

  Parameters<float> no_weights;
  no_weights.allocate();
  std::vector<std::vector<float>> results[2];
  for (const std::size_t keep : {0, 1}) {
    Tape<float> floats;
    floats.begin(no_weights, {.record = true});
    std::vector<std::vector<float>> gradients;
    for (const auto& v : values) gradients.emplace_back(v.size());
    std::vector<Tensor<float>> x;
    for (std::size_t v = 0; v < values.size(); ++v) {
      x.push_back(floats.variable(values[v].data(), variables[v].shape, gradients[v].data()));
    }
    AttentionInputs<float> in = assemble(n, terms, x, mask, times);
    in.keep_up_to = keep == 0 ? 0 : 1000;
    const Tensor<float> out = attention(floats, in);
    for (std::size_t i = 0; i < naive.size(); ++i)
      ASSERT_NEAR(out.data[i], naive[i], 2e-5 * std::max(1.0, std::fabs(naive[i])));
    floats.backward(sum(floats, out));
    results[keep] = gradients;
  }
  EXPECT_EQ(results[0], results[1]);  // recomputing repeats the same operations: every bit is equal
}

// Twice the length takes twice the memory, forwards and backwards, once the softmax is no longer kept.
TEST(Attention, MemoryIsLinearInLength) {
  Parameters<float> parameters;
  parameters.allocate();
  const auto peak = [&](std::size_t positions) {
    std::vector<float> x(positions * 8, 0.5F), gradient(x.size());
    Tape<float> tape;
    tape.begin(parameters, {.record = true});
    const Tensor<float> in = tape.variable(x.data(), {1, positions, 8}, gradient.data());
    tape.backward(sum(tape, attention<float>(tape, {.query = in, .key = in, .value = in, .heads = 1})));
    return static_cast<double>(tape.arena().peak_bytes() + tape.scratch().peak_bytes());
  };
  EXPECT_LT(peak(2400) / peak(1200), 2.1);
  EXPECT_GT(peak(500), peak(600));  // 500 positions still keep theirs
}

TEST(Attention, OneTensorMayBeQueryKeyAndValue) {
  expect_gradients({Shape{2, 5, 4}}, [](Tape<double>& tape, const Tensors& x) {
    return attention<double>(tape, {.query = x[0], .key = x[0], .value = x[0], .heads = 2});
  });
}

TEST(Attention, PartsOfOneProjection) {
  expect_gradients({Shape{2, 5, 4}, Shape{14, 4}}, [](Tape<double>& tape, const Tensors& x) {
    const Tensor<double> qkv = linear(tape, x[0], x[1]);
    const std::size_t widths[] = {4, 4, 6};
    Tensors parts(3);
    tape.split(qkv, widths, parts);
    return attention<double>(tape, {.query = parts[0], .key = parts[1], .value = parts[2], .heads = 2, .scale = 0.3});
  });
}

TEST(Attention, GroupsAttendEachForThemselves) {
  const std::vector<std::uint8_t> valid = {1, 1, 0, 1, 0, 1};  // [B = 2, S = 3], the same for all groups
  expect_gradients({Shape{2, 2, 3, 4}}, [&](Tape<double>& tape, const Tensors& x) {
    return attention<double>(tape, {.query = x[0], .key = x[0], .value = x[0], .heads = 1, .valid = valid});
  });
}

TEST(Attention, ASampleWithoutKeysGivesZeros) {
  Parameters<double> parameters;
  parameters.allocate();
  Tape<double> tape;
  tape.begin(parameters, {});
  const std::vector<double> x(6, 1);
  const std::vector<std::uint8_t> valid(3, 0);
  const Tensor<double> in = tape.input(x.data(), {1, 3, 2});
  const Tensor<double> out = attention<double>(tape, {.query = in, .key = in, .value = in, .valid = valid});
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(out.data[i], 0);
}

TEST(Attention, MapsAreTheWeights) {
  Parameters<double> parameters;
  parameters.allocate();
  Tape<double> tape;
  tape.begin(parameters, {});
  std::vector<double> maps(2 * 2 * 3 * 3), zero(2 * 3 * 4, 0), bias(2 * 5), identity(2 * 3 * 6);
  for (std::size_t i = 0; i < bias.size(); ++i) bias[i] = std::log(static_cast<double>(i + 1));
  // With the unit vectors as values the output is the map itself.
  for (std::size_t r = 0; r < 6; ++r) identity[r * 6 + r % 3] = identity[r * 6 + 3 + r % 3] = 1;
  const Tensor<double> q = tape.input(zero.data(), {2, 3, 4});
  const Tensor<double> out = attention<double>(tape, {.query = q,
                                                      .key = q,
                                                      .value = tape.input(identity.data(), {2, 3, 6}),
                                                      .heads = 2,
                                                      .offset_bias = tape.input(bias.data(), {2, 5}),
                                                      .maps = maps});
  // Head 0, query 0 sees the offsets 0, 1, 2: entries 2, 3, 4 of the table, log 3, log 4, log 5.
  EXPECT_NEAR(maps[0], 3.0 / 12, 1e-15);
  EXPECT_NEAR(maps[1], 4.0 / 12, 1e-15);
  EXPECT_NEAR(maps[2], 5.0 / 12, 1e-15);
  // Query 2 sees -2, -1, 0.
  EXPECT_NEAR(maps[6], 1.0 / 6, 1e-15);
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t h = 0; h < 2; ++h) {
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
          EXPECT_EQ(out.data[(b * 3 + i) * 6 + h * 3 + j], maps[((b * 2 + h) * 3 + i) * 3 + j]);
        }
      }
    }
  }
}

// A rotated score depends on the distance alone (Su et al. 2021).
TEST(Attention, RotationMakesScoresDependOnTheOffset) {
  Parameters<double> parameters;
  parameters.allocate();
  Tape<double> tape;
  tape.begin(parameters, {});
  constexpr std::size_t kPositions = 5;
  std::vector<double> same(kPositions * 4), angles(kPositions * 2), maps(kPositions * kPositions);
  for (std::size_t s = 0; s < kPositions; ++s) {
    for (std::size_t c = 0; c < 4; ++c) same[s * 4 + c] = 0.3 * static_cast<double>(c + 1);
    for (std::size_t i = 0; i < 2; ++i) angles[s * 2 + i] = static_cast<double>(s) * (i == 0 ? 1.0 : 0.1);
  }
  const Tensor<double> x = tape.input(same.data(), {1, kPositions, 4});
  attention<double>(
      tape, {.query = x, .key = x, .value = x, .angles = tape.input(angles.data(), {kPositions, 2}), .maps = maps});
  // log(weight ratio) is a difference of scores, so it repeats along the diagonals.
  for (std::size_t i = 1; i < kPositions; ++i) {
    const double here = std::log(maps[i * kPositions + i] / maps[i * kPositions + i - 1]);
    EXPECT_NEAR(here, std::log(maps[kPositions + 1] / maps[kPositions]), 1e-12);
  }
}

}  // namespace
}  // namespace faithful::engine
