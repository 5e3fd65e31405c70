#include "faithful/diagnose/attention_diagnosis.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "faithful/base/random.h"

namespace faithful {
namespace {

// Maps of a window with rows that sum to 1.
struct MadeAttention {
  MadeAttention(std::size_t steps, std::size_t sensors, std::size_t heads, std::uint64_t seed)
      : temporal(sensors * heads * steps * steps), spatial(steps * heads * sensors * sensors) {
    Random random(seed);
    fill_rows(temporal, steps, random);
    fill_rows(spatial, sensors, random);
    view = {steps, sensors, heads, temporal, spatial, {}};
  }
  static void fill_rows(std::vector<float>& maps, std::size_t columns, Random& random) {
    for (std::size_t row = 0; row < maps.size(); row += columns) {
      float sum = 0;
      for (std::size_t c = 0; c < columns; ++c) sum += maps[row + c] = static_cast<float>(0.01 + random.uniform());
      for (std::size_t c = 0; c < columns; ++c) maps[row + c] /= sum;
    }
  }
  std::vector<float> temporal, spatial;
  SpaceTimeAttention view;
};

// The definition, word for word: one loop for each sign.
struct Naive {
  explicit Naive(const SpaceTimeAttention& of) {
    const std::size_t S = of.steps, C = of.sensors, H = of.heads;
    const auto A = [&](std::size_t s, std::size_t i, std::size_t j) {
      double mean = 0;
      for (std::size_t h = 0; h < H; ++h) mean += static_cast<double>(of.temporal[((s * H + h) * S + i) * S + j]);
      return mean / static_cast<double>(H);
    };
    const auto B = [&](std::size_t t, std::size_t i, std::size_t j) {
      double mean = 0;
      for (std::size_t h = 0; h < H; ++h) mean += static_cast<double>(of.spatial[((t * H + h) * C + i) * C + j]);
      return mean / static_cast<double>(H);
    };
    for (std::size_t t = 0; t < S; ++t) {
      double a = 0;
      for (std::size_t i = 0; i < S; ++i)
        for (std::size_t s = 0; s < C; ++s) a += A(s, i, t) / static_cast<double>(C);
      steps.push_back(a);
    }
    const double total = std::accumulate(steps.begin(), steps.end(), 0.0);
    for (std::size_t s = 0; s < C; ++s) {
      double b = 0;
      for (std::size_t i = 0; i < C; ++i) {
        double global = 0;
        for (std::size_t t = 0; t < S; ++t) global += steps[t] * B(t, i, s) / total;
        b += std::abs(global) / static_cast<double>(C);
      }
      sensors.push_back(b);
    }
  }
  std::vector<double> steps, sensors;
};

void expect_close(const std::vector<double>& found, const std::vector<double>& expected, double bound = 1e-12) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], bound) << "at " << i;
}

TEST(AttentionDiagnosis, EqualsTheDefinition) {
  for (const auto& [steps, sensors, heads] : {std::tuple{1, 1, 1}, {2, 1, 1}, {1, 2, 3}, {5, 7, 2}, {13, 4, 3}}) {
    const MadeAttention made(static_cast<std::size_t>(steps), static_cast<std::size_t>(sensors),
                             static_cast<std::size_t>(heads), 7);
    const AttentionDiagnosis found = diagnose_attention(made.view);
    const Naive expected(made.view);
    expect_close(found.steps, expected.steps);
    expect_close(found.sensors, expected.sensors);
    EXPECT_NEAR(std::accumulate(found.steps.begin(), found.steps.end(), 0.0), steps, 1e-5);  // rows of float sum to 1
    EXPECT_NEAR(std::accumulate(found.sensors.begin(), found.sensors.end(), 0.0), 1, 1e-6);
  }
}

TEST(AttentionDiagnosis, UniformAttentionIsUniform) {
  MadeAttention made(4, 8, 2, 1);
  std::ranges::fill(made.temporal, 0.25F);
  std::ranges::fill(made.spatial, 0.125F);
  const AttentionDiagnosis found = diagnose_attention(made.view);
  EXPECT_EQ(found.steps, std::vector<double>(4, 1.0));
  EXPECT_EQ(found.sensors, std::vector<double>(8, 0.125));
  EXPECT_EQ(steps_of_sensor(made.view, 3), found.steps);
  EXPECT_EQ(sensors_at_step(made.view, 2), found.sensors);
}

TEST(AttentionDiagnosis, OneKeyAttendedIsOneSpike) {
  const std::size_t steps = 5, sensors = 3, heads = 2;
  MadeAttention made(steps, sensors, heads, 1);
  std::ranges::fill(made.temporal, 0.0F);
  std::ranges::fill(made.spatial, 0.0F);
  for (std::size_t row = 0; row < sensors * heads * steps; ++row) made.temporal[row * steps + 3] = 1;
  for (std::size_t row = 0; row < steps * heads * sensors; ++row) made.spatial[row * sensors + 1] = 1;
  const AttentionDiagnosis found = diagnose_attention(made.view);
  EXPECT_EQ(found.steps, (std::vector<double>{0, 0, 0, 5, 0}));
  EXPECT_EQ(found.sensors, (std::vector<double>{0, 1, 0}));
}

