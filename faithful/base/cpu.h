#pragma once

#include <string>
#include <vector>

#include "faithful/base/api.h"

namespace faithful {

// The vector instruction set that the kernels use on this machine: the best one there is, or the one that the
// environment variable FAITHFUL_ISA names (scalar, ssse3, sse4, avx2, avx512, neon). InputError where that one is
// unknown or not on this machine.
FAITHFUL_API std::string instruction_set();

// What FAITHFUL_ISA may name here, best first.
FAITHFUL_API std::vector<std::string> instruction_sets();

}  // namespace faithful
