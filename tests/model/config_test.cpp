// What a config may say, and what is said where it may not.

#include "faithful/model/config.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/model/tiny.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::rejection;
using testing::tiny;

std::string complaint(const std::function<void(ModelConfig&)>& change, const std::string& encoding = "dft") {
  ModelConfig config = tiny(encoding);
  change(config);
  return rejection([&] { check_config(config, "m.safetensors: config"); });
}

TEST(Config, EveryEncodingIsAccepted) {
  for (const std::string& encoding : testing::encoding_names()) {
    for (const Pooling pooling : testing::kPoolings) EXPECT_NO_THROW(check_config(tiny(encoding, pooling)));
  }
}

TEST(Config, SaysWhatIsWrong) {
  using C = ModelConfig&;
  const std::string file = "m.safetensors: config.";
  const auto whole = [&](const std::string& field, std::size_t least, std::size_t most, std::size_t found) {
    return fmt::format("{}{}: expected a whole number from {} to {}, found {}", file, field, least, most, found);
  };
  EXPECT_EQ(complaint([](C c) { c.input.channels = 0; }), whole("channels", 1, 1048576, 0));
  EXPECT_EQ(complaint([](C c) { c.input.classes = 1; }), whole("classes", 2, 1048576, 1));
  EXPECT_EQ(complaint([](C c) { c.input.segment = 0; }), whole("segment", 1, 1048576, 0));
  EXPECT_EQ(complaint([](C c) { c.input.segment = 6; }),
            file + "segment: expected at most the 5 samples of a window, found 6");
  EXPECT_EQ(complaint([](C c) { c.input.kernel = 4; }), file + "kernel: expected an odd number, found 4");
  EXPECT_EQ(complaint([](C c) { c.body.heads = 3; }),
            file + "heads: expected a divisor of the width 8, found 3 (or set head_width)");
  EXPECT_EQ(complaint([](C c) { c.body.dropout = 1; }), file + "dropout: expected a number from 0 to below 1, found 1");
  EXPECT_EQ(complaint([](C c) { c.body.dropout = std::numeric_limits<double>::quiet_NaN(); }),
            file + "dropout: expected a number from 0 to below 1, found nan");
  EXPECT_EQ(complaint([](C c) { c.position.own.set("rho", -1); }), file + "rho: expected a number above 0, found -1");
  EXPECT_EQ(complaint([](C c) { c.position.encoding = "dftt"; }),
            file + "encoding: expected the name of an encoding, found \"dftt\" (did you mean dft?)");
  EXPECT_EQ(complaint([](C c) { c.position.scale = "big"; }),
            file + "scale: expected as-defined, unit, matched, decaying or a positive number, found \"big\"");
}

// What a person set is named as a field, which each surface spells in its own words.
TEST(Config, FieldsAreSetByName) {
  ModelConfig config = tiny("dft");
  const auto said = [&](const char* name, const char* text) {
    return rejection([&] { set_field(config, name, text); });
  };
  set_field(config, "pooling", "token");
  set_field(config, "positions", "time");
  set_field(config, "tupe_relative", "true");
  EXPECT_TRUE(config.has_token() && config.has_times() && config.position.own.flag("tupe_relative"));
  EXPECT_EQ(said("pooling", "max\n"), "pooling: expected one of mean, attention, token, found \"max\\n\"");
  EXPECT_EQ(said("kernel", "-1"), "kernel: expected a whole number from 1 to 1023, found \"-1\"");
  EXPECT_EQ(said("hads", "2"), "model: expected the name of a setting, found \"hads\" (did you mean heads?)");
  EXPECT_EQ(said("stages", "2"), "stages applies only to form = dfstrans");
  config = testing::tiny_dfstrans("dft");
  EXPECT_EQ(said("width", "2"), "width applies only to form = encoder");
  config = tiny("dft");
  config.body.heads = 3;
  EXPECT_EQ(rejection([&] { check_config(config); }),
            "heads: expected a divisor of the width 8, found 3 (or set head_width)");
}

