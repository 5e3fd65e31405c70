// The form dfstrans: gradients, attention maps against the plainest statement, threads, and what decays.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "faithful/engine/shards.h"
#include "tests/model/whole_model.h"

namespace faithful {
namespace {

using testing::check_gradients;
using testing::check_masked_gradients;
using testing::OwnedSamples;
using testing::tiny;
using testing::tiny_dfstrans;

ModelConfig as_published(ModelConfig config) {
  config.body.sensor_weights = config.body.step_weights = true;
  return config;
}

bool is_concatenated(const std::string& encoding) {
  return catalog_entry(encoding).kind == EncodingKind::kConcatenated;
}

TEST(DfstransGradients, EveryEncoding) {
  for (const std::string& encoding : testing::encoding_names()) {
    if (is_concatenated(encoding)) continue;
    check_gradients(tiny_dfstrans(encoding));
    check_masked_gradients(as_published(tiny_dfstrans(encoding)));
  }
  ModelConfig queries = tiny_dfstrans("mtan");
  queries.position.own.set("mtan", "attention");
  check_masked_gradients(queries);
  ModelConfig relative = tiny_dfstrans("tupe");
  relative.position.own.set("tupe_relative", true);
  check_gradients(relative);
}

TEST(DfstransGradients, Times) {
  for (const std::string& encoding : testing::encoding_names()) {
    if (is_concatenated(encoding) || !testing::takes_times(encoding)) continue;
    ModelConfig config = tiny_dfstrans(encoding);
    config.position.source = PositionSource::kTime;
    config.position.time_step = 1;
    if (encoding == "dft" || encoding.starts_with("spectral")) config.position.own.set("period", 40);
    check_masked_gradients(config);
  }
}

TEST(DfstransGradients, WeightsOfSensorsAndSteps) {
  for (const bool sensors : {false, true}) {
    for (const bool steps : {false, true}) {
      ModelConfig config = tiny_dfstrans("dft");
      config.body.sensor_weights = sensors;
      config.body.step_weights = steps;
      check_gradients(config);
      check_masked_gradients(config);
    }
  }
}

// One sensor, one step, one filter, one sample; odd and even lengths that pooling cuts short.
TEST(DfstransGradients, SmallestAndOddSizes) {
  for (const bool own : {false, true}) {
    ModelConfig config = tiny_dfstrans("sinusoidal");
    config.body.sensor_weights = config.body.step_weights = own;
    config.input.channels = 1;
    check_gradients(config);
    config.input.length = config.input.segment = 7;
    config.input.filters = 8;
    config.input.stages = 2;
    config.body.width = 8;
    check_gradients(config, 2);
    config.input.channels = 5;
    config.input.segment = 2;
    config.input.length = 5;
    config.input.stages = 1;
    config.input.kernel = 5;
    config.input.classes = 2;
    config.body.activation = LayerActivation::kGelu;
    check_masked_gradients(config);
    config.input.filters = config.body.width = config.body.heads = config.body.feed_forward = config.head.hidden =
        config.input.kernel = 1;
    check_gradients(config, 1);
  }
}

double logit_of(const Classifier<double>& model, const OwnedSamples<double>& samples, std::size_t b, std::size_t of) {
  const std::vector<double> all = testing::logits_of(model, samples.view());
  if (model.config().outputs() == 1) return of == 1 ? all[b] : -all[b];
  return all[b * model.config().outputs() + of];
}

void check_input_gradient(const ModelConfig& config, std::size_t of, bool masked) {
  SCOPED_TRACE(to_text(config));
  Classifier<double> model(config);
  testing::shake(model);
  for (const engine::ParameterEntry& entry : model.parameters().entries()) {  // a variance is not negative
    if (!entry.name.ends_with("variance")) continue;
    for (std::size_t i = 0; i < entry.shape.count(); ++i) {
      double& value = model.parameters().mutable_values()[entry.offset + i];
      value = std::fabs(value);
    }
  }
  OwnedSamples<double> samples(config, 3);
  if (masked) samples.valid = testing::holes(config);
  std::vector<double> gradient(samples.values.size(), 1e9);
  engine::Tape<double> tape;
  model.input_gradient_into(tape, samples.view(), of, gradient);
  const std::size_t each = config.input.length * config.input.channels;
  for (std::size_t i = 0; i < gradient.size(); i += 5) {
    const double h = 1e-6, kept = samples.values[i];
    samples.values[i] = kept + h;
    const double above = logit_of(model, samples, i / each, of);
    samples.values[i] = kept - h;
    const double below = logit_of(model, samples, i / each, of);
    samples.values[i] = kept;
    EXPECT_NEAR(gradient[i], (above - below) / (2 * h), 1e-7 * std::max(1.0, std::fabs(gradient[i]))) << i;
    if (!masked) continue;
    EXPECT_TRUE(samples.valid[i / config.input.channels] != 0 || gradient[i] == 0) << i;
  }
}

TEST(InputGradient, IsThatOfTheLogitInEveryForm) {
  for (const bool masked : {false, true}) {
    check_input_gradient(tiny_dfstrans("dft"), 2, masked);
    check_input_gradient(as_published(tiny_dfstrans("rope")), 0, masked);
    for (ModelConfig config : {tiny_dfstrans("dft"), tiny("dft")}) {
      config.input.differences = 2;
      check_input_gradient(config, 1, masked);
    }
    for (const std::string& encoding : testing::encoding_names()) {
      check_input_gradient(tiny(encoding, masked ? Pooling::kToken : Pooling::kMean), 1, masked);
    }
    ModelConfig config = tiny("learned", Pooling::kAttention);
    config.input.classes = 2;
    config.input.length = 7;
    config.input.segment = 2;
    config.input.filters = 3;
    check_input_gradient(config, 0, masked);
    check_input_gradient(config, 1, masked);
    config.input.branches = 2;  // the way back ends at the stem only where nobody asks for this gradient
    config.input.blocks = config.input.differences = 1;
    check_input_gradient(config, 1, masked);
  }
  const Classifier<double> model(tiny("none"));
  engine::Tape<double> tape;
  EXPECT_THROW(model.input_gradient_into(tape, {}, 3, {}), std::runtime_error);
}

// softmax_k (q_i · k_k / sqrt(d_h)) of head `head`, from the embedded steps themselves.
std::vector<double> naive_weights(const Classifier<double>& model, const std::string& branch, const double* const* rows,
                                  std::size_t count, std::size_t group, std::size_t head, std::size_t query) {
  const ModelConfig& config = model.config();
  const std::size_t d = config.body.width, width = config.key_width(), inner = config.body.heads * width;
  const engine::ParameterEntry& weight = *model.parameters().find(branch + ".qkv.weight");
  const engine::ParameterEntry& bias = *model.parameters().find(branch + ".qkv.bias");
  const bool own = weight.shape.rank() == 3;
  const double* w = model.parameters().values().data() + weight.offset + (own ? group * 3 * inner * d : 0);
  const double* b = model.parameters().values().data() + bias.offset + (own ? group * 3 * inner : 0);
  const auto projected = [&](const double* row, std::size_t column) {
    double sum = b[column];
    for (std::size_t i = 0; i < d; ++i) sum += w[column * d + i] * row[i];
    return sum;
  };
  std::vector<double> weights(count);
  double total = 0;
  for (std::size_t k = 0; k < count; ++k) {
    double score = 0;
    for (std::size_t i = head * width; i < (head + 1) * width; ++i) {
      score += projected(rows[query], i) * projected(rows[k], inner + i);
    }
    total += weights[k] = std::exp(score / std::sqrt(static_cast<double>(width)));
  }
  for (double& each : weights) each /= total;
  return weights;
}

void check_maps(const ModelConfig& config) {
  Classifier<double> model(config);
  testing::shake(model);
  for (const char* name : {"sensors.0.norm.variance", "sensors.1.norm.variance"}) {
    const engine::ParameterEntry& entry = *model.parameters().find(name);
    std::fill_n(model.parameters().mutable_values().data() + entry.offset, entry.shape.count(), 1.3);
  }
  const OwnedSamples<double> samples(config, 2);
  const std::size_t batch = 2, channels = config.input.channels, steps = config.steps(), heads = config.body.heads;
  std::vector<double> temporal(batch * channels * heads * steps * steps),
      spatial(batch * steps * heads * channels * channels);
  engine::Tape<double> tape;
  tape.begin(model.parameters(), {});
  model.logits(tape, samples.view(), {.temporal = temporal, .spatial = spatial});
  tape.begin(model.parameters(), {});
  const engine::Tensor<double> h = model.embedded_steps(tape, samples.view());  // [B, C, S, d]
  const auto compare = [&](const std::string& branch, const std::vector<double>& maps, std::size_t groups,
                           std::size_t count, auto row_of) {
    std::size_t at = 0;
    for (std::size_t b = 0; b < batch; ++b) {
      for (std::size_t g = 0; g < groups; ++g) {
        std::vector<const double*> rows(count);
        for (std::size_t i = 0; i < count; ++i) rows[i] = h.row(row_of(b, g, i));
        for (std::size_t head = 0; head < heads; ++head) {
          for (std::size_t i = 0; i < count; ++i, at += count) {
            const std::vector<double> naive = naive_weights(model, branch, rows.data(), count, g, head, i);
            double sum = 0;
            for (std::size_t k = 0; k < count; ++k) {
              EXPECT_NEAR(maps[at + k], naive[k], 1e-12) << branch;
              sum += maps[at + k];
            }
            EXPECT_NEAR(sum, 1, 1e-12);
          }
        }
      }
    }
  };
  compare("temporal", temporal, channels, steps,
          [&](std::size_t b, std::size_t c, std::size_t s) { return (b * channels + c) * steps + s; });
  compare("spatial", spatial, steps, channels,
          [&](std::size_t b, std::size_t s, std::size_t c) { return (b * channels + c) * steps + s; });
}

TEST(Dfstrans, MapsAreTheWeightsOfAttention) {
  check_maps(tiny_dfstrans("none"));
  check_maps(as_published(tiny_dfstrans("none")));
}

// A few steps of training with dropout.
std::vector<float> trained(const ModelConfig& config, std::size_t threads) {
  ThreadPool pool(threads);
  Classifier<float> model(config);
  model.initialize(4);
  engine::Shards<float> shards(model.parameters(), pool, {.shards = 4, .seed = 9});
  const OwnedSamples<float> samples(config, 7);
  const std::vector<std::int32_t> labels{0, 1, 2, 0, 1, 2, 0};
  for (int step = 0; step < 3; ++step) {
    shards.accumulate(7, [&](engine::Tape<float>& tape, std::size_t begin, std::size_t end) {
      return model.loss(tape, samples.view().part(begin, end), std::span(labels).subspan(begin, end - begin), {});
    });
    shards.update({.rate = 1e-2});
  }
  const std::span<const float> values = std::as_const(model).parameters().values();
  return {values.begin(), values.end()};
}

TEST(Dfstrans, SameBitsForAnyNumberOfThreads) {
  for (ModelConfig config : {tiny_dfstrans("dft"), as_published(tiny_dfstrans("erpe"))}) {
    config.body.dropout = 0.2;
    const std::vector<float> one = trained(config, 1);
    EXPECT_TRUE(std::ranges::all_of(one, [](float v) { return std::isfinite(v); }));
    EXPECT_EQ(trained(config, 2), one);
    EXPECT_EQ(trained(config, 3), one);
  }
}

TEST(Dfstrans, PaddingIsNotLookedAt) {
  ModelConfig config = tiny_dfstrans("dft");
  config.input.differences = 2;
  Classifier<double> model(config);
  model.initialize(2);
  OwnedSamples<double> samples(config, 3);
  samples.valid = testing::holes(config);
  std::fill_n(samples.valid.begin(), 2 * config.input.segment, std::uint8_t{0});  // two whole steps
  const std::vector<double> before = testing::logits_of(model, samples.view());
  for (std::size_t i = 0; i < samples.values.size(); ++i) {
    if (samples.valid[i / config.input.channels] == 0) samples.values[i] = 99;
  }
  EXPECT_EQ(testing::logits_of(model, samples.view()), before);
}

// The authors' module multiplies its table by sqrt(2/d) in every pass: after n steps (2/d)^(n/2) is left of it.
TEST(Dfstrans, ADecayingTableShrinksWithEveryTrainingStep) {
  for (ModelConfig config : {tiny_dfstrans("dft"), tiny("dft")}) {
    config.position.scale = "decaying";
    ThreadPool pool(1);
    Classifier<float> model(config);
    model.initialize(4);
    const engine::ParameterEntry& entry = *model.parameters().find("encoding.decay");
    engine::Shards<float> shards(model.parameters(), pool, {.shards = 2});
    const OwnedSamples<float> samples(config, 3);
    const std::vector<std::int32_t> labels{0, 1, 2};
    for (int step = 1; step <= 3; ++step) {
      shards.accumulate(3, [&](engine::Tape<float>& tape, std::size_t begin, std::size_t end) {
        return model.loss(tape, samples.view().part(begin, end), std::span(labels).subspan(begin, end - begin), {});
      });
      shards.update({.rate = 0});
      EXPECT_NEAR(std::as_const(model).parameters().values()[entry.offset], std::pow(2.0 / 8, 0.5 * step), 1e-7);
    }
    // What is left of the codes is what the logits of a smaller table are.
    ModelConfig smaller = config;
    smaller.position.scale = "0.125";
    Classifier<float> fixed(smaller);
    for (const engine::ParameterEntry& own : fixed.parameters().entries()) {
      const engine::ParameterEntry& from = *model.parameters().find(own.name);
      std::copy_n(std::as_const(model).parameters().values().data() + from.offset, own.shape.count(),
                  fixed.parameters().mutable_values().data() + own.offset);
    }
    const std::vector<float> ours = testing::logits_of(model, samples.view());
    const std::vector<float> theirs = testing::logits_of(fixed, samples.view());
    for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(ours[i], theirs[i], 1e-5);
  }
}

}  // namespace
}  // namespace faithful
