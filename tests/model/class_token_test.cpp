// The rule of the class token in relative encodings: it stands one position before the first step.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/model/tiny.h"

namespace faithful {
namespace {

using testing::tiny;

// Sees offsets alone, so that a token is a step like any other. tupe has terms of its own for it; fope sees where a
// window begins.
bool is_relative(const CatalogEntry& entry) {
  return !entry.absolute && entry.name != "fope" &&
         (entry.kind == EncodingKind::kRotary || entry.kind == EncodingKind::kLogitBias ||
          entry.kind == EncodingKind::kRelativeVectors || entry.kind == EncodingKind::kWeightBias);
}

// Steps are embedded as they are: their numbers become the codes.
void embed_as_they_are(Classifier<double>& model) {
  for (const engine::ParameterEntry& entry : model.parameters().entries()) {
    if (!entry.name.starts_with("embedding")) continue;
    double* values = model.parameters().mutable_values().data() + entry.offset;
    for (std::size_t i = 0; i < entry.shape.count(); ++i) {
      values[i] = entry.shape.rank() == 2 && i % (entry.shape.width() + 1) == 0 ? 1 : 0;
    }
  }
}

void copy_weights(const Classifier<double>& from, Classifier<double>& to) {
  for (const engine::ParameterEntry& entry : to.parameters().entries()) {
    const engine::ParameterEntry* same = from.parameters().find(entry.name);
    ASSERT_TRUE(same != nullptr && same->shape == entry.shape) << entry.name;
    std::copy_n(from.parameters().values().data() + same->offset, entry.shape.count(),
                to.parameters().mutable_values().data() + entry.offset);
  }
}

std::vector<double> maps_of(const Classifier<double>& model, const Samples<double>& samples, std::size_t rows) {
  std::vector<double> maps(2 * samples.count * 2 * rows * rows);  // [L, B, H, S, S]
  engine::Tape<double> tape;
  tape.begin(model.parameters(), {});
  model.logits(tape, samples, {maps});
  return maps;
}

// A window with a token attends as a window that has one step more, a position before the others, whose embedding is
// the token.
void expect_a_step_before_the_first(ModelConfig config) {
  SCOPED_TRACE(to_text(config));
  config.input.channels = config.body.width;
  config.head.pooling = Pooling::kToken;
  Classifier<double> with(config);
  testing::shake(with);
  embed_as_they_are(with);
  config.head.pooling = Pooling::kMean;
  config.input.length += 1;
  Classifier<double> without(config);
  copy_weights(with, without);

  const std::size_t width = config.body.width, steps = config.input.length - 1;
  const testing::OwnedSamples<double> samples(with.config(), 2);
  testing::OwnedSamples<double> longer(config, 2);
  const double* token = with.parameters().values().data() + with.parameters().find("token")->offset;
  for (std::size_t b = 0; b < 2; ++b) {
    std::copy_n(token, width, &longer.values[b * (steps + 1) * width]);
    std::copy_n(&samples.values[b * steps * width], steps * width, &longer.values[(b * (steps + 1) + 1) * width]);
    if (samples.times.empty()) continue;
    longer.times[b * (steps + 1)] = samples.times[b * steps] - 1;
    std::copy_n(&samples.times[b * steps], steps, &longer.times[b * (steps + 1) + 1]);
  }
  const std::vector<double> ours = maps_of(with, samples.view(), steps + 1);
  const std::vector<double> expected = maps_of(without, longer.view(), steps + 1);
  for (std::size_t i = 0; i < ours.size(); ++i) ASSERT_NEAR(ours[i], expected[i], 1e-12) << i;
}

TEST(ClassToken, StandsOnePositionBeforeTheFirstStep) {
  std::size_t relative = 0;
  for (const CatalogEntry& entry : encoding_catalog()) {
    if (!is_relative(entry)) continue;
    ++relative;
    ModelConfig config = tiny(entry.name);
    expect_a_step_before_the_first(config);
    if (!entry.real_positions) continue;
    config.position.source = PositionSource::kTime;
    config.position.time_step = 1;
    expect_a_step_before_the_first(config);
  }
  EXPECT_GE(relative, 11U);
  ModelConfig one_sided = tiny("alibi");
  one_sided.position.own.set("alibi_heads", "one-sided");
  expect_a_step_before_the_first(one_sided);
}

}  // namespace
}  // namespace faithful
