#pragma once

#include <cstddef>

#include "faithful/model/config.h"

namespace faithful::train {

// Roughly the bytes that one window of a batch takes in a training step: of its values, and of what the layers record
// where a shard is passed as a whole.
double bytes_of_window(const ModelConfig& config);

// InputError where a step of so many windows does not fit into limits().training_bytes, or where there are more steps
// than the optimizer counts. A batch larger than the training part is the training part.
void check_step(const ModelConfig& config, std::size_t batch, std::size_t windows, std::size_t steps);

}  // namespace faithful::train
