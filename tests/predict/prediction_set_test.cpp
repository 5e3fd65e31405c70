#include <gtest/gtest.h>

#include "faithful/predict/predict.h"
#include "tests/support.h"
#include "tests/trained/small_models.h"

namespace faithful::testing {
namespace {

using Classes = std::vector<std::int32_t>;

TrainedModel model_of_series() {
  TrainedModel model = small_model(small_config("dft", 4));
  model.window.length = 0;
  model.conformal = {.scores = {0.125F, 0.25F, 0.5F, 0.75F}, .count = 4};
  return model;
}

TEST(PredictionSet, ClassesWithinTheLimit) {
  const std::vector<float> p = {0.25F, 0.5F, 0.0F, 0.25F};
  EXPECT_EQ(prediction_set(p, {0.75F}), (Classes{1, 0, 3})) << "most probable first, equal ones in their order";
  EXPECT_EQ(prediction_set(p, {0.74F}), (Classes{1}));
  EXPECT_EQ(prediction_set(p, {0.1F}), (Classes{1})) << "never empty";
  EXPECT_EQ(prediction_set(p, {1}), (Classes{1, 0, 3, 2}));
}

TEST(PredictionSet, LimitFollowsTheCoverage) {
  const TrainedModel model = model_of_series();
  EXPECT_EQ(choose_set_limit(model, 0.6).value, 0.5F) << "ceil(5 * 0.6) = 3";
  EXPECT_EQ(choose_set_limit(model, 0.8).value, 0.75F);
  EXPECT_EQ(choose_set_limit(model, 0.8).note, "");
  const SetLimit all = choose_set_limit(model, 0.81);
  EXPECT_EQ(all.value, 1);
  EXPECT_EQ(all.note, "every set has all classes: 4 held-out series promise a coverage of at most 0.8");
}

TEST(PredictionSet, Messages) {
  TrainedModel model = model_of_series();
  EXPECT_EQ(rejection([&] { choose_set_limit(model, 1); }), "coverage: expected a number between 0 and 1, found 1");
  model.conformal.reset();
  EXPECT_EQ(rejection([&] { choose_set_limit(model, 0.9); }),
            "coverage: expected a model that keeps held-out scores, found none (models of whole series keep them where "
            "a part of the data validates, as with folds = 5)");
  model.window.length = model.shape().length;
  EXPECT_EQ(rejection([&] { choose_set_limit(model, 0.9); }),
            "coverage: expected a model of whole series, found one of windows (windows of a timeline overlap, so no "
            "coverage can be promised for them)");
}

}  // namespace
}  // namespace faithful::testing
