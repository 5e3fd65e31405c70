#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "faithful/evaluate/scores.h"

namespace faithful {

namespace {

TEST(ScoresJson, TwoClasses) {
  const Matrix<float> probabilities(4, 2, {0.9F, 0.1F, 0.2F, 0.8F, 0.4F, 0.6F, 0.7F, 0.3F});
  const std::vector<std::int32_t> labels{0, 1, 0, 1};
  const Json json = to_json(score_predictions(probabilities, labels, {.threshold = 0.5}));
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
  const Json json = to_json(score_predictions(probabilities, labels, {}));
  EXPECT_EQ(dump_json(json["confusion"]), "[[1,0,0],[0,1,0],[0,1,0]]");
  EXPECT_EQ(json.find("f1"), nullptr);
}

}  // namespace

}  // namespace faithful
