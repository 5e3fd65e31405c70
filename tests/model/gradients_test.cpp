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
    for (const char* pooling : {"mean", "attention", "token"}) {
      check_gradients(tiny(encoding, pooling));
      check_masked_gradients(tiny(encoding, pooling));
    }
  }
}

TEST(WholeModelGradients, EveryBlock) {
  for (const std::string& encoding : testing::encoding_names()) {
    for (const char* block : {"pre", "bare"}) {
      ModelConfig config = tiny(encoding, block == std::string("pre") ? "attention" : "token");
      config.block = block;
      config.activation = "gelu";
      check_gradients(config, 2);
    }
  }
}

TEST(WholeModelGradients, HeadsOfFullWidth) {
  for (const std::string& encoding : testing::encoding_names()) {
    ModelConfig config = tiny(encoding);
    config.heads = 3;  // does not divide the width
    config.head_width = config.width;
    config.layers = 1;
    check_masked_gradients(config);
    config.block = "bare";
    config.layers = 2;
    check_gradients(config, 2);
  }
}

TEST(WholeModelGradients, SegmentsAndConvolution) {
  for (const std::string& encoding : testing::encoding_names()) {
    ModelConfig config = tiny(encoding);
    config.length = 7;
    config.segment = 3;
    config.layers = 1;
    check_masked_gradients(config);
    config.filters = 2;
    config.kernel = 5;
    check_masked_gradients(config);
    config.segment = 1;
    check_gradients(config, 1);
  }
}

TEST(WholeModelGradients, Differences) {
  for (const std::size_t orders : {1, 2, 3}) {
    ModelConfig config = tiny("dft");
    config.length = 7;
    config.differences = orders;
    check_gradients(config);
    config.segment = 2;
    config.filters = 3;
    check_masked_gradients(config);
    ModelConfig dfstrans = testing::tiny_dfstrans("dft");
    dfstrans.differences = orders;
    check_gradients(dfstrans);
    check_masked_gradients(dfstrans);
  }
}

TEST(WholeModelGradients, Times) {
  for (const std::string& encoding : testing::encoding_names()) {
    if (!testing::takes_times(encoding)) continue;
    for (const char* pooling : {"mean", "token"}) {
      ModelConfig config = tiny(encoding, pooling);
      config.positions = "time";
      config.time_step = 1;
      config.scale = encoding == "sinusoidal" ? "unit" : "as-defined";
      config.length = 6;
      config.segment = 2;
      check_gradients(config);
      check_masked_gradients(config);
    }
  }
}

TEST(WholeModelGradients, Variants) {
  ModelConfig config = tiny("mtan");
  config.mtan = "attention";
  check_masked_gradients(config);
  config.positions = "time";
  config.time_step = 1;
  check_masked_gradients(config);
  for (const char* pooling : {"mean", "token"}) {
    config = tiny("tupe", pooling);
    config.tupe_relative = true;
    check_masked_gradients(config);
    config = tiny("rope", pooling);
    config.pairing = "halves";
    check_masked_gradients(config);
    config.positions = "time";
    config.time_step = 1;
    check_masked_gradients(config);
  }
  config = tiny("learned-frequency");
  config.scale = "matched";
  check_gradients(config);
  config = tiny("dft");
  config.length = 11;
  EXPECT_EQ(settle(config).size(), 1U);
  check_masked_gradients(config);
  config.classes = 2;  // one logit
  check_gradients(config);
  config.activation = "relu";
  config.classes = 3;
  check_gradients(config);
}

TEST(WholeModelGradients, SmallestSizes) {
  for (const std::string& encoding : testing::encoding_names()) {
    for (const char* pooling : {"mean", "attention", "token"}) {
      ModelConfig config = tiny(encoding, pooling);
      config.channels = config.length = config.heads = config.feed_forward = config.time_dim = 1;
      config.width = encoding == "rope" ? 2 : 1;
      config.clip = 0;
      config.block = "pre";
      check_gradients(config, 1);
      config.layers = 0;
      check_gradients(config, 1);
    }
  }
}

}  // namespace
}  // namespace faithful