// Only the steps that are attended to say where.
TEST(AttentionDiagnosis, SensorsAreWeightedByWhen) {
  MadeAttention made(2, 2, 1, 1);
  made.temporal = {0.75F, 0.25F, 0.75F, 0.25F, 0.75F, 0.25F, 0.75F, 0.25F};
  made.spatial = {1, 0, 1, 0, 0, 1, 0, 1};  // step 0 looks at sensor 0, step 1 at sensor 1
  made.view.temporal = made.temporal;
  made.view.spatial = made.spatial;
  const AttentionDiagnosis found = diagnose_attention(made.view);
  EXPECT_EQ(found.steps, (std::vector<double>{1.5, 0.5}));
  EXPECT_EQ(found.sensors, (std::vector<double>{0.75, 0.25}));
  EXPECT_EQ(sensors_at_step(made.view, 1), (std::vector<double>{0, 1}));
}

TEST(AttentionDiagnosis, LocalMeansAreTheGlobalOnes) {
  const MadeAttention made(6, 5, 3, 11);
  const AttentionDiagnosis found = diagnose_attention(made.view);
  std::vector<double> steps(6, 0.0);
  for (std::size_t s = 0; s < 5; ++s)
    for (std::size_t t = 0; t < 6; ++t) steps[t] += steps_of_sensor(made.view, s)[t] / 5;
  expect_close(steps, found.steps);
  // heads: their mean is the map
  Matrix<double> temporal(6, 6), spatial(5, 5);
  for (std::size_t h = 0; h < 3; ++h) {
    const Matrix<double> one = temporal_head(made.view, h), other = spatial_head(made.view, h, found.steps);
    for (std::size_t i = 0; i < 36; ++i) temporal.values[i] += one.values[i] / 3;
    for (std::size_t i = 0; i < 25; ++i) spatial.values[i] += other.values[i] / 3;
  }
  expect_close(temporal.values, found.temporal.values);
  expect_close(spatial.values, found.spatial.values);
}

TEST(AttentionDiagnosis, PaddingAsksNothing) {
  MadeAttention made(3, 2, 1, 5);
  const std::vector<std::uint8_t> valid = {1, 1, 0};
  for (std::size_t row = 0; row < 2 * 3; ++row) {  // nobody looks at the padded step; it looks at the first alone
    for (std::size_t c = 0; c < 3; ++c)
      made.temporal[row * 3 + c] = row % 3 == 2 ? (c == 0 ? 1 : 0) : (c < 2 ? 0.5F : 0);
  }
  made.view.valid = valid;
  EXPECT_EQ(diagnose_attention(made.view).steps, (std::vector<double>{1, 1, 0}));
  EXPECT_EQ(steps_of_sensor(made.view, 1), (std::vector<double>{1, 1, 0}));
}

TEST(AttentionRollout, ClosedForms) {
  // one layer, every step looks at step 1 alone: half of it by the residual, half by attention
  const std::vector<float> spike = {0, 1, 0, 0, 1, 0, 0, 1, 0};
  expect_close(attention_rollout({3, 1, 1, false, true, spike, {}}), {1.0 / 6, 4.0 / 6, 1.0 / 6});
  expect_close(attention_rollout({3, 1, 1, false, false, spike, {}}), {0, 1, 0});
  expect_close(attention_rollout({3, 0, 1, false, true, {}, {}}), {1.0 / 3, 1.0 / 3, 1.0 / 3});
  // a token that looks at the second of two steps; itself does not count
  const std::vector<float> token = {0, 0, 1, 1, 0, 0, 1, 0, 0};
  expect_close(attention_rollout({2, 1, 1, true, true, token, {}}), {0, 1});
  // layers multiply from the last to the first: the last looks at step 0, which the first filled from step 1
  const std::vector<float> two = {0, 1, 0, 1, 1, 0, 1, 0};
  expect_close(attention_rollout({2, 2, 1, false, false, two, {}}), {0, 1});
  // heads are averaged
  const std::vector<float> heads = {1, 0, 1, 0, 0, 1, 0, 1};
  expect_close(attention_rollout({2, 1, 2, false, false, heads, {}}), {0.5, 0.5});
  // padding neither asks nor is read
  const std::vector<std::uint8_t> valid = {1, 1, 0};
  expect_close(attention_rollout({3, 1, 1, false, false, spike, valid}), {0, 1, 0});
}

}  // namespace
}  // namespace faithful
