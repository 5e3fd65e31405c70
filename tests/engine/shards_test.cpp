#include "faithful/engine/shards.h"

#include <cmath>

#include <gtest/gtest.h>

#include "faithful/base/random.h"
#include "tests/allocations.h"
#include "tests/engine/reference_model.h"
#include "tests/ranks/thread_ranks.h"

namespace faithful::engine {
namespace {

using testing::ReferenceBatch;
using testing::ReferenceConfig;
using testing::ReferenceModel;

constexpr ReferenceConfig kSmall{.channels = 3, .width = 16, .heads = 2, .layers = 2, .positions = 11, .dropout = 0.1};

std::vector<float> weights_after(std::size_t steps, std::size_t threads, std::size_t shards = 5,
                                 std::size_t at_once = 0, Ranks* ranks = nullptr) {
  ThreadPool pool(threads);
  ReferenceModel<float> model(kSmall);
  const ReferenceBatch<float> batch(kSmall, 13);
  Shards<float> training(model.parameters, pool,
                         {.shards = shards, .at_once = at_once, .seed = 3, .ranks = ranks, .bucket = 300});
  for (std::size_t i = 0; i < steps; ++i) {
    training.accumulate(i % 4 == 3 ? 2 : 13, [&](Tape<float>& tape, std::size_t begin, std::size_t end) {
      return model.loss(tape, batch.x, batch.labels, begin, end);
    });
    training.update({.rate = 1e-3});
  }
  const auto values = model.parameters.values();
  return {values.begin(), values.end()};
}

TEST(Shards, WeightsAreBitIdenticalForAnyNumberOfThreads) {
  const std::vector<float> one = weights_after(50, 1);
  EXPECT_EQ(weights_after(50, 2), one);
  EXPECT_EQ(weights_after(50, 3), one);
  EXPECT_EQ(weights_after(50, 4), one);
  for (const float w : one) ASSERT_TRUE(std::isfinite(w));
  EXPECT_EQ(weights_after(20, 3, 5, 2), weights_after(20, 1, 5, 2));
}

// [ranks] of run_ranks
std::vector<std::vector<float>> weights_of_ranks(std::size_t ranks, std::size_t threads, std::size_t shards,
                                                 std::size_t at_once) {
  std::vector<std::vector<float>> all(ranks);
  faithful::testing::run_ranks(
      ranks, [&](Ranks& own) { all[own.rank()] = weights_after(20, threads, shards, at_once, &own); });
  return all;
}

// Every fourth batch has two samples: most ranks have no shard of it.
TEST(Shards, WeightsAreBitIdenticalForAnyNumberOfRanks) {
  for (const std::size_t at_once : {0, 1}) {
    const std::vector<float> one = weights_after(20, 1, 5, at_once);
    for (const std::size_t ranks : {1, 2, 3, 5})
      for (const std::size_t threads : {1, 2})
        for (const std::vector<float>& weights : weights_of_ranks(ranks, threads, 5, at_once)) ASSERT_EQ(weights, one);
  }
}

TEST(Shards, TheCutChangesRoundingOnly) {
  const std::vector<float> five = weights_after(3, 2, 5), one = weights_after(3, 2, 1);
  ASSERT_NE(five, one);
  for (std::size_t i = 0; i < one.size(); ++i) ASSERT_NEAR(five[i], one[i], 1e-3);  // dropout is keyed by the sample
}

// The gradients and the loss of a batch are the same sums, however many samples are passed at once.
TEST(Shards, SamplesPassedAtOnceChangeRoundingOnly) {
  const auto pass = [](std::size_t at_once) {
    ThreadPool pool(1);
    ReferenceModel<double> model(kSmall);
    const ReferenceBatch<double> batch(kSmall, 13);
    Shards<double> training(model.parameters, pool, {.shards = 2, .at_once = at_once});
    double loss = 0;
    std::size_t calls = 0;
    for (int step = 0; step < 2; ++step) {  // the second time the gradients of the first must be gone
      loss = training.accumulate(13, [&](Tape<double>& tape, std::size_t begin, std::size_t end) {
        ++calls;
        return model.loss(tape, batch.x, batch.labels, begin, end);
      });
    }
    return std::make_tuple(training.summed_gradients(), loss, calls);
  };
  const auto [whole, loss, calls] = pass(0);
  EXPECT_EQ(calls, 4U);
  for (const std::size_t at_once : {1, 2, 3, 7, 100}) {
    const auto [gradients, same_loss, passes] = pass(at_once);
    EXPECT_NEAR(same_loss, loss, 1e-12);
    EXPECT_EQ(passes, 2 * ((6 + at_once - 1) / at_once + (7 + at_once - 1) / at_once));  // shards of 6 and 7
    for (std::size_t i = 0; i < whole.size(); ++i) ASSERT_NEAR(gradients[i], whole[i], 1e-12);
  }
}

// The sizes it was measured at, with shards of four samples: parts at d = 64, whole shards from d = 128 on.
TEST(Shards, FewerSamplesAtOnceWhereTheyAreLong) {
  EXPECT_EQ(samples_at_once(64, 100), 2U);
  EXPECT_EQ(samples_at_once(128, 100), 4U);
  EXPECT_GE(samples_at_once(256, 100), 4U);
  EXPECT_EQ(samples_at_once(64, 17'984), 1U);
  EXPECT_EQ(samples_at_once(1, 1), 3U);
}

TEST(Shards, TrainingLowersTheLoss) {
  ThreadPool pool(2);
  ReferenceConfig config = kSmall;
  config.dropout = 0;
  ReferenceModel<float> model(config);
  const ReferenceBatch<float> batch(config, 16);
  Shards<float> training(model.parameters, pool);
  double first = 0, last = 0;
  for (int i = 0; i < 60; ++i) {
    last = training.accumulate(16, [&](Tape<float>& tape, std::size_t begin, std::size_t end) {
      return model.loss(tape, batch.x, batch.labels, begin, end);
    });
    if (i == 0) first = last;
    training.update({.rate = 3e-3});
  }
  EXPECT_GT(first, 0.5);
  EXPECT_LT(last, 0.05);
}

TEST(Shards, NothingIsAllocatedInSteadyState) {
  ThreadPool pool(2);
  ReferenceModel<float> model(kSmall);
  const ReferenceBatch<float> batch(kSmall, 16);
  Shards<float> training(model.parameters, pool, {.shards = 4});
  const auto step = [&] {
    training.accumulate(16, [&](Tape<float>& tape, std::size_t begin, std::size_t end) {
      return model.loss(tape, batch.x, batch.labels, begin, end);
    });
    training.update({});
  };
  step();  // the arenas find their size
  step();  // and join their blocks
  const std::size_t before = faithful::testing::allocation_count();
  for (int i = 0; i < 20; ++i) step();
  EXPECT_EQ(faithful::testing::allocation_count() - before, 0U);
}

// Beyond the lengths whose softmax is kept, twice the positions take twice the memory.
TEST(Shards, MemoryIsLinearInThePositions) {
  const auto bytes_at = [](std::size_t positions) {
    ReferenceConfig config{.channels = 2, .width = 4, .heads = 1, .layers = 1, .positions = positions};
    ThreadPool pool(1);
    ReferenceModel<float> model(config);
    const ReferenceBatch<float> batch(config, 1);
    Shards<float> training(model.parameters, pool, {.shards = 1});
    training.accumulate(1, [&](Tape<float>& tape, std::size_t begin, std::size_t end) {
      return model.loss(tape, batch.x, batch.labels, begin, end);
    });
    return static_cast<double>(training.peak_bytes());
  };
  const double small = bytes_at(600), middle = bytes_at(1200), large = bytes_at(2400);
  EXPECT_LT(middle, 2.05 * small);
  EXPECT_LT(large, 2.05 * middle);
  EXPECT_NEAR((large - middle) / (middle - small), 2, 0.3);  // 4 if it were quadratic
}

TEST(Shards, WholeModelGradientsByCentralDifferences) {
  ThreadPool pool(1);
  ReferenceConfig config{
      .channels = 2, .width = 4, .heads = 2, .layers = 2, .positions = 5, .classes = 3, .dropout = 0.2};
  ReferenceModel<double> model(config);
  const ReferenceBatch<double> batch(config, 3);
  Shards<double> training(model.parameters, pool, {.shards = 2});
  const auto pass = [&] {
    return training.accumulate(3, [&](Tape<double>& tape, std::size_t begin, std::size_t end) {
      return model.loss(tape, batch.x, batch.labels, begin, end);
    });
  };
  pass();
  const std::vector<double> gradients = training.summed_gradients();
  double norm = 0, square = 0;
  for (const double g : gradients) {
    norm = std::max(norm, std::fabs(g));
    square += g * g;
  }
  EXPECT_NEAR(training.gradient_norm(), std::sqrt(square), 1e-12);
  for (const ParameterEntry& entry : model.parameters.entries()) {
    for (std::size_t i = entry.offset; i < entry.offset + entry.shape.count(); i += 3) {
      double& w = model.parameters.mutable_values()[i];
      const double kept = w;
      w = kept + 1e-5;
      const double above = pass();
      model.parameters.mutable_values()[i] = kept - 1e-5;
      const double below = pass();
      model.parameters.mutable_values()[i] = kept;
      ASSERT_NEAR(gradients[i], (above - below) / 2e-5, 1e-6 * std::max(norm, 1.0)) << entry.name;
    }
  }
}

TEST(Shards, StatisticsMoveTowardsWhatTheShardsSaw) {
  Parameters<double> parameters;
  const Parameter gain = parameters.declare("gain", {1}, ones()), offset = parameters.declare("offset", {1}, zeros());
  const Parameter mean = parameters.declare({.name = "mean", .shape = {1}, .statistic = true});
  const Parameter variance =
      parameters.declare({.name = "variance", .shape = {1}, .initializer = ones(), .statistic = true, .momentum = 0.5});
  parameters.allocate();
  parameters.initialize(1);
  ThreadPool pool(2);
  Shards<double> training(parameters, pool, {.shards = 2, .at_once = 1});  // which statistics overrule
  const double x[] = {1, 3, 10, 20};                                       // shards 1, 3 and 10, 20
  training.accumulate(4, [&](Tape<double>& tape, std::size_t begin, std::size_t end) {
    return sum(tape, batch_norm(tape, tape.input(x + begin, {end - begin, 1}), tape[gain], tape[offset], tape[mean],
                                tape[variance]));
  });
  training.update({});
  EXPECT_NEAR(parameters.values_of(mean)[0], 0.1 * (2 + 15) / 2, 1e-14);
  EXPECT_NEAR(parameters.values_of(variance)[0], 0.5 + 0.5 * (2 + 50) / 2, 1e-14);
}

TEST(Tape, ASampleDoesNotDependOnThoseBesideIt) {
  ReferenceModel<float> model(kSmall);
  const ReferenceBatch<float> batch(kSmall, 7);
  const std::size_t each = kSmall.positions * kSmall.channels;
  Tape<float> tape;
  const auto logits_of = [&](std::size_t first, std::size_t count) {
    tape.begin(model.parameters, {});
    const Tensor<float> z = model.logits(tape, batch.x.data() + first * each, count);
    return std::vector<float>(z.data, z.data + count * 2);
  };
  std::vector<float> single;
  for (std::size_t b = 0; b < 7; ++b) {
    const std::vector<float> one = logits_of(b, 1);
    single.insert(single.end(), one.begin(), one.end());
  }
  EXPECT_EQ(logits_of(0, 7), single);
}

TEST(Denormals, AreFlushedInTheScope) {
  volatile float tiny = 1e-38F;
  {
    const FlushDenormals flush;
    volatile float less = tiny * 0.5F;
    EXPECT_EQ(less, 0);
  }
  volatile float less = tiny * 0.5F;
  EXPECT_NE(less, 0);
}

}  // namespace
}  // namespace faithful::engine
