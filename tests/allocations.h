#pragma once

#include <cstddef>

// A test program that calls one of these gets an operator new that counts (tests/allocations.cpp is linked with it).
namespace faithful::testing {

std::size_t allocation_count();    // calls of operator new so far
std::size_t largest_allocation();  // bytes of the largest single one since forget_largest()
void forget_largest();

}  // namespace faithful::testing
