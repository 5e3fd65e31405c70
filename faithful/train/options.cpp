#include "faithful/train/options.h"

#include <fmt/format.h>

#include "faithful/base/error.h"

namespace faithful {

std::vector<Setting> settings(TrainOptions& options) {
  std::vector<Setting> all = {
      {{"epochs", "N", "passes over the training part", {.least = 1, .common = true}}, &options.epochs},
      {{"stop_after", "N", "epochs after which to stop on the same schedule; 0: all", {.least = 0}},
       &options.stop_after},
      {{"batch", "B", "windows of a training step", {.least = 1, .common = true}}, &options.batch},
      {{"learning_rate", "R", "the highest learning rate", {.above = 0, .most = 10, .common = true, .key = "rate"}},
       &options.learning_rate},
      {{"warm_up",
        "X",
        "share of the steps in which the learning rate rises; after them it falls along a cosine",
        {.least = 0, .most = 1}},
       &options.warm_up},
      {{"floor", "X", "learning rate of the last step, as a share of the highest", {.least = 0, .most = 1}},
       &options.floor},
      {{"decay", "X", "weight decay", {.least = 0}}, &options.decay},
      {{"clip_norm", "X", "largest norm of the gradients; 0: no limit", {.least = 0, .key = "clip"}},
       &options.clip_norm},
      {{"patience", "N", "stops after N epochs without a better validation value; 0: never", {.common = true}},
       &options.patience},
      {{"class_weights",
        "W",
        "weights of the classes in the loss; auto: all classes count the same",
        {.choices = {"auto", "none"}}},
       choice_of(options.class_weights)},
      {{"select",
        "VALUE",
        "measure that chooses the best epoch; auto: AUC-PR for two classes, else macro F1",
        {.choices = {"auto", "loss"}}},
       choice_of(options.select)},
      {{"seed", "N", "seed of start values, batches and dropout"}, &options.seed}};
  for (Setting& setting : all) {
    const std::string& name = setting.field.name;
    const bool is_option = name != "stop_after" && name != "floor" && name != "seed";
    if (is_option) setting.field.group = FieldGroup::kTraining;
  }
  return all;
}

std::vector<std::pair<std::string, FieldValue>> recorded_fields(const TrainOptions& options) {
  std::vector<std::pair<std::string, FieldValue>> fields;
  TrainOptions copy = options;
  for (const Setting& setting : settings(copy)) fields.emplace_back(setting.field.key, value_of(setting));
  return fields;
}

void check_train_options(const TrainOptions& options) {
  TrainOptions copy = options;
  check_settings(settings(copy));
  if (options.stop_after > options.epochs) {
    reject({{.field = "stop_after"}, "at most " + field_text("epochs"), fmt::format("{}", options.stop_after)});
  }
  if (options.decay * options.learning_rate >= 1) {
    reject({{.field = "decay"}, "below 1 / " + field_text("learning_rate"), fmt::format("{}", options.decay)});
  }
}

}  // namespace faithful
