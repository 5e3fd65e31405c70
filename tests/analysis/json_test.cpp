#include <cmath>

#include <gtest/gtest.h>

#include "faithful/analysis/analysis_json.h"

namespace faithful {
namespace {

TEST(AnalysisJson, SaysWhatTheAnalysisSays) {
  AnalysisOptions options;
  options.faithfulness.noise_samples = 100;
  const Json all =
      analysis_json({analyze("dft", {.length = 8, .dim = 8}, options), analyze("none", {.length = 8}, options)});
  ASSERT_EQ(all.items().size(), 2U);
  const Json &dft = all.items()[0], &none = all.items()[1];
  EXPECT_EQ(dft["kind"].string(), "additive");
  EXPECT_NEAR(dft["faithfulness"]["min_distance"].number(), std::sqrt(2.0), 1e-12);
  EXPECT_EQ(dft["faithfulness"]["rank_fp64"].integer(), 8);
  EXPECT_TRUE(none["spectrum"].is_null());
  EXPECT_TRUE(none["ridge"].is_null());  // all codes are zero
}

}  // namespace
}  // namespace faithful
