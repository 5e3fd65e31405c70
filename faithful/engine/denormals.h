#pragma once

#include <cstdint>

#include "faithful/base/api.h"

namespace faithful::engine {

// In this scope, on this thread, numbers too small to be normal are zero: arithmetic on them can be a hundred times
// slower, and dying gradients pass through them.
class FAITHFUL_API FlushDenormals {
 public:
  FlushDenormals();
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  std::uint64_t before_;  // the processor's control word
};

}  // namespace faithful::engine
