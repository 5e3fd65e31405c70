#include <cstring>

#include <gtest/gtest.h>

#include "faithful/encoding/catalog.h"
#include "faithful/metrics/decide.h"
#include "faithful/model/infer.h"
#include "faithful/predict/predict.h"
#include "faithful/predict/stream.h"
#include "faithful/trained/match.h"
#include "tests/allocations.h"
#include "tests/support.h"
#include "tests/trained/small_models.h"

namespace faithful::testing {
namespace {

// The oracle: one window at a time through the model, with no help from the window room.
std::vector<float> oracle(const TrainedModel& model, const Series& series, std::size_t begin, std::size_t length) {
  const ModelConfig& config = config_of(model);
  const Scale& scale = model.scaler.common;  // whatever the name of the series
  std::vector<float> values(config.input.length * config.input.channels, 0.0F), times(config.input.length, 0.0F);
  std::vector<std::uint8_t> valid(config.input.length, 0);
  for (std::size_t t = 0; t < length; ++t) {
    valid[t] = 1;
    for (std::size_t c = 0; c < config.input.channels; ++c)
      values[t * config.input.channels + c] = (series.values(begin + t, c) - scale.shift[c]) * scale.factor[c];
    if (config.has_times())
      times[t] = static_cast<float>(static_cast<double>(series.times[begin + t] - series.times[begin]) /
                                    config.position.time_step);
  }
  engine::Tape<float> tape;
  tape.begin(parameters_of(model), {});
  const auto logits = model.transformer()->classifier().logits(tape, {1, values, valid, times});
  std::vector<float> probabilities(config.input.classes);
  probabilities_into<float>({logits.data, config.outputs()}, config.input.classes, probabilities);
  return probabilities;
}

void expect_oracle(const TrainedModel& model, const Dataset& data, const Predictions& found) {
  for (std::size_t i = 0; i < found.windows.size(); ++i) {
    const Window& window = found.windows[i];
    const auto expected = oracle(model, data.series[window.series], window.begin, window.length);
    for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(found.probabilities(i, k), expected[k], 1e-6);
    EXPECT_EQ(found.classes[i], decide(found.probabilities.row(i), model.threshold));
  }
}

TEST(Predictor, EveryWindowAsTheModelAloneSaysIt) {
  for (const std::size_t classes : {2U, 5U}) {
    const TrainedModel model = small_model(small_config("dft", classes));
    const Dataset data = random_dataset(model.channels, {50, 7, 23});
    ThreadPool pool(2);
    const Predictions found = predict(model, data, pool);
    // (50 - 7) / 3 + 1, one, (23 - 7) / 3 + 1
    ASSERT_EQ(found.windows.size(), 15U + 1U + 6U);
    EXPECT_EQ(found.windows[14].begin, 42U);
    EXPECT_EQ(found.windows[15].series, 1U);
    expect_oracle(model, data, found);
  }
}

TEST(Predictor, PositionsThatAreTimes) {
  ModelConfig config = small_config("sinusoidal");
  config.position.source = PositionSource::kTime;
  config.position.time_step = 1.1e9;
  const TrainedModel model = small_model(config);
  const Dataset data = random_dataset(model.channels, {30, 20});
  ThreadPool pool;
  expect_oracle(model, data, predict(model, data, pool));
}

TEST(Predictor, WholeSeriesArePadded) {
  TrainedModel model = small_model(small_config("rope", 3));
  model.window.length = 0;
  const Dataset data = random_dataset(model.channels, {7, 1, 4, 6});
  ThreadPool pool;
  const Predictions found = predict(model, data, pool);
  ASSERT_EQ(found.windows.size(), 4U);
  EXPECT_EQ(found.windows[1].length, 1U);
  expect_oracle(model, data, found);
}

TEST(Predictor, TheSameBitsForAnyThreads) {
  const TrainedModel model = small_model(small_config());
  const Dataset data = random_dataset(model.channels, {400, 55, 130});
  std::vector<float> first;
  for (const std::size_t threads : {1U, 2U, 3U}) {
    ThreadPool pool(threads);
    const Predictions found = predict(model, data, pool);
    if (first.empty()) first = found.probabilities.values;
    EXPECT_EQ(std::memcmp(found.probabilities.values.data(), first.data(), 4 * first.size()), 0) << threads;
  }
}

TEST(Predictor, PiecesAreTheWhole) {
  ThreadPool pool(2);
  const TrainedModel model = small_model(small_config());
  const Dataset data = random_dataset(model.channels, {20'000});
  const Predictions whole = predict(model, data, pool);
  std::size_t pieces = 0, at = 0;
  predict(model, data, pool, [&](const Predictions& piece) {
    ++pieces;
    for (std::size_t i = 0; i < piece.windows.size(); ++i, ++at) {
      ASSERT_EQ(piece.windows[i], whole.windows[at]);
      ASSERT_EQ(piece.probabilities(i, 1), whole.probabilities(at, 1));
    }
  });
  EXPECT_EQ(at, whole.windows.size());
  EXPECT_GT(pieces, 2U);
}

TEST(Predictor, WindowsOfTheCaller) {
  const TrainedModel model = small_model(small_config());
  Dataset data = random_dataset(model.channels, {7 * 40});
  std::vector<float> found(2 * 40);
  predict_windows_into(model, data.series[0].values.values, found);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(found[2 * i + 1], oracle(model, data.series[0], 7 * i, 7)[1], 1e-6);
}

TEST(Predictor, ANameIsNoMatch) {
  TrainedModel model = small_model(small_config());
  Dataset data = random_dataset(model.channels, {50, 50});
  data.series[1] = data.series[0];
  data.series[0].name = "pump 1";  // as in training
  data.series[1].name = "monday";
  ThreadPool pool;
  const Predictions found = predict(model, data, pool);
  const std::size_t half = found.windows.size() / 2;
  for (std::size_t i = 0; i < half; ++i) EXPECT_EQ(found.probabilities(i, 1), found.probabilities(half + i, 1));
  EXPECT_EQ(spelled(scaling_note(model)),
            "the model was trained with separate statistics for each series; new data is scaled by those of all of "
            "them. scale_as = SERIES takes one: \"pump 1\", \"pump 2\"");
  scale_as(model, "pump 1");
  EXPECT_NE(predict(model, data, pool).probabilities, found.probabilities);
  EXPECT_EQ(scaling_note(model), "") << "it was asked for";
}

TrainedModel scaled_by_window(TrainedModel model) {
  model.scaler.by_series.clear();
  model.scaler.scaling = Scaling::kWindow;
  return model;
}

void expect_stream_equals_batch(TrainedModel model, std::size_t samples) {
  const ModelConfig config = config_of(model);
  model.window.stride = 1;
  const Dataset data = random_dataset(model.channels, {samples});
  ThreadPool pool;
  const Predictions found = predict(model, data, pool);
  StreamPredictor stream(model);
  for (std::size_t t = 0; t < samples; ++t) {
    const auto probabilities = stream.push(data.series[0].values.row(t), data.series[0].times[t]);
    ASSERT_EQ(probabilities.empty(), t + 1 < config.input.length);
    if (probabilities.empty()) continue;
    EXPECT_EQ(probabilities[1], found.probabilities(t + 1 - config.input.length, 1)) << to_text(config) << t;
  }
}

TEST(StreamPredictor, EqualsTheBatchForEveryEncoding) {
  for (const CatalogEntry& entry : encoding_catalog()) {
    for (const Pooling pooling : {Pooling::kMean, Pooling::kAttention, Pooling::kToken}) {
      ModelConfig config = small_config(entry.name);
      config.head.pooling = pooling;
      expect_stream_equals_batch(small_model(config), 40);
    }
  }
}

TEST(StreamPredictor, EqualsTheBatchWithConvolutionSegmentsDifferencesAndTimes) {
  ModelConfig convolution = small_config("dft"), segments = small_config("dft"), times = small_config("sinusoidal"),
              differences = small_config("dft");
  differences.input.differences = 2;
  convolution.input.filters = 5;
  convolution.input.kernel = 3;
  segments.input.segment = 2;
  times.position.source = PositionSource::kTime;
  times.position.time_step = 1e9;
  for (const ModelConfig& config : {convolution, segments, times, differences, testing::small_dfstrans()})
    expect_stream_equals_batch(small_model(config), 30);
}

TEST(StreamPredictor, EqualsTheBatchWithTimesOfRelativeEncodings) {
  for (const CatalogEntry& entry : encoding_catalog()) {
    if (!entry.real_positions || entry.kind == EncodingKind::kAdditive) continue;  // those may have a period
    SCOPED_TRACE(entry.name);
    ModelConfig config = small_config(entry.name);
    config.position.source = PositionSource::kTime;
    config.position.time_step = 1e9;
    expect_stream_equals_batch(small_model(config), 30);
  }
}

TEST(StreamPredictor, EqualsTheBatchWhereEachWindowIsScaledByItself) {
  const TrainedModel model = scaled_by_window(small_model(small_config()));
  expect_stream_equals_batch(model, 40);
  const Dataset data = random_dataset(model.channels, {7 * 40});
  TrainedModel apart = model;
  apart.window.stride = 7;
  ThreadPool pool;
  const Predictions batch = predict(apart, data, pool);
  std::vector<float> found(2 * 40);
  predict_windows_into(model, data.series[0].values.values, found);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(found[2 * i + 1], batch.probabilities(i, 1));
}

TEST(StreamPredictor, AllocatesNothingAndForgets) {
  const Dataset data = random_dataset(small_model(small_config()).channels, {60});
  StreamPredictor stream(small_model(small_config()));
  float first = 0;
  const std::size_t before = allocation_count();
  for (std::size_t t = 0; t < 40; ++t) {
    const auto probabilities = stream.push(data.series[0].values.row(t));
    if (t == 6) first = probabilities[1];
  }
  EXPECT_EQ(allocation_count(), before);
  stream.reset();
  for (std::size_t t = 0; t < 6; ++t) EXPECT_TRUE(stream.push(data.series[0].values.row(t)).empty());
  EXPECT_EQ(stream.push(data.series[0].values.row(6))[1], first);
}

TEST(ScaleAs, UnknownSeries) {
  TrainedModel model = small_model(small_config());
  EXPECT_EQ(rejection([&] { scale_as(model, "pump 3"); }),
            "scale_as: expected a training series with statistics of its own, found \"pump 3\" (did you mean "
            "pump 1 or pump 2?)");
  const Scale own = model.scaler.by_series["pump 2"];
  scale_as(model, "pump 2");
  EXPECT_EQ(Scaler(model.scaler).of("pump 1"), own);
}

TEST(MatchChannels, ByNameInAnyOrder) {
  const ChannelMatch match = match_channels({"a", "b"}, {"x", "b", "a"}, "data");
  EXPECT_EQ(match.columns, (std::vector<std::size_t>{2, 1}));
  EXPECT_EQ(match.notes, std::vector<std::string>{"columns that the model does not know are ignored: \"x\""});
}

TEST(MatchChannels, ByPositionWithoutNames) {
  const ChannelMatch match = match_channels({"a", "b"}, numbered_channels(2), "data");
  EXPECT_EQ(match.columns, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(match.notes.size(), 1U);
  EXPECT_EQ(match_channels(numbered_channels(2), {"a", "b"}, "data").columns, match.columns);
  EXPECT_TRUE(match_channels(numbered_channels(2), numbered_channels(2), "data").notes.empty());
  EXPECT_EQ(match_channels(numbered_channels(2), {"channel_2", "channel_1"}, "data").columns,
            (std::vector<std::size_t>{1, 0}));
}

TEST(MatchChannels, SaysWhatIsMissing) {
  EXPECT_EQ(
      rejection([] {
        match_channels({"a", "b", "c"}, {"b", "d"}, "x.csv");
      }),
      "x.csv: expected channels \"a\", \"c\", found only \"b\", \"d\" (columns are matched by name, in any order)");
  EXPECT_EQ(rejection([] { match_channels(numbered_channels(2), numbered_channels(3), "x.csv"); }),
            "x.csv: expected 2 channels, found 3 (without names, channels are matched by position)");
  EXPECT_EQ(rejection([] {
              match_channels({"a"}, {"a", "a"}, "x.csv");
            }),
            "x.csv: expected each channel once, found \"a\" twice");
}

TEST(FitToModel, RearrangesColumnsAndClasses) {
  const TrainedModel model = small_model(small_config("dft", 3));
  Dataset data = random_dataset({"flow", "noise", "temperature", "pressure"}, {9, 8});
  const Dataset before = data;
  for (Series& series : data.series) series.labels.clear();
  data.classes = {"class 2", "normal"};
  data.series[0].label = 0;
  data.series[1].spans = {{{2, 5}, {0, 1, 3}, "leak"}};
  fit_to_model(data, model);
  EXPECT_EQ(data.series[1].spans, (std::vector<LabelSpan>{{{2, 5}, {0, 1}, "leak"}}));  // pressure and flow; not noise
  EXPECT_EQ(data.channels, model.channels);
  EXPECT_EQ(data.classes, model.classes);
  EXPECT_EQ(data.series[0].label, 2);
  EXPECT_EQ(data.series[1].label, kNoLabel);
  for (std::size_t t = 0; t < 8; ++t) {
    EXPECT_EQ(data.series[1].values(t, 0), before.series[1].values(t, 3));
    EXPECT_EQ(data.series[1].values(t, 1), before.series[1].values(t, 0));
    EXPECT_EQ(data.series[1].values(t, 2), before.series[1].values(t, 2));
  }
  data.classes = {"odd"};
  EXPECT_EQ(rejection([&] { fit_to_model(data, model); }),
            "pumps.csv: expected classes that the model knows: \"normal\", \"anomalous\", \"class 2\", found \"odd\"");
}

TEST(FitToModel, Lengths) {
  TrainedModel model = small_model(small_config());
  Dataset data = random_dataset(model.channels, {10, 6});
  EXPECT_EQ(rejection([&] { fit_to_model(data, model); }),
            "pumps.csv: series \"pump 2\": expected at least the 7 samples of the model's windows, found 6 samples");
  model.shortest_window = 6;
  fit_to_model(data, model);
  model.window.length = 0;
  EXPECT_EQ(rejection([&] { fit_to_model(data, model); }),
            "pumps.csv: series \"pump 1\": expected at most the 7 samples that the model takes, found 10 samples");
}

}  // namespace
}  // namespace faithful::testing
