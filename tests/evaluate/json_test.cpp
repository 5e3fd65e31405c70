#include <cmath>
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

TEST(ScoresJson, Probabilities) {
  const Matrix<float> probabilities(2, 2, {0.25F, 0.75F, 0.5F, 0.5F});
  const Json json = to_json(score_predictions(probabilities, std::vector<std::int32_t>{1, 1}, {}));
  EXPECT_DOUBLE_EQ(json["log_loss"].number(), (std::log(4.0 / 3) + std::log(2.0)) / 2);
  EXPECT_EQ(json["brier"].number(), (2 * 0.0625 + 2 * 0.25) / 2);
  EXPECT_EQ(json["ece"].number(), (0.25 + 0.5) / 2);
  EXPECT_EQ(json["ece_floor"].number(), (2 * 0.75 * 0.25 + 2 * 0.5 * 0.5) / 2);
  const Json none = to_json(score_predictions(probabilities, std::vector<std::int32_t>{kNoLabel, kNoLabel}, {}));
  for (const char* name : {"log_loss", "brier", "ece", "ece_floor"}) EXPECT_TRUE(none[name].is_null()) << name;
  const Matrix<float> bad(1, 3, {NAN, NAN, NAN});
  EXPECT_TRUE(to_json(score_predictions(bad, std::vector<std::int32_t>{1}, {}))["log_loss"].is_null());
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
