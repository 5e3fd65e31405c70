// What a config may say, and what is said where it may not.

#include "faithful/model/config.h"

#include <chrono>
#include <functional>
#include <limits>

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
  return rejection([&] { check_config(config, "m.safetensors"); });
}

TEST(Config, EveryEncodingIsAccepted) {
  for (const std::string& encoding : testing::encoding_names()) {
    for (const char* pooling : {"mean", "attention", "token"}) EXPECT_NO_THROW(check_config(tiny(encoding, pooling)));
  }
}

TEST(Config, SaysWhatIsWrong) {
  using C = ModelConfig&;
  EXPECT_EQ(complaint([](C c) { c.channels = 0; }), "m.safetensors: expected channels of 1 to 1048576, found 0");
  EXPECT_EQ(complaint([](C c) { c.classes = 1; }), "m.safetensors: expected classes of 2 to 1048576, found 1");
  EXPECT_EQ(complaint([](C c) { c.segment = 0; }), "m.safetensors: expected segment of 1 to 5, found 0");
  EXPECT_EQ(complaint([](C c) { c.segment = 6; }), "m.safetensors: expected segment of 1 to 5, found 6");
  EXPECT_EQ(complaint([](C c) { c.kernel = 4; }), "m.safetensors: expected an odd kernel, found 4");
  EXPECT_EQ(complaint([](C c) { c.heads = 3; }),
            "m.safetensors: expected a number of heads that divides the width 8, found 3 (or set head_width)");
  EXPECT_EQ(complaint([](C c) { c.dropout = 1; }), "m.safetensors: expected dropout of 0 to below 1, found 1");
  EXPECT_EQ(complaint([](C c) { c.dropout = std::numeric_limits<double>::quiet_NaN(); }),
            "m.safetensors: expected dropout of 0 to below 1, found nan");
  EXPECT_EQ(complaint([](C c) { c.rho = -1; }), "m.safetensors: expected a positive rho, found -1");
  EXPECT_EQ(complaint([](C c) { c.block = "side"; }),
            "m.safetensors: expected block of post, pre, bare, found \"side\"");
  EXPECT_EQ(complaint([](C c) { c.pooling = "max\n"; }),
            "m.safetensors: expected pooling of mean, attention, token, found \"max\\n\"");
  EXPECT_EQ(complaint([](C c) { c.encoding = "dftt"; }),
            "m.safetensors: expected the name of an encoding, found \"dftt\" (did you mean dft?)");
  EXPECT_EQ(complaint([](C c) { c.scale = "big"; }),
            "m.safetensors: scale: expected as-defined, unit, matched, decaying or a positive number, found \"big\"");
}

TEST(Config, SaysWhatAnEncodingNeeds) {
  using C = ModelConfig&;
  EXPECT_NE(complaint([](C c) { c.length = 9; }).find("m.safetensors: --length: expected at most --dim 8 positions"),
            std::string::npos);
  EXPECT_NE(complaint([](C c) { c.length = 9; }, "onehot").find("m.safetensors: "), std::string::npos);
  EXPECT_NE(complaint([](C c) { c.head_width = 3; }, "rope").find("an even head width for rope"), std::string::npos);
  for (const char* encoding : {"none", "learned", "shaw", "t5", "tupe", "alibi", "kerple", "erpe", "onehot", "haar"}) {
    EXPECT_NE(complaint([](C c) { c.positions = "time"; }, encoding).find("expected an encoding of times"),
              std::string::npos)
        << encoding;
  }
  EXPECT_EQ(complaint([](C c) { c.positions = "time"; }), "m.safetensors: expected a positive time_step, found 0");
  EXPECT_EQ(
      complaint([](C c) { c.mtan = "attention", c.pooling = "token"; }, "mtan"),
      "m.safetensors: expected pooling mean or attention where mtan gives the queries, found token (a class token "
      "has no time)");
}

