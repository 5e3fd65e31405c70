#pragma once

// Which instruction sets the kernels are compiled for; included before Highway in every kernel file.
// Left out: SSSE3 (no machine without SSE4 matters, and every set costs compile time) and SVE, whose vectors have no
// size at compile time and so cannot stand in the arrays of the matrix kernel.

#include <hwy/detect_targets.h>

#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)

#include "faithful/base/cpu.h"

namespace faithful::engine {

// Highway chooses at the first dispatch; FAITHFUL_ISA must have been read by then.
inline void obey_instruction_set() {
  static const bool done = !instruction_set().empty();
  (void)done;
}

}  // namespace faithful::engine

// The variant of an exported kernel for this machine: HWY_EXPORT(add), then FAITHFUL_KERNEL(add)(x, n, y).
#define FAITHFUL_KERNEL(name) (::faithful::engine::obey_instruction_set(), HWY_DYNAMIC_DISPATCH(name))
