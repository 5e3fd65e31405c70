#include "faithful/base/version.h"
#include "faithful/train/record_json_internal.h"

namespace faithful::train {

namespace {

Json data_json(const Dataset& dataset) {
  Json json = Json::Object{{"name", dataset.name},
                           {"format", dataset.format},
                           {"series", dataset.series.size()},
                           {"rows", dataset.rows()},
                           {"channels", dataset.channels.size()}};
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

}  // namespace

Json record_json(const FitResult& result, const FitOptions& options, const SplitOptions& split,
                 const Dataset& dataset) {
  const TrainRecord& training = result.training.record;
  Json baselines = Json::object();
  for (const Baseline& baseline : result.baselines) baselines.set(baseline.name, to_json(baseline.test));
  return Json::Object{{"program", build_info().version},
                      {"data", data_json(dataset)},
                      {"split", split_json(split)},
                      {"proof", parse_json(to_json(result.sets.proof), "proof")},
                      {"scaler", to_string(options.scaler)},
                      {"training", options_json(options.train)},
                      {"epochs", training.history.size()},
                      {"best_epoch", training.best_epoch},
                      {"epochs_chosen", result.epochs_chosen},
                      {"history", history_json(training.history)},
                      {"cross_validation", history_json(result.mean_of_folds)},
                      {"test", to_json(result.test)},
                      {"baselines", baselines}};
}

}  // namespace faithful::train
