#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "faithful/base/api.h"

namespace faithful {

// How a classifier is trained. All of it decides about the bits of the result, so all of it stands in a checkpoint.
struct TrainOptions {
  std::size_t epochs = 60;             // passes over the training windows; the schedule is laid over all of them
  std::size_t stop_after = 0;          // epochs after which to stop, whatever the schedule still holds; 0: `epochs`
  std::size_t batch = 32;              // windows of a step
  double rate = 2e-3;                  // the highest learning rate
  double warm_up = 0.1;                // share of the steps in which the rate rises to it; a cosine follows
  double floor = 0.01;                 // the rate of the last step, as a share of `rate`
  double decay = 0.01;                 // weight decay of AdamW
  double clip = 1;                     // the largest norm of the gradients; 0: as they are
  std::size_t patience = 0;            // epochs without a better validation value before it stops; 0: never
  std::string class_weights = "auto";  // in the loss; auto: n / (K n_k), every class weighs the same; none: 1
  std::string select = "auto";         // the validation value that the best epoch has the most of; auto: area under the
                                // precision-recall curve for two classes, macro F1 for more; loss: the least loss
  std::uint64_t seed = 1;  // of the start values, the order of the windows and dropout
  bool operator==(const TrainOptions&) const = default;
};

// Calls visit(name, field) for every field: the one list of their names.
template <class Options, class Visit>
void visit_train_fields(Options& options, Visit&& visit) {
  visit("epochs", options.epochs);
  visit("stop_after", options.stop_after);
  visit("batch", options.batch);
  visit("rate", options.rate);
  visit("warm_up", options.warm_up);
  visit("floor", options.floor);
  visit("decay", options.decay);
  visit("clip", options.clip);
  visit("patience", options.patience);
  visit("class_weights", options.class_weights);
  visit("select", options.select);
  visit("seed", options.seed);
}

// InputError where they are impossible: `--epochs: expected at least 1, found 0`.
FAITHFUL_API void check_train_options(const TrainOptions& options);

}  // namespace faithful
