#pragma once

#include <cstddef>
#include <span>

#include "faithful/base/threads.h"
#include "faithful/model/infer.h"
#include "faithful/ranks/ranks.h"
#include "faithful/train/checkpoint.h"
#include "faithful/window/windows.h"

// What the ranks of a training do together besides the sum of the gradients. All ranks call these.

namespace faithful::train {

// The ranks where there are several, else none.
inline Ranks* several(Ranks* ranks) {
  return ranks == nullptr || ranks->is_alone() ? nullptr : ranks;
}

// Rank 0 writes and reports; so does a process without ranks.
inline bool is_first(const Ranks* ranks) {
  return ranks == nullptr || ranks->is_first();
}

// InputError where there are more ranks than shards of a batch, and where ranks have different data, options or
// instruction sets.
void check_same_training(Ranks& ranks, const Identity& identity, std::size_t shards, std::size_t batch);

// Error where ranks have come to different weights: the same steps on processors or libraries that compute otherwise.
void check_same_weights(Ranks& ranks, std::span<const float> weights, std::size_t epoch);

// logits_into of all windows, dealt to the ranks in whole batches.
void logits_over_ranks_into(Ranks* ranks, const WindowModel& model, const Windows& windows, ThreadPool& pool,
                            std::span<float> logits);  // [windows, outputs]

}  // namespace faithful::train
