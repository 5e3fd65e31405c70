#include "faithful/evaluate/held_out.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/trained/small_models.h"

namespace faithful::testing {
namespace {

const Matrix<float>& held_out() {
  static const Matrix<float> p(4, 2, {0.25F, 0.75F, 0.5F, 0.5F, 1, 0, 0.75F, 0.25F});
  return p;
}
using Labels = std::vector<std::int32_t>;

TEST(KeepCalibration, OfWholeSeries) {
  TrainedModel model = small_model(small_config());
  model.window.length = 0;
  keep_calibration(model, held_out(), Labels{1, 0, kNoLabel, 1});
  ASSERT_TRUE(model.conformal);
  EXPECT_EQ(model.conformal->scores, (std::vector<float>{0.25F, 0.5F, 0.75F}));
  EXPECT_EQ(model.conformal->count, 3U);
  EXPECT_EQ(model.record["held_out"]["windows"], Json(3));
  EXPECT_DOUBLE_EQ(model.record["held_out"]["log_loss"].number(),
                   -(std::log(0.75) + std::log(0.5) + std::log(0.25)) / 3);
}

TEST(KeepCalibration, WindowsHaveNoScoresForSets) {
  TrainedModel model = small_model(small_config());
  keep_calibration(model, held_out(), Labels{1, 0, 0, 1});
  EXPECT_FALSE(model.conformal);
  EXPECT_EQ(model.record["held_out"]["windows"], Json(4));
}

TEST(KeepCalibration, NothingChangesWithoutScores) {
  TrainedModel model = small_model(small_config());
  model.window.length = 0;
  const Json before = model.record;
  keep_calibration(model, held_out(), Labels(4, kNoLabel));
  keep_calibration(model, Matrix<float>(1, 2, {NAN, NAN}), Labels{1});
  EXPECT_FALSE(model.conformal);
  EXPECT_EQ(model.record, before);
}

}  // namespace
}  // namespace faithful::testing
