// What must hold of a model whatever its weights.

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "tests/model/tiny.h"

namespace faithful {
namespace {

using testing::logits_of;
using testing::OwnedSamples;
using testing::tiny;

template <class T>
Classifier<T> shaken(const ModelConfig& config) {
  Classifier<T> model(config);
  testing::shake(model);
  return model;
}

template <class T>
double largest_difference(const std::vector<T>& a, const std::vector<T>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, static_cast<double>(std::fabs(a[i] - b[i])));
  }
  return largest;
}

// Sample order `order` of one window; order[s] is where step s comes from.
std::vector<double> logits_reordered(const Classifier<double>& model, OwnedSamples<double> samples,
                                     const std::vector<std::size_t>& order) {
  const std::size_t channels = model.config().input.channels;
  const std::vector<double> before = samples.values;
  for (std::size_t s = 0; s < order.size(); ++s) {
    for (std::size_t c = 0; c < channels; ++c) samples.values[s * channels + c] = before[order[s] * channels + c];
  }
  return logits_of(model, samples.view());
}

// Every form whose padding could leak: per step, segments, convolution, times.
std::vector<ModelConfig> forms_of(const std::string& encoding) {
  std::vector<ModelConfig> forms;
  for (const Pooling pooling : testing::kPoolings) {
    ModelConfig config = tiny(encoding, pooling);
    config.input.length = 7;
    forms.push_back(config);
    config.input.filters = 2;
    config.input.kernel = 3;
    forms.push_back(config);
    config.input.segment = 2;
    forms.push_back(config);
    if (!testing::takes_times(encoding)) continue;
    config.position.source = PositionSource::kTime;
    config.position.time_step = 1;
    forms.push_back(config);
  }
  if (encoding == "mtan") {
    forms.push_back(tiny("mtan"));
    forms.back().input.length = 7;
    forms.back().position.own.set("mtan", "attention");
  }
  return forms;
}

TEST(Model, PaddedNumbersAndTimesChangeNoBit) {
  for (const std::string& encoding : testing::encoding_names()) {
    for (const ModelConfig& config : forms_of(encoding)) {
      SCOPED_TRACE(to_text(config));
      const Classifier<float> model = shaken<float>(config);
      OwnedSamples<float> samples(config, 2);
      samples.valid.assign(2 * config.input.length, 1);
      for (const std::size_t s : {4, 5, 6, 7}) samples.valid[s] = 0;  // the end of the first, the start of the second
      const std::vector<float> before = logits_of(model, samples.view());
      for (std::size_t i = 0; i < samples.valid.size(); ++i) {
        if (samples.valid[i] != 0) continue;
        for (std::size_t c = 0; c < config.input.channels; ++c) samples.values[i * config.input.channels + c] = 1e6F;
        if (!samples.times.empty()) samples.times[i] = 5e5F;
      }
      EXPECT_EQ(logits_of(model, samples.view()), before);
    }
  }
}

// A window without anything in it is no error: its logits are finite.
TEST(Model, AnEmptyWindowHasFiniteLogits) {
  for (const std::string& encoding : testing::encoding_names()) {
    for (const ModelConfig& config : forms_of(encoding)) {
      SCOPED_TRACE(to_text(config));
      OwnedSamples<float> samples(config, 1);
      samples.valid.assign(config.input.length, 0);
      for (const float z : logits_of(shaken<float>(config), samples.view())) EXPECT_TRUE(std::isfinite(z));
    }
  }
}

// Encodings whose codes do not depend on S: a model for longer windows, filled up with padding, answers the same.
TEST(Model, LongerWindowsFilledUpAnswerTheSame) {
  for (const std::string encoding :
       {"none", "sinusoidal", "dft", "rope", "shaw", "t5", "alibi", "kerple", "onehot", "learned-frequency", "cpe"}) {
    for (const Pooling pooling : testing::kPoolings) {
      SCOPED_TRACE(to_text(tiny(encoding, pooling)));
      ModelConfig longer = tiny(encoding, pooling);
      longer.input.length = 8;
      const Classifier<double> a = shaken<double>(tiny(encoding, pooling)), b = shaken<double>(longer);
      const OwnedSamples<double> samples(a.config(), 1);
      OwnedSamples<double> filled(longer, 1);
      std::copy(samples.values.begin(), samples.values.end(), filled.values.begin());
      filled.valid = {1, 1, 1, 1, 1, 0, 0, 0};
      EXPECT_LT(largest_difference(logits_of(a, samples.view()), logits_of(b, filled.view())), 1e-12);
    }
  }
}

