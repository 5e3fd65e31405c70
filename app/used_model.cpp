#include "app/used_model.h"

#include "faithful/base/error.h"
#include "faithful/trained/match.h"
#include "faithful/trained/model_file.h"

namespace faithful::app {

std::vector<Option> used_model_options(UsedModel& model) {
  return {{"MODEL", &model.path, "a model that faithful train wrote", required},
          {"--scale-as SERIES", &model.scale_as, "scale new data as this series of the training",
           by_default("by the statistics of all training data"), common},
          threshold_option(model.threshold, "the model's")};
}

Option threshold_option(std::string& rule, const std::string& standard) {
  return {"--threshold RULE", &rule,
          "score from which on a window is anomalous: a number, f1, false-alarms=N/day or false-alarms=N/1000samples",
          by_default(standard), common};
}

TrainedModel load_used_model(const UsedModel& used) {
  TrainedModel model = load_model(used.path);
  if (!used.scale_as.empty()) scale_as(model, used.scale_as);
  if (!used.threshold.empty()) notice(set_threshold(model, parse_threshold_rule(used.threshold)));
  return model;
}

void add_scaling_note(const TrainedModel& model, std::vector<std::string>& notes) {
  if (const std::string note = scaling_note(model); !note.empty()) notes.push_back(spelled(note, flag_text));
}

}  // namespace faithful::app
