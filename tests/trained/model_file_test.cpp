#include "faithful/trained/model_file.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

#include "faithful/encoding/catalog.h"
#include "faithful/io/file.h"
#include "faithful/io/safetensors.h"
#include "faithful/model/infer.h"
#include "tests/allocations.h"
#include "tests/support.h"
#include "tests/trained/bit_flips.h"
#include "tests/trained/forged.h"
#include "tests/trained/small_models.h"

namespace faithful::testing {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ModelFile, KeepsEverything) {
  const TrainedModel model = small_model(small_config("dft", 4));
  TemporaryFolder folder;
  save_model(folder / "m.safetensors", model);
  EXPECT_TRUE(is_model_file(folder / "m.safetensors"));
  const TrainedModel loaded = load_model(folder / "m.safetensors");
  EXPECT_EQ(config_of(loaded), config_of(model));
  EXPECT_EQ(loaded.channels, model.channels);
  EXPECT_EQ(loaded.classes, model.classes);
  EXPECT_EQ(loaded.window.length, model.window.length);
  EXPECT_EQ(loaded.window.stride, model.window.stride);
  EXPECT_EQ(loaded.window.label_rule, model.window.label_rule);
  EXPECT_EQ(loaded.shortest_window, model.shortest_window);
  EXPECT_EQ(loaded.scaler, model.scaler);
  EXPECT_EQ(loaded.threshold, model.threshold);
  EXPECT_EQ(loaded.threshold_from, model.threshold_from);
  EXPECT_EQ(loaded.record, model.record);
  const auto before = parameters_of(model).values(), after = parameters_of(loaded).values();
  ASSERT_EQ(before.size(), after.size());
  for (const engine::ParameterEntry& entry : parameters_of(model).entries())
    EXPECT_EQ(std::memcmp(before.data() + entry.offset, after.data() + entry.offset, 4 * entry.shape.count()), 0);
}

TEST(ModelFile, EveryEncodingComesBackToTheSameBytes) {
  for (const CatalogEntry& entry : encoding_catalog()) {
    ModelConfig config = small_config(entry.name);
    for (const Pooling pooling : {Pooling::kMean, Pooling::kToken}) {
      config.head.pooling = pooling;
      const std::string bytes = model_bytes(small_model(config));
      EXPECT_EQ(model_bytes(parse_model(bytes, "model")), bytes) << entry.name << " " << config.has_token();
    }
  }
}

// A model of whole series that keeps held-out scores.
TrainedModel model_with_sets() {
  TrainedModel model = small_model(small_config());
  model.window.length = 0;
  model.conformal = {.scores = {0, 0.25F, 0.1F + 0.2F, 1}, .count = 4};
  return model;
}

TEST(ModelFile, KeepsHeldOutScores) {
  const TrainedModel model = model_with_sets();
  const std::string bytes = model_bytes(model);
  const TrainedModel again = parse_model(bytes, "model");
  ASSERT_TRUE(again.conformal);
  EXPECT_EQ(again.conformal->scores, model.conformal->scores);
  EXPECT_EQ(again.conformal->count, 4U);
  EXPECT_EQ(again.conformal->method, "LAC");
  EXPECT_EQ(model_bytes(again), bytes);
  EXPECT_EQ(describe_model(small_model(small_config())).find("conformal"), nullptr);
  EXPECT_FALSE(parse_model(model_bytes(small_model(small_config())), "model").conformal) << "as in old files";
}

