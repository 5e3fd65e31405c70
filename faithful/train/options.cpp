#include "faithful/train/options.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "faithful/base/error.h"

namespace faithful {

namespace {

// What came later is recorded only where it does something.
bool is_recorded(const Setting& setting) {
  static constexpr std::string_view kLater[] = {"steps", "smoothing", "warp",   "crop",  "mix",
                                                "gain",  "jitter",    "cutout", "shards"};
  if (std::ranges::find(kLater, setting.field.name) == std::end(kLater)) return true;
  const FieldValue value = value_of(setting);
  return value != FieldValue(std::size_t{0}) && value != FieldValue(0.0);
}

}  // namespace

TrainOptions train_preset(std::string_view preset_name) {
  if (preset_name != "standard") return {.patience = 15};
  return {.epochs = 0,
          .batch = 0,
          .floor = 0,
          .class_weights = ClassWeights::kNone,
          .select = Selection::kLast,
          .smoothing = 0.1,
          .augmentation = {.warp = 0.3, .crop = 0.1, .mix = 0.2, .gain = 0.1}};
}

TrainOptions settled(const TrainOptions& options, std::size_t windows) {
  constexpr std::size_t kFew = 1000, kFewestSteps = 1200, kMostSteps = 6000, kPasses = 80;
  TrainOptions made = options;
  if (made.batch == 0) made.batch = windows < kFew ? 16 : 32;
  if (made.epochs == 0 && made.steps == 0)
    made.steps = std::clamp(kPasses * windows / made.batch, kFewestSteps, kMostSteps);
  if (made.epochs == 0)
    made.epochs = std::max<std::size_t>(1, made.steps * made.batch / std::max<std::size_t>(windows, 1));
  return made;
}

std::vector<Setting> settings(TrainOptions& options) {
  std::vector<Setting> all = {
      {{"epochs",
        "N",
        "passes over the training part; 0: as many steps as suit the data",
        {.least = 0, .most = 1e9, .common = true}},
       &options.epochs},
      {{"stop_after", "N", "epochs after which to stop on the same schedule; 0: all", {.least = 0}},
       &options.stop_after},
      {{"batch",
        "B",
        "windows of a training step; 0: as many as suit the data",
        {.least = 0, .most = 1e9, .common = true}},
       &options.batch},
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
        "measure that chooses the best epoch; auto: AUC-PR for two classes, else macro F1; last: no choice",
        {.choices = {"auto", "loss", "last"}}},
       choice_of(options.select)},
      {{"steps", "N", "training steps, instead of epochs; 0: by epochs", {.least = 0, .most = 1e9, .common = true}},
       &options.steps},
      {{"smoothing", "X", "share of each label that is spread evenly over all classes", {.least = 0, .below = 1}},
       &options.smoothing},
      {{"warp", "X", "augmentation: how much the speed of a window varies", {.least = 0, .most = 3}},
       &options.augmentation.warp},
      {{"crop", "X", "augmentation: how far the length of a window varies", {.least = 0, .below = 1}},
       &options.augmentation.crop},
      {{"mix", "X", "augmentation: how much of other channels a channel gets", {.least = 0, .most = 10}},
       &options.augmentation.mix},
      {{"gain", "X", "augmentation: how much the factor of a channel varies", {.least = 0, .most = 10}},
       &options.augmentation.gain},
      {{"jitter", "X", "augmentation: deviation of noise on each value", {.least = 0, .most = 10}},
       &options.augmentation.jitter},
      {{"cutout", "X", "augmentation: largest share of a window that is set to zero", {.least = 0, .below = 1}},
       &options.augmentation.cutout},
      {{"shards",
        "N",
        "parts of a batch, which the ranks of a job share; 0: 8, or 2 with batch norms; the result depends on it",
        {.most = 1024}},
       &options.shards},
      {{"seed", "N", "seed of start values, batches, dropout and augmentation"}, &options.seed}};
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
  for (const Setting& setting : settings(copy)) {
    if (is_recorded(setting)) fields.emplace_back(setting.field.key, value_of(setting));
  }
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
