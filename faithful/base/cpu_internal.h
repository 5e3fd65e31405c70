#pragma once

#include <string>

namespace faithful {

// From now on the kernels use this one of instruction_sets(): for tests that compare them. InputError where it is none
// of those. Not while kernels run.
void use_instruction_set(const std::string& name);

}  // namespace faithful