TEST(Model, AlibiAndKerpleDoNotTellAWindowFromItsMirrorImage) {
  const std::vector<std::size_t> mirrored = {4, 3, 2, 1, 0};
  for (const std::string& encoding : testing::encoding_names()) {
    SCOPED_TRACE(encoding);
    const Classifier<double> model = shaken<double>(tiny(encoding));
    const OwnedSamples<double> samples(model.config(), 1);
    const double difference =
        largest_difference(logits_of(model, samples.view()), logits_reordered(model, samples, mirrored));
    if (encoding == "alibi" || encoding == "kerple" || encoding == "none") {
      EXPECT_LT(difference, 1e-12);
    } else {
      EXPECT_GT(difference, 1e-6);
    }
  }
}

TEST(Model, AlibiWithOneSidedHeadsTellsAWindowFromItsMirrorImage) {
  ModelConfig config = tiny("alibi");
  config.position.own.set("alibi_heads", "one-sided");
  const Classifier<double> model = shaken<double>(config);
  const OwnedSamples<double> samples(config, 1);
  const std::vector<double> mirrored = logits_reordered(model, samples, {4, 3, 2, 1, 0});
  EXPECT_GT(largest_difference(logits_of(model, samples.view()), mirrored), 1e-6);
}

TEST(Model, NoneDoesNotTellPermutationsApartAndAllOthersDo) {
  const std::vector<std::size_t> order = {2, 0, 3, 1, 4};
  for (const std::string& encoding : testing::encoding_names()) {
    for (const Pooling pooling : testing::kPoolings) {
      SCOPED_TRACE(to_text(tiny(encoding, pooling)));
      const Classifier<double> model = shaken<double>(tiny(encoding, pooling));
      const OwnedSamples<double> samples(model.config(), 1);
      const double difference =
          largest_difference(logits_of(model, samples.view()), logits_reordered(model, samples, order));
      if (encoding == "none") {
        EXPECT_LT(difference, 1e-12);
      } else {
        EXPECT_GT(difference, 1e-6);
      }
    }
  }
}

// Times 0, 1, 2, .. are what index positions are. Relative encodings and time features see differences and ranges alone.
TEST(Model, EvenTimesAreIndexPositions) {
  for (const std::string& encoding : testing::encoding_names()) {
    if (!testing::takes_times(encoding)) continue;
    for (const char* scale : {"as-defined", "unit"}) {
      for (const Pooling pooling : {Pooling::kMean, Pooling::kToken}) {
        SCOPED_TRACE(scale + to_text(tiny(encoding, pooling)));
        ModelConfig config = tiny(encoding, pooling);
        if (catalog_entry(encoding).kind == EncodingKind::kAdditive) config.position.scale = scale;
        const Classifier<double> by_index = shaken<double>(config);
        config.position.source = PositionSource::kTime;
        config.position.time_step = 1;
        const Classifier<double> by_time = shaken<double>(config);
        OwnedSamples<double> samples(config, 2);
        for (std::size_t i = 0; i < samples.times.size(); ++i) samples.times[i] = static_cast<double>(i % 5);
        Samples<double> without = samples.view();
        without.times = {};
        const std::vector<double> expected = logits_of(by_index, without);
        EXPECT_LT(largest_difference(logits_of(by_time, samples.view()), expected), 1e-12);
        const EncodingKind kind = catalog_entry(encoding).kind;
        if (kind == EncodingKind::kAdditive || encoding == "fope") continue;  // the others see differences alone
        for (double& time : samples.times) time += 1000;
        EXPECT_LT(largest_difference(logits_of(by_time, samples.view()), expected), 1e-9);
      }
    }
  }
}

TEST(Model, SameNameAndShapeStartEqualInAllModels) {
  std::map<std::string, std::vector<float>> first;
  std::size_t shared = 0;
  for (const std::string& encoding : testing::encoding_names()) {
    for (const Pooling pooling : {Pooling::kMean, Pooling::kToken}) {
      Classifier<float> model(tiny(encoding, pooling));
      model.initialize(9);
      for (const engine::ParameterEntry& entry : model.parameters().entries()) {
        if (entry.name == "encoding.frequencies" || entry.name == "encoding.phases") continue;  // the catalog's own
        std::string key = entry.name;
        for (std::size_t i = 0; i < entry.shape.rank(); ++i) key += ' ' + std::to_string(entry.shape[i]);
        const auto values = model.parameters().values().subspan(entry.offset, entry.shape.count());
        const auto [found, fresh] = first.emplace(key, std::vector<float>(values.begin(), values.end()));
        EXPECT_TRUE(std::equal(values.begin(), values.end(), found->second.begin())) << key << ' ' << encoding;
        shared += fresh ? 0 : 1;
      }
    }
  }
  EXPECT_GT(shared, 500U);
}

