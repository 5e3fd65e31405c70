#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/window/windows.h"

namespace faithful {

struct BatchOptions {
  std::size_t size = 32;  // B
  std::uint64_t seed = 1;
  bool shuffle = true;      // a new order each epoch
  bool balance = false;     // draw every class equally often, the rare ones repeatedly; needs labels
  bool drop_short = false;  // leave out the last batch where it is not full
};

// The order in which an epoch goes through the windows, by (seed, epoch) alone: every model sees the same batches.
class FAITHFUL_API Batches {
 public:
  Batches(const Windows& windows, const BatchOptions& options);  // at epoch 0

  void start_epoch(std::size_t epoch);  // allocates nothing
  std::size_t count() const;
  std::span<const std::uint32_t> operator[](std::size_t batch) const;  // numbers of windows, for Windows::fill_into

 private:
  BatchOptions options_;
  std::vector<std::vector<std::uint32_t>> by_class_;  // windows of each class that has any; one list without balance
  std::vector<std::uint32_t> order_;
};

}  // namespace faithful
