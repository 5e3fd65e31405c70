#include "faithful/base/version.h"
#include "faithful/data/time_steps.h"
#include "faithful/model/linear_model.h"
#include "faithful/train/record_json_internal.h"
#include "faithful/window/marks.h"

namespace faithful::train {

namespace {

Json data_json(const Dataset& dataset, const Windows& training) {
  Json json = Json::Object{{"name", dataset.name},
                           {"format", dataset.format},
                           {"series", dataset.series.size()},
                           {"rows", dataset.rows()},
                           {"channels", dataset.channels.size()}};
  if (const double step = summarize_steps(dataset).usual.sample; step > 0) json.set("step", step);
  if (!dataset.missing.empty()) json.set("missing", dataset.missing);
  if (const ContentMarks marks = content_marks(training); !marks.digests.empty()) json.set("marks", marks_json(marks));
  if (dataset.table.count > 0) json.set("columns", table_json(dataset.table));
  return json;
}

Json options_json(const TrainOptions& options) {
  Json json = Json::object();
  for (const auto& [name, value] : recorded_fields(options)) {
    json.set(name, std::visit([](const auto& of) { return Json(of); }, value));
  }
  return json;
}

// Every epoch without its seconds: those are the log's.
Json history_json(const std::vector<EpochRecord>& history) {
  Json epochs = Json::array();
  for (const EpochRecord& record : history) {
    Json epoch = Json::object();
    visit_epoch_fields(record, [&](const char* name, double value) {
      if (std::string_view(name) != "seconds") epoch.set(name, value);
    });
    epochs.push_back(epoch);
  }
  return epochs;
}

Json contest_json(const FitResult& result) {
  Json rows = Json::array();
  for (const ContestRow& row : result.contest) {
    Json one = Json::Object{{"name", row.name},
                            {"value", row.value},
                            {"log_loss", row.log_loss},
                            {"difference", row.lead.difference},
                            {"error", row.lead.error}};
    if (!row.against.empty()) one.set("against", row.against);
    if (row.log_loss_lead) {
      one.set("log_loss_difference", -row.log_loss_lead->difference);
      one.set("log_loss_error", row.log_loss_lead->error);
    }
    one.set("kept", row.kept);
    rows.push_back(std::move(one));
  }
  return Json::Object{{"measure", result.contest_measure}, {"rows", rows}};
}

// How the predictor came about: epochs of Transformers, or one fit.
void add_training(const FitResult& result, const FitOptions& options, Json& record) {
  if (!result.contest.empty()) record.set("contest", contest_json(result));
  if (result.held_out_log_loss) record.set("held_out_log_loss", *result.held_out_log_loss);
  if (result.temperature) record.set("temperature", *result.temperature);
  const WindowModel& model = *result.model.predictor;
  if (result.model.kernels() != nullptr) {
    record.set("training", Json::Object{{"biases", options.kernels.biases},
                                        {"groups", options.kernels.groups},
                                        {"seed", options.train.seed}});
    return;
  }
  if (dynamic_cast<const LinearModel*>(&model) != nullptr) {
    record.set("training", Json::Object{{"steps", options.baseline.steps}, {"seed", options.train.seed}});
    return;
  }
  const TrainRecord& training = result.training.record;
  record.set("training", options_json(options.train));
  record.set("epochs", training.history.size());
  record.set("best_epoch", training.best_epoch);
  record.set("epochs_chosen", result.epochs_chosen);
  record.set("history", history_json(training.history));
  record.set("cross_validation", history_json(result.mean_of_folds));
}

}  // namespace

Json record_json(const FitResult& result, const FitOptions& options, const SplitOptions& split,
                 const Dataset& dataset) {
  Json baselines = Json::object();
  for (const Baseline& baseline : result.baselines) baselines.set(baseline.name, to_json(baseline.test));
  Json record = Json::Object{{"program", build_info().version},
                             {"data", data_json(dataset, result.sets.train)},
                             {"split", split_json(split)},
                             {"proof", parse_json(to_json(result.sets.proof), "proof")},
                             {"scaler", to_string(options.scaler)}};
  add_training(result, options, record);
  record.set("test", to_json(result.test));
  record.set("baselines", baselines);
  return record;
}

}  // namespace faithful::train
