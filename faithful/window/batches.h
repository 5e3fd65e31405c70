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
};

// The order in which an epoch goes through the windows: only seed and epoch decide it, so that every model sees
// the same batches.
class FAITHFUL_API Batches {
 public:
  Batches(const Windows& windows, const BatchOptions& options);  // at epoch 0

  void start_epoch(std::size_t epoch);  // allocates nothing
  std::size_t count() const;
  std::span<const std::uint32_t> operator[](std::size_t batch) const;  // numbers of windows, for Windows::fill_into

 private:
  BatchOptions options_;
  std::vector<std::uint32_t> order_;
};

}  // namespace faithful