TEST(ModelFile, ForgedHeldOutScoresAreRejected) {
  const TrainedModel model = model_with_sets();
  const auto complaint = [&](const std::string& from, const std::string& to) {
    const std::string bytes = forged(model, [&](SafetensorsMetadata& metadata, std::vector<SafetensorsEntry>&) {
      metadata["conformal"] = replaced(metadata["conformal"], from, to);
    });
    return rejection([&] { parse_model(bytes, "m"); });
  };
  EXPECT_EQ(complaint("0.25", "1.25"), "m: conformal.scores: expected numbers from 0 to 1, found 1.25");
  EXPECT_EQ(complaint("0.25", "-0.25"), "m: conformal.scores: expected numbers from 0 to 1, found -0.25");
  EXPECT_EQ(complaint("0.25", "0.5"), "m: conformal.scores: expected rising numbers, found one that falls");
  EXPECT_EQ(complaint("0.25", "1e999").substr(0, 12), "m: conformal");
  EXPECT_EQ(complaint("\"count\":4", "\"count\":5"), "m: conformal.scores: expected 5 numbers, found 4");
  EXPECT_EQ(complaint("\"count\":4", "\"count\":0"), "m: conformal.count: expected at least 1, found 0");
  EXPECT_EQ(complaint("\"count\":4", "\"count\":9e18").substr(0, 18), "m: conformal.count");
  EXPECT_EQ(complaint("LAC", "APS"),
            "m: conformal.method: expected a method that this version knows (LAC), found \"APS\"");
  EXPECT_EQ(complaint("\"scores\":[", "\"scores\":[null,").substr(0, 19), "m: conformal.scores");
  TrainedModel windows = model;
  windows.window.length = windows.shape().length;
  EXPECT_EQ(rejection([&] { model_bytes(windows); }),
            "model: conformal: expected scores only in a model of whole series, found a model of windows");
}

// Running statistics and the factor of a decaying table are numbers of the file, and no weights.
TEST(ModelFile, DfstransComesBackToTheSameBytes) {
  const TrainedModel model = small_model(testing::small_dfstrans());
  const std::string bytes = model_bytes(model);
  const TrainedModel again = parse_model(bytes, "model");
  EXPECT_EQ(config_of(again), config_of(model));
  EXPECT_EQ(model_bytes(again), bytes);
  EXPECT_EQ(stored_count(config_of(model)), parameter_count(config_of(model)) + 2 * 2 * 3 * 4 + 1);
}

TEST(ModelFile, DifferencesComeBackToTheSameBytes) {
  for (ModelConfig config : {small_config(), testing::small_dfstrans()}) {
    config.input.differences = 2;
    const TrainedModel model = small_model(config);
    const TrainedModel again = parse_model(model_bytes(model), "model");
    EXPECT_EQ(config_of(again), config);
    EXPECT_EQ(model_bytes(again), model_bytes(model));
  }
}

// A file of an encoder has no field that came later: it is what it was before there were any.
TEST(ModelFile, AnEncoderIsWrittenWithoutTheFieldsThatCameLater) {
  const std::string bytes = model_bytes(small_model(small_config()));
  EXPECT_EQ(bytes.find("sensor_weights"), std::string::npos);
  EXPECT_EQ(bytes.find("differences"), std::string::npos);
}

TEST(ModelFile, KeepsOddNamesAndNumbers) {
  TrainedModel model = small_model(small_config());
  model.channels = {"",
                    "Dru\xCC\x88"
                    "ck \"1\"",
                    "a,b\nc"};
  model.scaler.common.shift = {std::numeric_limits<float>::denorm_min(), -0.0F, 3.4e38F};
  model.threshold = 0.1 + 0.2;
  const TrainedModel loaded = parse_model(model_bytes(model), "model");
  EXPECT_EQ(loaded.channels, model.channels);
  EXPECT_EQ(loaded.scaler, model.scaler);
  EXPECT_TRUE(std::signbit(loaded.scaler.common.shift[1]));
  EXPECT_EQ(loaded.threshold, model.threshold);
}

TEST(ModelFile, KeepsTheScaling) {
  TrainedModel model = small_model(small_config());
  EXPECT_EQ(parse_model(model_bytes(model), "model").scaler.scaling, Scaling::kSeries);
  model.scaler.by_series.clear();
  for (const Scaling scaling : {Scaling::kCommon, Scaling::kWindow}) {
    model.scaler.scaling = scaling;
    EXPECT_EQ(parse_model(model_bytes(model), "model").scaler.scaling, scaling);
  }
}

