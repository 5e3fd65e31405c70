// A task that needs order and nothing else: events A and B, one sample each, among others that mean nothing; which came
// first? Every window has the same multiset of samples, in an order of its own, and each step is embedded alone. The
// windows of the test were not seen in training; each stands there with its mirror image, whose label is the other one,
// so that a model which cannot tell the two apart is right in half of them.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "faithful/base/threads.h"
#include "faithful/engine/shards.h"
#include "faithful/model/infer.h"
#include "tests/model/tiny.h"

namespace faithful {
namespace {

constexpr std::size_t kLength = 16, kChannels = 3, kBatch = 64, kSteps = 600, kTested = 500;

// The same samples in random orders: A is (1, 0, 0), B is (0, 1, 0), the others (0, 0, x) with x from -0.5 to 0.5.
struct Windows {
  Windows(std::size_t count, Random& random, bool with_mirror_images) {
    std::vector<std::size_t> order(kLength);  // of the samples; 0 is A, 1 is B
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = 0; i < count; ++i) {
      random.shuffle(std::span(order));
      add(order);
      if (!with_mirror_images) continue;
      std::ranges::reverse(order);
      add(order);
    }
  }
  void add(const std::vector<std::size_t>& order) {
    for (const std::size_t sample : order) {
      const float other = static_cast<float>(sample - 2) / (kLength - 3) - 0.5F;
      values.insert(values.end(), {sample == 0 ? 1.0F : 0.0F, sample == 1 ? 1.0F : 0.0F, sample < 2 ? 0.0F : other});
    }
    labels.push_back(std::ranges::find(order, 0U) < std::ranges::find(order, 1U) ? 1 : 0);
  }
  Samples<float> view() const { return {labels.size(), values, {}, {}}; }

  std::vector<float> values;  // [B, length, 3]
  std::vector<std::int32_t> labels;
};

ModelConfig order_model(const std::string& encoding, Pooling pooling) {
  ModelConfig config;
  config.input.channels = kChannels;
  config.input.length = kLength;
  config.body.width = 32;
  config.body.heads = 4;
  config.body.layers = 2;
  config.body.feed_forward = 64;
  config.body.dropout = 0;
  config.position.encoding = encoding;
  config.position.own.set("spe_realizations", 128);  // the default, 64, reaches 0.9800
  config.head.pooling = pooling;
  return config;
}

double accuracy(const Classifier<float>& model, const Windows& windows) {
  std::vector<float> logits(windows.labels.size());
  Transformer::view_of(model).logits_into(windows.view(), logits);
  double right = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) right += (logits[i] > 0) == (windows.labels[i] == 1) ? 1 : 0;
  return right / static_cast<double>(logits.size());
}

// The accuracy on held-out windows after training, with one setting for all.
double learn(const ModelConfig& config) {
  Classifier<float> model(config);
  model.initialize(1);
  ThreadPool pool(2);
  engine::Shards<float> shards(model.parameters(), pool);
  Random random(2);
  for (std::size_t step = 0; step < kSteps; ++step) {
    const Windows batch(kBatch, random, false);
    model.parameters().pack(pool);
    shards.accumulate(kBatch, [&](engine::Tape<float>& tape, std::size_t begin, std::size_t end) {
      return model.loss(tape, batch.view().part(begin, end), std::span(batch.labels).subspan(begin, end - begin),
                        {.scale = 1.0 / kBatch});
    });
    const double warm = std::min(1.0, static_cast<double>(step + 1) / 50);
    const double fall = 0.5 * (1 + std::cos(3.14159265 * static_cast<double>(step) / kSteps));
    const double norm = shards.gradient_norm();
    shards.update({.rate = 3e-3 * warm * fall}, norm > 1 ? 1 / norm : 1);
  }
  const double reached = accuracy(model, Windows(kTested, random, true));
  std::printf("%-20s %-6s %.4f\n", config.position.encoding.c_str(), config.has_token() ? "token" : "mean", reached);
  std::fflush(stdout);
  return reached;
}