TEST(Config, SaysWhatAnEncodingNeeds) {
  using C = ModelConfig&;
  EXPECT_NE(complaint([](C c) { c.input.length = 9; }).find("config: length: expected at most width 8 positions"),
            std::string::npos);
  EXPECT_NE(complaint([](C c) { c.input.length = 9; }, "onehot").find("m.safetensors: "), std::string::npos);
  EXPECT_NE(complaint([](C c) { c.body.head_width = 3; }, "rope").find("an even head width for rope"),
            std::string::npos);
  for (const char* encoding : {"none", "learned", "tupe", "tape+erpe", "onehot", "rotation"}) {
    EXPECT_NE(complaint([](C c) { c.position.source = PositionSource::kTime; }, encoding)
                  .find("expected an encoding of times"),
              std::string::npos)
        << encoding;
  }
  EXPECT_EQ(complaint([](C c) { c.position.source = PositionSource::kTime; }),
            "m.safetensors: config.time_step: expected a positive number, found 0");
  EXPECT_EQ(complaint([](C c) { c.position.own.set("mtan", "attention"), c.head.pooling = Pooling::kToken; }, "mtan"),
            "m.safetensors: config: mtan = attention does not go with pooling = token: a class token has no time");
}

// Each size alone is legal; together they would take all memory. Nothing is taken before that is known.
TEST(Config, AbsurdProductsAreTurnedAwayAtOnce) {
  const std::size_t most = std::size_t{1} << 20;
  const auto begin = std::chrono::steady_clock::now();
  for (const std::string& encoding : testing::encoding_names()) {
    SCOPED_TRACE(encoding);
    const auto all = [&](ModelConfig& c) {
      c.input.channels = c.input.length = c.input.classes = c.input.filters = c.body.feed_forward = c.input.segment =
          most;
      c.position.own = {{"clip", most}, {"time_dim", most}};
      c.input.kernel = 1023;
      c.body.width = c.body.head_width = 65536;
      c.body.heads = 1024;
      c.body.layers = 256;
    };
    EXPECT_NE(complaint(all, encoding).find("expected at most 268435456 parameters"), std::string::npos);
    const auto bare = [&](ModelConfig& c) {
      all(c);
      c.input.segment = 1;
      c.body.block = LayerBlock::kBare;
    };
    EXPECT_NE(complaint(bare, encoding).find("expected at most 268435456 parameters"), std::string::npos);
    // Few parameters, but a table or a bias that would be large.
    ModelConfig wide = tiny(encoding);
    wide.body.layers = 0;
    wide.input.length = most;
    wide.body.width = 65536;
    wide.body.heads = 1024;
    const CatalogEntry& entry = catalog_entry(encoding);
    if (entry.kind == EncodingKind::kAdditive || entry.absolute || encoding == "transformer-xl") {
      EXPECT_FALSE(rejection([&] { check_config(wide); }).empty());
    }
  }
  EXPECT_NE(complaint([&](ModelConfig& c) {
              c.position.own.set("period", most + 1);
            }).find("config.period: expected a whole number from 0 to"),
            std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(Config, LongWindowsAreAccepted) {
  for (const std::string& encoding : testing::encoding_names()) {
    if (encoding == "onehot") continue;  // S <= d
    ModelConfig config = tiny(encoding);
    config.input.length = 17984;
    config.body.width = 64;
    settle(config);
    EXPECT_NO_THROW(check_config(config)) << encoding;
  }
}

TEST(Config, CountsParametersWithoutMakingThem) {
  for (const std::string& encoding : testing::encoding_names()) {
    for (const Pooling pooling : testing::kPoolings) {
      const ModelConfig config = tiny(encoding, pooling);
      EXPECT_EQ(parameter_count(config), Classifier<float>(config).parameters().count()) << to_text(config);
    }
  }
  ModelConfig config = tiny("none");
  config.body.layers = 0;
  EXPECT_EQ(parameter_count(config), (3U * 8 + 8) + (8 * 3 + 3));
}

TEST(Config, SettlesThePeriodOfDft) {
  ModelConfig config = tiny("dft");
  EXPECT_TRUE(settle(config).empty());
  config.input.length = 20;
  config.input.segment = 2;
  EXPECT_EQ(settle(config).at(0), "10 positions are more than the width 8: the DFT encoding takes the period 10");
  EXPECT_EQ(config.position.own.whole("period"), 10U);
  EXPECT_NO_THROW(check_config(config));
  EXPECT_TRUE(settle(config).empty());
  config.input.segment = 0;  // as a damaged file may say; check_config names it
  config.position.own.set("period", 0);
  EXPECT_TRUE(settle(config).empty());
}

TEST(Config, PresetsAreModels) {
  for (const std::string& name : preset_names())
    EXPECT_NO_THROW(check_config([&] {
      ModelConfig config = preset(name);
      settle(config);
      return config;
    }()));
  const ModelConfig paper = preset("paper");
  EXPECT_EQ(paper.body.block, LayerBlock::kBare);
  EXPECT_EQ(paper.key_width(), paper.body.width);
  EXPECT_EQ(rejection([] { preset("huge"); }),
            "preset: expected one of paper, plain, small, base, large, standard, dfstrans, found \"huge\"");
}

TEST(Config, LongWindowsAreAveraged) {
  const auto settled = [](std::size_t length) {
    ModelConfig config = preset("standard");
    config.input.length = length;
    settle(config);
    return std::pair(config.input.average, config.input.segment);
  };
  EXPECT_EQ(settled(7), std::pair(1UL, 1UL));
  EXPECT_EQ(settled(16), std::pair(1UL, 2UL));
  EXPECT_EQ(settled(149), std::pair(1UL, 2UL));
  EXPECT_EQ(settled(150), std::pair(2UL, 2UL));
  EXPECT_EQ(settled(1000), std::pair(10UL, 2UL));
}

TEST(Config, HeadsOfFullWidthStaySo) {
  ModelConfig paper = preset("paper"), small = preset("small");
  set_field(paper, "width", "24");
  set_field(small, "width", "24");
  EXPECT_EQ(paper.key_width(), 24U);
  EXPECT_EQ(small.key_width(), 24U / small.body.heads);
}

// Studies, checkpoints and model files hold configs by this text: an encoder's is what it was before there were forms.
TEST(Config, TextsOfPresetsStay) {
  const std::string position =
      "encoding=dft scale=as-defined period=0 rho=10000 clip=16 time_dim=16 mtan=concat tupe_relative=false "
      "pairing=interleaved positions=index time_step=0 encoding_seed=1 ";
  const auto encoder = [&](const std::string& input, const std::string& body) {
    return "channels=1 length=100 classes=2 " + input + " " + body + " pooling=mean " + position;
  };
  const std::string heads = "head_width=0 layers=2 feed_forward=0 block=post activation=gelu ";
  const std::map<std::string, std::string> texts = {
      {"paper", encoder("filters=0 kernel=7 segment=1",
                        "width=64 heads=4 head_width=64 layers=1 feed_forward=0 "
                        "block=bare activation=gelu dropout=0")},
      {"plain", encoder("filters=0 kernel=7 segment=1", "width=64 heads=4 " + heads + "dropout=0.1")},
      {"small", encoder("filters=64 kernel=7 segment=2", "width=64 heads=4 " + heads + "dropout=0.2")},
      {"base", encoder("filters=128 kernel=7 segment=2", "width=128 heads=4 " + heads + "dropout=0.2")},
      {"large", encoder("filters=256 kernel=7 segment=2",
                        "width=256 heads=8 head_width=0 layers=4 feed_forward=0 "
                        "block=post activation=gelu dropout=0.2")},
      {"standard", encoder("filters=21 kernel=7 segment=2",
                           "width=64 heads=4 head_width=0 layers=1 feed_forward=0 "
                           "block=pre activation=gelu dropout=0.2") +
                       "differences=1 average=0 branches=3 blocks=2 bottleneck=64 "},
      {"dfstrans", encoder("filters=20 kernel=5 segment=100",
                           "width=240 heads=10 head_width=0 layers=1 "
                           "feed_forward=2048 block=post activation=relu "
                           "dropout=0.1") +
                       "form=dfstrans stages=3 sensor_weights=false step_weights=false head_hidden=512 "}};
  for (const std::string& name : preset_names()) {
    std::string text = to_text(preset(name));
    std::ranges::replace(text, '\n', ' ');
    std::string expected = texts.at(name);
    if (name == "standard") expected.replace(expected.find("encoding=dft"), 12, "encoding=erpe");
    EXPECT_EQ(text, expected);
  }
  ModelConfig config;
  config.input.differences = 2;
  EXPECT_EQ(to_text(config), to_text(ModelConfig()) + "differences=2\n");
}

// An option that an encoding got later is in texts and files only where somebody sets it: others stay as they were.
TEST(Config, TextHoldsNewOptionsWhereTheyAreSet) {
  ModelConfig config;
  EXPECT_EQ(to_text(config).find("layout"), std::string::npos);
  set_field(config, "layout", "halves");
  EXPECT_NE(to_text(config).find("pairing=interleaved\nlayout=halves\npositions=index\n"), std::string::npos);
  EXPECT_EQ(config.position.own.text("layout"), "halves");
}

void expect_told_apart(const ModelConfig& config, std::size_t field_count) {
  EXPECT_EQ(recorded_fields(config).size(), field_count);
  for (const auto& [name, value] : recorded_fields(config)) {
    ModelConfig other = config;
    for (const Setting& setting : settings(other)) {
      if (setting.field.name != name) continue;
      if (auto* const* text = std::get_if<std::string*>(&setting.target)) **text += "x";
      if (auto* const* count = std::get_if<std::size_t*>(&setting.target)) **count += 1;
      if (auto* const* number = std::get_if<double*>(&setting.target)) **number += 1;
      if (auto* const* flag = std::get_if<bool*>(&setting.target)) **flag = !**flag;
      if (auto* const* choice = std::get_if<std::uint8_t*>(&setting.target)) **choice = **choice == 0 ? 1 : 0;
    }
    EXPECT_NE(to_text(other), to_text(config)) << name;
    EXPECT_FALSE(other == config) << name;
  }
}

TEST(Config, TextTellsConfigsApart) {
  EXPECT_EQ(to_text(tiny("rope")), to_text(tiny("rope")));
  expect_told_apart(tiny("rope"), 27);
  expect_told_apart(testing::tiny_dfstrans("rope"), 32);
}

TEST(Config, DfstransSaysWhatItNeeds) {
  const auto complaint_of = [](auto change, const std::string& encoding = "dft") {
    ModelConfig config = testing::tiny_dfstrans(encoding);
    change(config);
    return rejection([&] { check_config(config, "m"); });
  };
  EXPECT_NO_THROW(check_config(testing::tiny_dfstrans("dft")));
  EXPECT_EQ(complaint_of([](ModelConfig& c) { c.input.segment = 3; }),
            "m.segment: expected at least 4 samples, because each of 2 stages halves a segment, found 3 (or fewer "
            "stages)");
  EXPECT_EQ(complaint_of([](ModelConfig& c) { c.body.width = 9; }),
            "m.width: expected 8, filters times pooled samples, found 9 (it follows from filters, segment and stages)");
  EXPECT_EQ(complaint_of([](ModelConfig& c) { c.head.pooling = Pooling::kToken; }),
            "m.pooling: expected mean for dfstrans, found another one");
  EXPECT_EQ(complaint_of([](ModelConfig& c) { c.body.layers = 2; }), "m.layers: expected 1 for dfstrans, found 2");
  EXPECT_EQ(complaint_of([](ModelConfig&) {}, "time2vec"),
            "m.encoding: expected an encoding that is not concatenated, for dfstrans, found time2vec (mtan works with "
            "mtan = attention)");
  ModelConfig encoder = tiny("dft");
  encoder.body.step_weights = true;
  EXPECT_EQ(rejection([&] { check_config(encoder, "m"); }), "m.step_weights applies only to form = dfstrans");
  encoder = tiny("rope");
  encoder.position.scale = "decaying";
  EXPECT_EQ(rejection([&] { check_config(encoder, "m"); }),
            "m.encoding: expected an encoding that is added, for scale = decaying, found rope");
}

TEST(Config, WidthOfDfstransFollows) {
  ModelConfig config = preset("dfstrans");
  EXPECT_EQ(config.body.width, 240U);
  config.input.segment = 50;
  config.input.length = 2000;
  EXPECT_EQ(settle(config),
            (std::vector<std::string>{"segments of 50 samples become 6 of 20 filters: the width is 120"}));
  EXPECT_EQ(config.body.width, 120U);
}

}  // namespace
}  // namespace faithful