TrainedModel model_with_curve() {
  TrainedModel model = small_model(small_config());
  const std::vector<double> scores = {0.1, 0.8, 0.6, 0.1, 0.7, 0.3};
  const std::vector<std::uint8_t> truth = {0, 1, 1, 0, 0, 0};
  model.thresholds = threshold_curve(std::vector<ScoredTimeline>{{scores, truth}}, 500, 2);
  return model;
}

TEST(ModelFile, KeepsTheCurveOfThresholds) {
  const TrainedModel model = model_with_curve(), loaded = parse_model(model_bytes(model), "model");
  ASSERT_TRUE(loaded.thresholds);
  EXPECT_EQ(model_bytes(loaded), model_bytes(model));
  for (const char* rule : {"f1", "false-alarms=0/day", "false-alarms=3/1000samples", "0.2"}) {
    const ChosenThreshold a = choose_threshold(model, parse_threshold_rule(rule)),
                          b = choose_threshold(loaded, parse_threshold_rule(rule));
    EXPECT_EQ(a.value, b.value) << rule;
    EXPECT_EQ(a.from, b.from);
  }
  TrainedModel old = small_model(small_config());
  EXPECT_EQ(rejection([&] { set_threshold(old, parse_threshold_rule("f1")); }),
            "threshold: expected a number, because the model does not keep its validation scores, found \"f1\" (models "
            "of two classes keep them where both are in the part that validates)");
  EXPECT_EQ(set_threshold(old, parse_threshold_rule("0.3")), "");
  EXPECT_EQ(old.threshold, 0.3);
  TrainedModel many = small_model(small_config("dft", 3));
  EXPECT_EQ(rejection([&] { set_threshold(many, parse_threshold_rule("0.3")); }),
            "threshold: expected a model of two classes, found 3");
}

TEST(ModelFile, RefusesACurveThatContradictsItself) {
  const auto refused = [](auto change) {
    TrainedModel model = model_with_curve();
    change(*model.thresholds);
    return rejection([&] { parse_model(model_bytes(model), "model"); });
  };
  EXPECT_EQ(refused([](ThresholdCurve& c) { std::swap(c.points[0], c.points[1]); }),
            "model: threshold.curve: expected falling thresholds, found one that rises");
  EXPECT_EQ(refused([](ThresholdCurve& c) { c.points[0].recall = 1.5; }),
            "model: threshold.curve: expected a number from 0 to 1, found 1.5");
  EXPECT_EQ(refused([](ThresholdCurve& c) { c.days = -1; }),
            "model: threshold.curve: expected a number from 0 to 1e+15, found -1");
}

TEST(ModelFile, RefusesToWriteWhatContradictsItself) {
  const auto refused = [](auto change) {
    TrainedModel model = small_model(small_config());
    change(model);
    return rejection([&] { model_bytes(model); });
  };
  EXPECT_EQ(refused([](TrainedModel& m) { m.channels.pop_back(); }), "model: channels: expected 3 names, found 2");
  EXPECT_EQ(refused([](TrainedModel& m) { m.classes[0] = m.classes[1]; }),
            "model: classes: expected each name once, found \"anomalous\" twice");
  EXPECT_EQ(refused([](TrainedModel& m) { m.window.length = 8; }),
            "model: window.length: expected 0 or the model's 7 samples, found 8");
  EXPECT_EQ(refused([](TrainedModel& m) { m.window.stride = 0; }),
            "model: window.stride: expected at least 1, found 0");
  EXPECT_EQ(refused([](TrainedModel& m) { m.shortest_window = 8; }),
            "model: window.shortest: expected 1 to 7, found 8");
  EXPECT_EQ(refused([](TrainedModel& m) { m.threshold = NAN; }),
            "model: threshold.value: expected a probability, found nan");
  EXPECT_EQ(refused([](TrainedModel& m) { m.scaler.common.factor[1] = INFINITY; }),
            "model: scaler: expected finite numbers, found inf");
  EXPECT_EQ(refused([](TrainedModel& m) { m.scaler.by_series["pump 2"].shift.pop_back(); }),
            "model: scaler of \"pump 2\": expected 3 channels, found 2");
  EXPECT_EQ(refused([](TrainedModel& m) { m.scaler.scaling = Scaling::kWindow; }),
            "model: scaler: expected statistics of series only with scaling series, found window");
  EXPECT_EQ(refused([](TrainedModel& m) { m.record = 3; }), "model: record: expected an object, found a number");
  EXPECT_EQ(refused([](TrainedModel& m) {
              Classifier<float> broken(config_of(m));
              broken.parameters().mutable_values()[0] = NAN;
              m.predictor = std::make_shared<Transformer>(std::move(broken));
            }),
            "model: \"" + parameters_of(small_model(small_config())).entries()[0].name +
                "\": expected finite numbers, found nan");
}

