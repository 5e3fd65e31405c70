#pragma once

#include <cstddef>

namespace faithful::engine::testing {

// How many times operator new was called in this program so far, on any thread.
std::size_t allocation_count();

}  // namespace faithful::engine::testing