bool sees_no_order(const std::string& encoding) {
  return encoding == "none" || encoding == "alibi" || encoding == "kerple";
}

TEST(OrderTask, WindowsAreOrdersOfTheSameSamples) {
  Random random(1);
  const Windows windows(20, random, true);
  const auto samples_of = [&](std::size_t i) {
    std::multiset<std::vector<float>> samples;
    for (std::size_t s = 0; s < kLength; ++s) {
      const float* at = &windows.values[(i * kLength + s) * kChannels];
      samples.emplace(at, at + kChannels);
    }
    return samples;
  };
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(samples_of(i), samples_of(0));
    EXPECT_NE(windows.labels[i], windows.labels[i ^ 1U]);
  }
}

TEST(OrderTask, EveryEncodingThatSeesOrderLearnsIt) {
  for (const std::string& encoding : testing::encoding_names()) {
    if (sees_no_order(encoding) || encoding == "dywpe" || encoding == "fope") continue;  // both below
    EXPECT_GE(learn(order_model(encoding, Pooling::kMean)), 0.98) << encoding;
  }
}

TEST(OrderTask, MtanAsItsAuthorsUseItAndTupeWithItsBiasLearnIt) {
  ModelConfig config = order_model("mtan", Pooling::kMean);
  config.position.own.set("mtan", "attention");
  EXPECT_GE(learn(config), 0.98);
  config = order_model("tupe", Pooling::kMean);
  config.position.own.set("tupe_relative", true);
  EXPECT_GE(learn(config), 0.98);
}

TEST(OrderTask, FilteredNoiseLearnsIt) {
  ModelConfig config = order_model("spe", Pooling::kMean);
  config.position.own.set("spe", "conv");
  config.position.own.set("spe_kernel", 8);  // of 32 it takes a minute
  EXPECT_GE(learn(config), 0.98);
}

// 16 steps have 2 levels of wavelets by default, which do not suffice (0.5000); 3 reach 0.9960.
TEST(OrderTask, WaveletsOfFourLevelsLearnIt) {
  ModelConfig config = order_model("dywpe", Pooling::kMean);
  config.position.own.set("dywpe_levels", 4);
  EXPECT_GE(learn(config), 0.98);
}

// The blocks of Haar's wavelet are their own mirror images where they fill the window: so are the codes.
TEST(OrderTask, HaarsWaveletStaysAtChance) {
  ModelConfig config = order_model("dywpe", Pooling::kMean);
  config.position.own.set("dywpe_levels", 4);
  config.position.own.set("dywpe_wavelet", "haar");
  EXPECT_NEAR(learn(config), 0.5, 0.02);
}

TEST(OrderTask, AlibiWithOneSidedHeadsLearnsIt) {
  ModelConfig config = order_model("alibi", Pooling::kMean);
  config.position.own.set("alibi_heads", "one-sided");
  EXPECT_GE(learn(config), 0.98);
}

// Of the frequencies 1, .1, .01, .001 only the first turns in 16 positions, and it repeats after 6.3: fope cannot tell
// all orders. With rho = 4 it keeps 1, .71, .5.
TEST(OrderTask, FopeLearnsItWhereItKeepsEnoughFrequencies) {
  ModelConfig config = order_model("fope", Pooling::kMean);
  EXPECT_LT(learn(config), 0.98);
  config.position.own.set("rho", 4);
  EXPECT_GE(learn(config), 0.98);
}

TEST(OrderTask, WhatSeesDistanceAloneStaysAtChance) {
  for (const std::string encoding : {"none", "alibi", "kerple"}) {
    EXPECT_NEAR(learn(order_model(encoding, Pooling::kMean)), 0.5, 0.02) << encoding;
  }
  EXPECT_NEAR(learn(order_model("none", Pooling::kToken)), 0.5, 0.02);
}

TEST(OrderTask, AClassTokenGivesDistancesADirection) {
  for (const std::string encoding : {"alibi", "kerple"}) {
    EXPECT_GE(learn(order_model(encoding, Pooling::kToken)), 0.98) << encoding;
  }
}

}  // namespace
}  // namespace faithful