TEST(ModelFile, SaysWhatIsWrongWithAFile) {
  const TrainedModel model = small_model(small_config());
  const auto complaint = [&](auto change) { return rejection([&] { parse_model(forged(model, change), "m"); }); };
  const auto in_config = [&](const std::string& from, const std::string& to) {
    return complaint(
        [&](SafetensorsMetadata& metadata, auto&) { metadata["config"] = replaced(metadata["config"], from, to); });
  };
  EXPECT_EQ(complaint([](SafetensorsMetadata& m, auto&) { m.erase("format"); }),
            "m: expected a model of faithful, found a safetensors file of another kind (faithful train makes models)");
  EXPECT_TRUE(contains(complaint([](SafetensorsMetadata& m, auto&) { m["format"] = "faithful classifier, version 2"; }),
                       "a newer program wrote it"));
  EXPECT_EQ(complaint([](SafetensorsMetadata& m, auto&) { m.erase("scaler"); }),
            "m: expected metadata \"scaler\", found none");
  EXPECT_TRUE(contains(complaint([](SafetensorsMetadata& m, auto&) { m["window"] = "{"; }), "m: window:1:"));
  EXPECT_EQ(in_config("\"width\":8", "\"width\":\"8\""),
            "m: config.width: expected a whole number from 0, found \"\\\"8\\\"\"");
  EXPECT_EQ(in_config("\"width\"", "\"breadth\""), "m: config: expected a field \"width\", found none of that name");
  EXPECT_TRUE(contains(in_config("{\"channels\"", "{\"colour\":1,\"channels\""), "expected fields of this version"));
  EXPECT_TRUE(contains(in_config("\"classes\":2", "\"classes\":3"), "weights that the config declares, found "));
  EXPECT_TRUE(contains(in_config("\"width\":8", "\"width\":16"), "m: "));
  EXPECT_TRUE(contains(in_config("\"encoding\":\"dft\"", "\"encoding\":\"learned\""), "weights that the config"));
  const auto of_array = [&](const char* name, auto change) {
    return complaint([&](auto&, std::vector<SafetensorsEntry>& entries) {
      for (SafetensorsEntry& entry : entries)
        if (entry.name == name) change(entry);
    });
  };
  EXPECT_EQ(of_array("head.weight",
                     [](SafetensorsEntry& entry) {
                       entry.shape = {8, 1};
                     }),
            "m: \"head.weight\": expected shape (1, 8), found (8, 1)");
  EXPECT_EQ(of_array("head.weight", [](SafetensorsEntry& entry) { entry.name = "head.wait"; }),
            "m: expected an array \"head.weight\", found none of that name");
  EXPECT_EQ(of_array("head.weight", [](SafetensorsEntry& entry) { entry.dtype = "I32"; }),
            "m: \"head.weight\": expected dtype F32, found I32");
  EXPECT_TRUE(contains(complaint([](auto&, std::vector<SafetensorsEntry>& e) {
                         e.push_back({"more", "F32", {0}, ""});
                       }),
                       "expected weights that the config declares, found \"more\""));
  EXPECT_TRUE(contains(complaint([](auto&, std::vector<SafetensorsEntry>& e) { e.pop_back(); }), "none of that name"));
}

