#include <gtest/gtest.h>

#include "faithful/base/error.h"
#include "faithful/evaluate/evaluation.h"
#include "faithful/metrics/decide.h"
#include "faithful/model/infer.h"
#include "faithful/trained/match.h"
#include "tests/trained/small_models.h"

namespace faithful {
namespace {

using testing::random_dataset;
using testing::small_config;
using testing::small_model;

std::string complaint_about(Dataset& dataset, const TrainedModel& model) {
  try {
    windows_to_evaluate(dataset, model);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ModelEvaluation, ScoresAtTheThresholdOfTheModel) {
  const TrainedModel model = small_model(small_config());
  Dataset data = random_dataset(model.channels, {40, 33});
  data.name = "june";
  ThreadPool pool(2);
  const Windows windows = windows_to_evaluate(data, model);
  ASSERT_EQ(windows.size(), 12U + 9U) << "of 7 samples, 3 apart";
  const Evaluation found = evaluate_model(model, windows, {.threshold = 0.9, .resamples = 50}, pool);
  EXPECT_EQ(found.options.threshold, model.threshold);
  EXPECT_EQ(found.probabilities.values, probabilities_of(*model.predictor, windows, pool).values);
  Confusion wanted;
  const std::vector<std::int32_t> truth = windows.labels(), predicted = decide(found.probabilities, model.threshold);
  wanted = confusion(flags_of(truth), flags_of(predicted));
  EXPECT_EQ(*found.scores.binary, wanted);
  const Json json = to_json(found, model, windows, false);
  EXPECT_EQ(json["threshold"], Json(model.threshold));
  EXPECT_EQ(json["data"], Json("june"));
  EXPECT_EQ(json["held_out"], Json(false));
  EXPECT_EQ(json["scores"]["f1"], Json(wanted.f1()));
  EXPECT_EQ(json["intervals"]["log_loss"].items().size(), 2U);
  EXPECT_EQ(found.measures.back().found.value, *found.scores.brier);
  std::int64_t counted = 0;
  for (const Json& bin : json["reliability"].items()) counted += bin["count"].integer();
  EXPECT_EQ(counted, 21);
  ASSERT_EQ(data.notes.size(), 1U);
  EXPECT_EQ(data.notes[0], scaling_note(model)) << "its series have statistics of their own";
}

// Without statistics of single series.
TrainedModel common_model() {
  TrainedModel model = small_model(small_config());
  model.scaler.by_series.clear();
  return model;
}

TEST(ModelEvaluation, LeavesOutWhatHasNoLabels) {
  const TrainedModel model = common_model();
  Dataset data = random_dataset(model.channels, {40, 33, 20});
  data.name = "june";
  data.series[1].labels.clear();
  const Windows windows = windows_to_evaluate(data, model);
  EXPECT_EQ(data.series.size(), 2U);
  EXPECT_EQ(data.notes, std::vector<std::string>{"1 series without labels are left out"});
  EXPECT_EQ(windows.size(), 12U + 5U);
  for (Series& series : data.series) series.labels.clear();
  EXPECT_EQ(complaint_about(data, model), "pumps.csv: expected labels to compare with, found none (label = COLUMN)");
}

TEST(ModelEvaluation, NotesDataOfTheTraining) {
  const TrainedModel model = common_model();
  Dataset data = random_dataset(model.channels, {40});
  windows_to_evaluate(data, model);
  ASSERT_EQ(data.notes.size(), 1U);
  EXPECT_EQ(spelled(data.notes[0]),
            "this data has the name of that which the model was trained on: where it has the same rows, the scores are "
            "too good");
}

}  // namespace
}  // namespace faithful
