#pragma once

#include <cstddef>
#include <string>

#include "faithful/base/api.h"

namespace faithful {

// How much one input may take of this machine. A file can ask for far more than its own size: by compression, as a
// device without an end, by a number in its header. What is above a limit is refused with one line.
struct Limits {
  std::size_t inflated_freely = std::size_t{256} << 20;  // bytes to which any compressed input may inflate
  std::size_t inflation = 100;                           // above that: at most this many times its own size
  std::size_t input_bytes = 0;                           // of one input in memory; 0: half of the machine's memory
  std::size_t config_bytes = std::size_t{1} << 20;       // of a file of options
  std::size_t config_name = 200;                         // bytes of a key or section in it
  std::size_t period = std::size_t{1} << 24;             // of the DFT encoding, which takes 16 bytes for each step
  std::size_t training_bytes = 0;                        // of a training step; 0: the machine's memory
  bool devices = false;                                  // whether a device such as /dev/zero may be read
};

// The limits of this process: the defaults above; none where FAITHFUL_NO_LIMITS is set (and not to 0).
FAITHFUL_API const Limits& limits();
// Not while other threads read.
FAITHFUL_API void set_limits(const Limits& limits);
FAITHFUL_API Limits no_limits();

// The most bytes that `stored` compressed bytes may inflate to.
FAITHFUL_API std::size_t inflated_limit(std::size_t stored);

// What an error about a limit recommends.
FAITHFUL_API std::string limits_hint();

// The bytes of memory that this process can use: of the machine, its container, or its address space.
FAITHFUL_API std::size_t usable_memory();

}  // namespace faithful