TEST(Model, StartsFromItsSeedAlone) {
  for (const std::string& encoding : testing::encoding_names()) {
    Classifier<float> a(tiny(encoding)), b(tiny(encoding));
    a.initialize(4);
    b.initialize(5);
    const std::vector<float> other(b.parameters().values().begin(), b.parameters().values().end());
    b.initialize(4);
    EXPECT_TRUE(std::ranges::equal(a.parameters().values(), b.parameters().values())) << encoding;
    EXPECT_FALSE(std::ranges::equal(a.parameters().values(), other)) << encoding;
  }
}

TEST(Model, LearnedPartsStartAsTheCatalogSays) {
  for (const std::string encoding :
       {"learned", "learned-frequency", "mtan", "time2vec", "fourier-features", "cpe", "dywpe"}) {
    Classifier<double> model(tiny(encoding));
    model.initialize(6);
    EncodingOptions options = encoding_options(model.config());
    options.seed = 6;
    std::vector<double> ours;
    for (const engine::ParameterEntry& entry : model.parameters().entries()) {
      if (!entry.name.starts_with("encoding.")) continue;
      const auto values = model.parameters().values().subspan(entry.offset, entry.shape.count());
      ours.insert(ours.end(), values.begin(), values.end());
    }
    EXPECT_EQ(ours, start_parameters(encoding, options)) << encoding;
  }
}

TEST(Model, AMaskOfOnesChangesNothing) {
  for (const std::string& encoding : testing::encoding_names()) {
    for (const ModelConfig& config : forms_of(encoding)) {
      SCOPED_TRACE(to_text(config));
      const Classifier<float> model = shaken<float>(config);
      OwnedSamples<float> samples(config, 3);
      samples.valid.clear();
      const std::vector<float> without = logits_of(model, samples.view());
      samples.valid.assign(3 * config.input.length, 1);
      EXPECT_EQ(logits_of(model, samples.view()), without);
    }
  }
}

TEST(Model, ASampleAnswersTheSameAloneAndInABatch) {
  for (const std::string& encoding : testing::encoding_names()) {
    for (const ModelConfig& config : forms_of(encoding)) {
      SCOPED_TRACE(to_text(config));
      const Classifier<float> model = shaken<float>(config);
      OwnedSamples<float> samples(config, 5);
      samples.valid.assign(5 * config.input.length, 1);
      samples.valid[2 * config.input.length - 1] = 0;
      std::vector<float> alone;
      for (std::size_t b = 0; b < 5; ++b) {
        const std::vector<float> one = logits_of(model, samples.view().part(b, b + 1));
        alone.insert(alone.end(), one.begin(), one.end());
      }
      EXPECT_EQ(logits_of(model, samples.view()), alone);
    }
  }
}

TEST(Model, RowsOfAttentionSumToOne) {
  for (const std::string& encoding : testing::encoding_names()) {
    for (const Pooling pooling : {Pooling::kMean, Pooling::kToken}) {
      SCOPED_TRACE(to_text(tiny(encoding, pooling)));
      const Classifier<double> model = shaken<double>(tiny(encoding, pooling));
      OwnedSamples<double> samples(model.config(), 2);
      samples.valid = {1, 1, 1, 1, 1, 1, 1, 1, 0, 0};
      const std::size_t first = pooling == Pooling::kToken ? 1 : 0, rows = 5 + first;
      std::vector<double> maps(2 * 2 * 2 * rows * rows, -1);  // [L, B, H, S, S]
      engine::Tape<double> tape;
      tape.begin(model.parameters(), {});
      model.logits(tape, samples.view(), {maps});
      for (std::size_t row = 0; row < maps.size() / rows; ++row) {
        const double* weights = &maps[row * rows];
        const bool short_one = row / rows / 2 % 2 == 1;
        EXPECT_EQ(weights[rows - 1] == 0, short_one);
        const double sum = std::accumulate(weights, weights + rows, 0.0);
        EXPECT_NEAR(encoding.ends_with("erpe") ? 1 : sum, 1, 1e-12);
      }
    }
  }
}

TEST(Model, ProbabilitiesSumToOne) {
  std::vector<double> two(6), three(6);
  probabilities_into<double>(std::vector<double>{0, 1000, -1000}, 2, two);
  EXPECT_EQ(two, (std::vector<double>{0.5, 0.5, 0, 1, 1, 0}));
  probabilities_into<double>(std::vector<double>{0, 0, 0, 1000, -1000, 1000}, 3, three);
  for (const std::size_t i : {0, 1, 2}) EXPECT_NEAR(three[i], 1.0 / 3, 1e-15);
  EXPECT_EQ(three[3], 0.5);
  EXPECT_EQ(three[4], 0);
}

}  // namespace
}  // namespace faithful