// Each size alone is legal; together they would take all memory. Nothing is taken before that is known.
TEST(Config, AbsurdProductsAreTurnedAwayAtOnce) {
  const std::size_t most = std::size_t{1} << 20;
  const auto begin = std::chrono::steady_clock::now();
  for (const std::string& encoding : testing::encoding_names()) {
    SCOPED_TRACE(encoding);
    const auto all = [&](ModelConfig& c) {
      c.channels = c.length = c.classes = c.filters = c.feed_forward = c.clip = c.time_dim = c.segment = most;
      c.kernel = 1023;
      c.width = c.head_width = 65536;
      c.heads = 1024;
      c.layers = 256;
    };
    EXPECT_NE(complaint(all, encoding).find("expected a model of at most"), std::string::npos);
    const auto bare = [&](ModelConfig& c) {
      all(c);
      c.segment = 1;
      c.block = "bare";
    };
    EXPECT_NE(complaint(bare, encoding).find("expected a model of at most"), std::string::npos);
    // Few parameters, but a table or a bias that would be large.
    ModelConfig wide = tiny(encoding);
    wide.layers = 0;
    wide.length = most;
    wide.width = 65536;
    wide.heads = 1024;
    EXPECT_TRUE(encoding == "none" || encoding == "rope" || encoding == "shaw" || encoding == "t5" ||
                encoding == "alibi" || encoding == "kerple" || encoding == "erpe" ||
                catalog_entry(encoding).kind == EncodingKind::kConcatenated ||
                !rejection([&] { check_config(wide); }).empty());
  }
  EXPECT_NE(complaint([&](ModelConfig& c) { c.period = most + 1; }).find("period of 0 to"), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(Config, LongWindowsAreAccepted) {
  for (const std::string& encoding : testing::encoding_names()) {
    if (encoding == "onehot") continue;  // S <= d
    ModelConfig config = tiny(encoding);
    config.length = 17984;
    config.width = 64;
    settle(config);
    EXPECT_NO_THROW(check_config(config)) << encoding;
  }
}

TEST(Config, CountsParametersWithoutMakingThem) {
  for (const std::string& encoding : testing::encoding_names()) {
    for (const char* pooling : {"mean", "attention", "token"}) {
      const ModelConfig config = tiny(encoding, pooling);
      EXPECT_EQ(parameter_count(config), Classifier<float>(config).parameters().count()) << encoding << ' ' << pooling;
    }
  }
  ModelConfig config = tiny("none");
  config.layers = 0;
  EXPECT_EQ(parameter_count(config), (3U * 8 + 8) + (8 * 3 + 3));
}

TEST(Config, SettlesThePeriodOfDft) {
  ModelConfig config = tiny("dft");
  EXPECT_TRUE(settle(config).empty());
  config.length = 20;
  config.segment = 2;
  EXPECT_EQ(settle(config).at(0), "10 positions are more than the width 8: the DFT encoding takes the period 10");
  EXPECT_EQ(config.period, 10U);
  EXPECT_NO_THROW(check_config(config));
  EXPECT_TRUE(settle(config).empty());
  config.segment = 0;  // as a damaged file may say; check_config names it
  config.period = 0;
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
  EXPECT_EQ(paper.block, "bare");
  EXPECT_EQ(paper.key_width(), paper.width);
  EXPECT_EQ(rejection([] { preset("huge"); }),
            "--preset: expected paper, plain, small, base, large, dfstrans, found \"huge\"");
}

TEST(Config, HeadsOfFullWidthStaySo) {
  ModelConfig paper = preset("paper"), small = preset("small");
  set_width(paper, 24);
  set_width(small, 24);
  EXPECT_EQ(paper.key_width(), 24U);
  EXPECT_EQ(small.key_width(), 24U / small.heads);
}

// Studies, checkpoints and model files hold configs by this text: an encoder's is what it was before there were forms.
TEST(Config, TextOfAnEncoderStays) {
  EXPECT_EQ(to_text(ModelConfig()),
            "channels=1\nlength=100\nclasses=2\nfilters=0\nkernel=7\nsegment=1\nwidth=64\nheads=4\nhead_width=0\n"
            "layers=2\nfeed_forward=0\nblock=post\nactivation=gelu\ndropout=0.1\npooling=mean\nencoding=dft\n"
            "scale=as-defined\nperiod=0\nrho=10000\nclip=16\ntime_dim=16\nmtan=concat\ntupe_relative=false\n"
            "pairing=interleaved\npositions=index\ntime_step=0\nencoding_seed=1\n");
  EXPECT_TRUE(to_text(preset("dfstrans"))
                  .ends_with("form=dfstrans\nstages=3\nsensor_weights=false\nstep_weights=false\nhead_hidden=512\n"));
  ModelConfig config;
  config.differences = 2;
  EXPECT_EQ(to_text(config), to_text(ModelConfig()) + "differences=2\n");
}

void expect_told_apart(const ModelConfig& config, std::size_t field_count) {
  std::size_t fields = 0;
  visit_fields(config, [&](const char* name, const auto&) {
    ++fields;
    ModelConfig other = config;
    visit_fields(other, [&](const char* of, auto& value) {
      using Field = std::remove_reference_t<decltype(value)>;
      if (std::string(of) != name) return;
      if constexpr (std::is_same_v<Field, std::string>) {
        value += "x";
      } else if constexpr (std::is_same_v<Field, bool>) {
        value = !value;
      } else {
        value += 1;
      }
    });
    EXPECT_NE(to_text(other), to_text(config)) << name;
    EXPECT_FALSE(other == config) << name;
  });
  EXPECT_EQ(fields, field_count);
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
  EXPECT_EQ(
      complaint_of([](ModelConfig& c) { c.segment = 3; }),
      "m: expected a segment of at least 4 samples, which 2 stages of pooling halve, found 3 (take a longer segment "
      "or fewer stages)");
  EXPECT_EQ(complaint_of([](ModelConfig& c) { c.width = 9; }),
            "m: expected a width of 8, filters times pooled samples, found 9 (it follows from filters, segment and "
            "stages)");
  EXPECT_EQ(complaint_of([](ModelConfig& c) { c.pooling = "token"; }), "m: expected pooling of mean, found \"token\"");
  EXPECT_EQ(complaint_of([](ModelConfig& c) { c.layers = 2; }), "m: expected layers of 1 to 1, found 2");
  EXPECT_EQ(complaint_of([](ModelConfig& c) { c.form = "other"; }),
            "m: expected form of encoder, dfstrans, found \"other\"");
  EXPECT_EQ(
      complaint_of([](ModelConfig&) {}, "time2vec"),
      "m: expected an encoding that is not concatenated, for the form dfstrans, found time2vec (no embedding follows "
      "its convolutions; mtan can give the queries: mtan attention)");
  ModelConfig encoder = tiny("dft");
  encoder.step_weights = true;
  EXPECT_EQ(rejection([&] { check_config(encoder, "m"); }),
            "m: expected the form dfstrans where stages, sensor_weights, step_weights or head_hidden are set, found "
            "encoder");
  encoder = tiny("rope");
  encoder.scale = "decaying";
  EXPECT_EQ(rejection([&] { check_config(encoder, "m"); }),
            "m: expected an encoding that is added where scale decays, found rope");
}

TEST(Config, WidthOfDfstransFollows) {
  ModelConfig config = preset("dfstrans");
  EXPECT_EQ(config.width, 240U);
  config.segment = 50;
  config.length = 2000;
  EXPECT_EQ(settle(config),
            (std::vector<std::string>{"segments of 50 samples become 6 of 20 filters: the width is 120"}));
  EXPECT_EQ(config.width, 120U);
}

}  // namespace
}  // namespace faithful
