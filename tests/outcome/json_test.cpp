#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "faithful/outcome/analysis_json.h"
#include "faithful/outcome/scores_json.h"

namespace faithful {

namespace {

TEST(ScoresJson, TwoClasses) {
  const Matrix<float> probabilities(4, 2, {0.9F, 0.1F, 0.2F, 0.8F, 0.4F, 0.6F, 0.7F, 0.3F});
  const std::vector<std::int32_t> labels{0, 1, 0, 1};
  const Json json = scores_json(score_answers(probabilities, labels, {.threshold = 0.5}));
  EXPECT_EQ(dump_json(json["confusion"]), "[[1,1],[1,1]]");
  EXPECT_EQ(json["windows"].integer(), 4);
  EXPECT_EQ(json["accuracy"].number(), 0.5);
  EXPECT_EQ(json["f1"].number(), 0.5);
  EXPECT_EQ(json["auc_roc"].number(), 0.75);
  EXPECT_EQ(json.find("events"), nullptr);  // there is no timeline
}

TEST(ScoresJson, MoreClassesHaveNoPositiveOne) {
  const Matrix<float> probabilities(3, 3, {1, 0, 0, 0, 1, 0, 0, 1, 0});
  const std::vector<std::int32_t> labels{0, 1, 2};
  const Json json = scores_json(score_answers(probabilities, labels, {}));
  EXPECT_EQ(dump_json(json["confusion"]), "[[1,0,0],[0,1,0],[0,1,0]]");
  EXPECT_EQ(json.find("f1"), nullptr);
}

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
