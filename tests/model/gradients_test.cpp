// The gradients of whole encoders by central differences in double: see whole_model.h.

#include <gtest/gtest.h>

#include "tests/model/whole_model.h"

namespace faithful {
namespace {

using testing::check_gradients;
using testing::check_masked_gradients;
using testing::tiny;

TEST(WholeModelGradients, EveryEncodingAndPooling) {
  for (const std::string& encoding : testing::encoding_names()) {
    for (const Pooling pooling : testing::kPoolings) {
      check_gradients(tiny(encoding, pooling));
      check_masked_gradients(tiny(encoding, pooling));
    }
  }
}

TEST(WholeModelGradients, EveryBlock) {
  for (const std::string& encoding : testing::encoding_names()) {
    for (const LayerBlock block : {LayerBlock::kPre, LayerBlock::kBare}) {
      ModelConfig config = tiny(encoding, block == LayerBlock::kPre ? Pooling::kAttention : Pooling::kToken);
      config.body.block = block;
      config.body.activation = LayerActivation::kGelu;
      check_gradients(config, 2);
    }
  }
}

TEST(WholeModelGradients, HeadsOfFullWidth) {
  for (const std::string& encoding : testing::encoding_names()) {
    ModelConfig config = tiny(encoding);
    config.body.heads = 3;  // does not divide the width
    config.body.head_width = config.body.width;
    config.body.layers = 1;
    check_masked_gradients(config);
    config.body.block = LayerBlock::kBare;
    config.body.layers = 2;
    check_gradients(config, 2);
  }
}

TEST(WholeModelGradients, SegmentsAndConvolution) {
  for (const std::string& encoding : testing::encoding_names()) {
    ModelConfig config = tiny(encoding);
    config.input.length = 7;
    config.input.segment = 3;
    config.body.layers = 1;
    check_masked_gradients(config);
    config.input.filters = 2;
    config.input.kernel = 5;
    check_masked_gradients(config);
    config.input.segment = 1;
    check_gradients(config, 1);
  }
}

TEST(WholeModelGradients, Differences) {
  for (const std::size_t orders : {1, 2, 3}) {
    ModelConfig config = tiny("dft");
    config.input.length = 7;
    config.input.differences = orders;
    check_gradients(config);
    config.input.segment = 2;
    config.input.filters = 3;
    check_masked_gradients(config);
    ModelConfig dfstrans = testing::tiny_dfstrans("dft");
    dfstrans.input.differences = orders;
    check_gradients(dfstrans);
    check_masked_gradients(dfstrans);
  }
}

TEST(WholeModelGradients, Stem) {
  for (const std::size_t average : {1, 2}) {
    ModelConfig config = tiny("erpe");
    config.input.length = 11;
    config.input.average = average;
    check_gradients(config);
    config.input.differences = 1;
    config.input.filters = 2;
    config.input.kernel = 3;
    config.input.branches = 2;
    config.input.blocks = 2;
    check_gradients(config);
    config.input.segment = 2;
    check_masked_gradients(config);
    config.input.bottleneck = 3;
    ASSERT_TRUE(config.has_bottleneck());
    check_masked_gradients(config);
  }
}

TEST(WholeModelGradients, Times) {
  for (const std::string& encoding : testing::encoding_names()) {
    if (!testing::takes_times(encoding)) continue;
    for (const Pooling pooling : {Pooling::kMean, Pooling::kToken}) {
      ModelConfig config = tiny(encoding, pooling);
      config.position.source = PositionSource::kTime;
      config.position.time_step = 1;
      config.position.scale = encoding == "sinusoidal" ? "unit" : "as-defined";
      config.input.length = 6;
      config.input.segment = 2;
      check_gradients(config);
      check_masked_gradients(config);
    }
  }
}

TEST(WholeModelGradients, Variants) {
  ModelConfig config = tiny("mtan");
  config.position.own.set("mtan", "attention");
  check_masked_gradients(config);
  config.position.source = PositionSource::kTime;
  config.position.time_step = 1;
  check_masked_gradients(config);
  for (const Pooling pooling : {Pooling::kMean, Pooling::kToken}) {
    config = tiny("tupe", pooling);
    config.position.own.set("tupe_relative", true);
    check_masked_gradients(config);
    config = tiny("rope", pooling);
    config.position.own.set("pairing", "halves");
    check_masked_gradients(config);
    config.position.source = PositionSource::kTime;
    config.position.time_step = 1;
    check_masked_gradients(config);
  }
  for (const char* basis : {"periodic", "cosine"}) {
    for (const char* spectrum : {"matern", "gaussian"}) {
      config = tiny("spectral-learned");
      config.position.own.set("basis", basis);
      config.position.own.set("spectrum", spectrum);
      check_gradients(config);
    }
    config.position.own.set("learned_spectrum", "frequencies");
    check_masked_gradients(config);
    config.position.own.set("period", 24);
    config.position.scale = "matched";
    config.position.source = PositionSource::kTime;
    config.position.time_step = 1;
    check_masked_gradients(config);
  }
  config = tiny("learned-frequency");
  config.position.scale = "matched";
  check_gradients(config);
  config = tiny("dft");
  config.input.length = 11;
  EXPECT_EQ(settle(config).size(), 1U);
  check_masked_gradients(config);
  config.input.classes = 2;  // one logit
  check_gradients(config);
  config.body.activation = LayerActivation::kRelu;
  config.input.classes = 3;
  check_gradients(config);
}

TEST(WholeModelGradients, SmallestSizes) {
  for (const std::string& encoding : testing::encoding_names()) {
    for (const Pooling pooling : testing::kPoolings) {
      ModelConfig config = tiny(encoding, pooling);
      config.input.channels = config.input.length = config.body.heads = config.body.feed_forward = 1;
      config.body.width = catalog_entry(encoding).kind == EncodingKind::kRotary ? 2 : 1;
      config.position.own = {{"time_dim", 1}, {"clip", 0}};
      config.body.block = LayerBlock::kPre;
      check_gradients(config, 1);
      config.body.layers = 0;
      check_gradients(config, 1);
    }
  }
}

}  // namespace
}  // namespace faithful
