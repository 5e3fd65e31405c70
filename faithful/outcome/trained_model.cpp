#include "faithful/outcome/trained_model.h"

#include <algorithm>

#include "faithful/base/version.h"
#include "faithful/outcome/scores_json.h"

namespace faithful {

namespace {

Json data_json(const Dataset& dataset) {
  return Json::Object{{"name", dataset.name},
                      {"format", dataset.format},
                      {"series", dataset.series.size()},
                      {"rows", dataset.rows()},
                      {"channels", dataset.channels.size()}};
}

Json split_json(const SplitOptions& split) {
  Json left_out = Json::array();
  for (const std::string& name : split.leave_out) left_out.push_back(name);
  return Json::Object{{"kind", to_string(split.kind)},          {"seed", split.seed},
                      {"window", split.window.length},          {"stride", split.window.stride},
                      {"label", to_string(split.window.label)}, {"leave_out", left_out}};
}

Json options_json(const TrainOptions& options) {
  Json json = Json::object();
  visit_train_fields(options, [&](const char* name, const auto& value) { json.set(name, value); });
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

Json record_json(const FitResult& result, const FitOptions& options, const Dataset& dataset) {
  const TrainRecord& training = result.training.record;
  Json baselines = Json::object();
  for (const Baseline& baseline : result.baselines) baselines.set(baseline.name, scores_json(baseline.test));
  return Json::Object{{"program", build_info().version},
                      {"data", data_json(dataset)},
                      {"split", split_json(result.split)},
                      {"proof", parse_json(to_json(result.sets.proof), "proof")},
                      {"scaler", to_string(options.scaler.kind)},
                      {"training", options_json(options.train)},
                      {"epochs", training.history.size()},
                      {"best_epoch", training.best_epoch},
                      {"epochs_chosen", result.epochs_chosen},
                      {"history", history_json(training.history)},
                      {"cross_validation", history_json(result.mean_of_folds)},
                      {"test", scores_json(result.test)},
                      {"baselines", baselines}};
}

// The shortest window that the model has seen, padding aside.
std::size_t shortest_window(const Windows& windows) {
  std::size_t shortest = windows.length();
  for (std::size_t i = 0; i < windows.size(); ++i) shortest = std::min<std::size_t>(shortest, windows[i].length);
  return shortest;
}

}  // namespace

TrainedModel trained_model(FitResult& result, const FitOptions& options, const Dataset& dataset) {
  Json record = record_json(result, options, dataset);
  return {.classifier = std::move(result.model),
          .channels = result.channels,
          .classes = result.classes,
          .window = result.split.window,
          .shortest_window = shortest_window(result.sets.train),
          .scaler = result.scaler,
          .threshold = result.threshold,
          .threshold_from = result.threshold_origin,
          .record = std::move(record)};
}

}  // namespace faithful
