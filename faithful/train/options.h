#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/field.h"

namespace faithful {

enum class ClassWeights : std::uint8_t {
  kAuto,  // n / (K n_k): every class weighs the same
  kNone,  // 1
};
// The validation value that the best epoch has the most of.
enum class Selection : std::uint8_t {
  kAuto,  // two classes: area under the precision-recall curve; more: macro F1
  kLoss,  // the least loss
  kLast,  // none: the last epoch is the one, and only it is validated
};

// Random changes to each window before each training step, so that a small set teaches more. 0: none of that kind.
struct Augmentation {
  double warp = 0;    // deviation of the logarithm of the speed, which varies along the window
  double crop = 0;    // a stretch of 1 - crop to 1 + crop of the length, at a random place; the ends are repeated
  double mix = 0;     // deviation of what a channel gets of other channels
  double gain = 0;    // deviation of a factor of each channel
  double jitter = 0;  // deviation of noise on each value
  double cutout = 0;  // the largest share of the window that is set to zero
  bool operator==(const Augmentation&) const = default;
};

// How a classifier is trained. All of it decides about the bits of the result, so all of it stands in a checkpoint.
struct TrainOptions {
  std::size_t epochs = 60;      // passes over the training windows; the schedule is laid over all of them
  std::size_t steps = 0;        // training steps, over as many epochs as they take; 0: `epochs` decides, and if that is
                                // 0, too, the number of training windows (settled)
  std::size_t stop_after = 0;   // epochs after which to stop, whatever the schedule still holds; 0: `epochs`
  std::size_t batch = 32;       // windows of a step; 0: as many as suit their number
  double learning_rate = 2e-3;  // the highest
  double warm_up = 0.1;         // share of the steps in which the learning rate rises to it; a cosine follows
  double floor = 0.01;          // the learning rate of the last step, as a share of the highest
  double decay = 0.01;          // weight decay of AdamW
  double clip_norm = 1;         // the largest norm of the gradients; 0: as they are
  std::size_t patience = 0;     // epochs without a better validation value before it stops; 0: never
  ClassWeights class_weights = ClassWeights::kAuto;  // in the loss
  Selection select = Selection::kAuto;
  double smoothing = 0;  // share of each label that is spread evenly over all classes
  Augmentation augmentation = {};
  std::size_t shards = 0;  // parts of a batch, whose gradients are added in their order; 0: 8, or 2 where batch norms
                           // take their statistics from a shard. Ranks share them
  std::uint64_t seed = 1;  // of the start values, the order of the windows, dropout and augmentation
  bool operator==(const TrainOptions&) const = default;
};

// Where a training keeps what it needs to go on after it was stopped.
struct CheckpointOptions {
  std::string path = {};  // empty: no checkpoints
  double seconds = 30;    // at most every so often; 0: after every step
  bool resume = false;    // go on from the checkpoint at `path` where there is one
};

// What suits a preset of the model (faithful/model/config.h).
FAITHFUL_API TrainOptions train_preset(std::string_view preset_name);

// The same with batch and steps for so many training windows, where the options leave them to the data.
FAITHFUL_API TrainOptions settled(const TrainOptions& options, std::size_t windows);

// Every field by its name, in the order of checkpoints and files: the one table that describes them.
FAITHFUL_API std::vector<Setting> settings(TrainOptions& options);

// The fields by the names that checkpoints and files have for them. Steps, smoothing and augmentation are left out where
// they are 0, so that old keys and files stay valid.
FAITHFUL_API std::vector<std::pair<std::string, FieldValue>> recorded_fields(const TrainOptions& options);

// InputError where they are impossible: `epochs: expected a whole number of at least 1, found 0`.
FAITHFUL_API void check_train_options(const TrainOptions& options);

}  // namespace faithful
