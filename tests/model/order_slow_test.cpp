// A task that needs order and nothing else: events A and B, one sample each, in a silent window; which came first?
// Every window has the same multiset of samples, each step is embedded alone. Some pairs of places are held out: those
// windows, their mirror images and the same with A and B changed are never seen in training. A model that cannot see
// order must give such windows equal answers, so it is right in exactly half of them.

#include <cmath>
#include <cstdio>
#include <map>

#include <gtest/gtest.h>

#include "faithful/base/threads.h"
#include "faithful/engine/shards.h"
#include "tests/model/tiny.h"

namespace faithful {
namespace {

constexpr std::size_t kLength = 20, kBatch = 64, kSteps = 700;

struct Places {
  std::size_t a, b;  // of the events
};

bool held_out(std::size_t i, std::size_t j) {
  const std::size_t low = std::min(i, j), high = std::max(i, j);
  const std::size_t mirrored = kLength - 1 - high;             // where the mirror image has its first event
  return (std::min(low, mirrored) * 7 + high - low) % 5 == 0;  // a fifth; the same for mirror images
}

std::vector<Places> all_places(bool of_held_out) {
  std::vector<Places> places;
  for (std::size_t a = 0; a < kLength; ++a) {
    for (std::size_t b = 0; b < kLength; ++b) {
      if (a != b && held_out(a, b) == of_held_out) places.push_back({a, b});
    }
  }
  return places;
}

struct Windows {
  explicit Windows(const std::vector<Places>& places) : values(places.size() * kLength * 2) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      values[(i * kLength + places[i].a) * 2] = 1;
      values[(i * kLength + places[i].b) * 2 + 1] = 1;
      labels.push_back(places[i].a < places[i].b ? 1 : 0);
    }
  }
  Samples<float> view() const { return {labels.size(), values, {}, {}}; }

  std::vector<float> values;  // [B, length, 2]
  std::vector<std::int32_t> labels;
};

ModelConfig order_model(const std::string& encoding, const std::string& pooling) {
  ModelConfig config;
  config.channels = 2;
  config.length = kLength;
  config.width = 32;
  config.heads = 4;
  config.layers = 2;
  config.feed_forward = 64;
  config.dropout = 0;
  config.encoding = encoding;
  config.pooling = pooling;
  return config;
}

double accuracy(const Classifier<float>& model, engine::Shards<float>& shards, const Windows& windows) {
  std::vector<std::size_t> right(windows.labels.size());
  shards.infer(windows.labels.size(), [&](engine::Tape<float>& tape, std::size_t begin, std::size_t end) {
    const engine::Tensor<float> z = model.logits(tape, windows.view().part(begin, end));
    for (std::size_t i = begin; i < end; ++i) right[i] = (z.data[i - begin] > 0) == (windows.labels[i] == 1) ? 1 : 0;
  });
  double count = 0;
  for (const std::size_t each : right) count += static_cast<double>(each);
  return count / static_cast<double>(right.size());
}

// The accuracy on held-out windows after training, with one setting for all.
double learn(const ModelConfig& config) {
  Classifier<float> model(config);
  model.initialize(1);
  ThreadPool pool(2);
  engine::Shards<float> shards(model.parameters(), pool);
  const std::vector<Places> seen = all_places(false);
  Random random(2);
  for (std::size_t step = 0; step < kSteps; ++step) {
    std::vector<Places> drawn;
    for (std::size_t i = 0; i < kBatch; ++i) drawn.push_back(seen[random.below(seen.size())]);
    const Windows batch(drawn);
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
  const double reached = accuracy(model, shards, Windows(all_places(true)));
  std::printf("%-20s %-6s %.4f\n", config.encoding.c_str(), config.pooling.c_str(), reached);
  std::fflush(stdout);
  return reached;
}

bool sees_no_order(const std::string& encoding) {
  return encoding == "none" || encoding == "alibi" || encoding == "kerple";
}

TEST(OrderTask, HeldOutWindowsAreBalancedAndClosedUnderReflection) {
  std::map<std::pair<std::size_t, std::size_t>, bool> found;
  for (const Places p : all_places(true)) found[{p.a, p.b}] = true;
  EXPECT_GT(found.size(), 50U);
  EXPECT_LT(found.size(), 100U);
  for (const auto& [places, unused] : found) {
    EXPECT_TRUE(found.count({places.second, places.first}) == 1);
    EXPECT_TRUE(found.count({kLength - 1 - places.first, kLength - 1 - places.second}) == 1);
  }
}

TEST(OrderTask, EveryEncodingThatSeesOrderLearnsIt) {
  for (const std::string& encoding : testing::encoding_names()) {
    if (sees_no_order(encoding)) continue;
    EXPECT_GE(learn(order_model(encoding, "mean")), 0.98) << encoding;
  }
}

TEST(OrderTask, MtanAsItsAuthorsUseItAndTupeWithItsBiasLearnIt) {
  ModelConfig config = order_model("mtan", "mean");
  config.mtan = "attention";
  EXPECT_GE(learn(config), 0.98);
  config = order_model("tupe", "mean");
  config.tupe_relative = true;
  EXPECT_GE(learn(config), 0.98);
}

TEST(OrderTask, WhatSeesDistanceAloneStaysAtChance) {
  for (const std::string encoding : {"none", "alibi", "kerple"}) {
    EXPECT_NEAR(learn(order_model(encoding, "mean")), 0.5, 0.1) << encoding;
  }
  EXPECT_NEAR(learn(order_model("none", "token")), 0.5, 0.1);
}

TEST(OrderTask, AClassTokenGivesDistancesADirection) {
  for (const std::string encoding : {"alibi", "kerple"}) {
    EXPECT_GE(learn(order_model(encoding, "token")), 0.98) << encoding;
  }
}

}  // namespace
}  // namespace faithful