// Sizes that would take terabytes are refused before memory is taken for them.
void expect_no_memory_for(const TrainedModel& model, const char* field, const char* encoding) {
  for (const char* value : {"0", "255", "65535", "1048576", "9223372036854775807", "18446744073709551615"}) {
    const std::string bytes = forged(model, [&](SafetensorsMetadata& metadata, auto&) {
      Json config = parse_json(metadata["config"], "config");
      config.set("encoding", encoding).set(field, parse_json(value, "value"));
      metadata["config"] = dump_json(config);
    });
    forget_largest();
    try {
      parse_model(bytes, "m");
    } catch (const InputError&) {
    }
    EXPECT_LT(largest_allocation(), std::size_t{8} << 20) << field << " " << encoding << " " << value;
  }
}

TEST(ModelFile, HostileSizesTakeNoMemory) {
  const TrainedModel model = small_model(small_config()), dfstrans = small_model(testing::small_dfstrans());
  for (const char* field : {"channels", "length", "classes", "filters", "kernel", "segment", "width", "heads",
                            "head_width", "layers", "feed_forward", "period", "clip", "time_dim", "differences"}) {
    for (const char* encoding : {"dft", "shaw", "tupe", "mtan", "alibi", "rotation", "erpe"})
      expect_no_memory_for(model, field, encoding);
    expect_no_memory_for(dfstrans, field, "dft");
  }
  for (const char* field : {"stages", "head_hidden"}) expect_no_memory_for(dfstrans, field, "dft");
}

// `rotation` was `haar` once.
TEST(ModelFile, UnderstandsTheFormerNameOfAnEncoding) {
  ModelConfig config = small_config();
  config.position.encoding = "rotation";
  const std::string bytes = forged(small_model(config), [](SafetensorsMetadata& metadata, auto&) {
    std::string& text = metadata["config"];
    text.replace(text.find("rotation"), 8, "haar");
  });
  EXPECT_EQ(parse_model(bytes, "m").transformer()->config(), config);
  EXPECT_EQ(to_text(config).find("rotation"), std::string::npos);  // checkpoints and keys keep the old name
  config = preset("small");
  set_field(config, "encoding", "haar");
  EXPECT_EQ(config.position.encoding, "rotation");
}

TEST(ModelFile, HoldsTheOptionsOfItsEncoding) {
  ModelConfig config = small_config();
  config.position.encoding = "sinusoidal";
  config.position.own = {{"layout", "halves"}, {"rho", 50}};
  const std::string bytes = model_bytes(small_model(config));
  EXPECT_EQ(parse_model(bytes, "m").transformer()->config().position.own, config.position.own);
}

TEST(ModelFile, AVarianceIsNotNegative) {
  const std::vector<float> numbers(12, -1.0F);
  const std::string bytes =
      forged(small_model(testing::small_dfstrans()), [&](auto&, std::vector<SafetensorsEntry>& entries) {
        for (SafetensorsEntry& entry : entries)
          if (entry.name == "sensors.1.norm.variance")
            entry = safetensors_entry<float>("sensors.1.norm.variance", {3, 4}, numbers);
      });
  EXPECT_EQ(rejection([&] { parse_model(bytes, "m"); }),
            "m: \"sensors.1.norm.variance\": expected variances, found -1");
}

TEST(ModelFile, NumbersThatAreNotFinite) {
  const TrainedModel model = small_model(small_config());
  const float bad = NAN;
  const std::string message = rejection([&] {
    parse_model(forged(model,
                       [&](auto&, std::vector<SafetensorsEntry>& entries) {
                         for (SafetensorsEntry& entry : entries)
                           if (entry.name == "head.bias") entry = safetensors_entry<float>("head.bias", {1}, {&bad, 1});
                       }),
                "m");
  });
  EXPECT_EQ(message, "m: \"head.bias\": expected finite numbers, found nan");
}

TEST(ModelFile, EveryTruncationIsRejected) {
  const std::string bytes = model_bytes(small_model(small_config()));
  for (std::size_t size = 0; size < bytes.size(); size += size < 4000 ? 1 : 97)
    rejection([&] { parse_model(bytes.substr(0, size), "m"); });
}

// 10,000 of them: model_file_slow_test.cpp.
TEST(ModelFile, SingleBitFlips) {
  expect_flips_are_noticed(500);
}

}  // namespace
}  // namespace faithful::testing
