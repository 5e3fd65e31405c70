#pragma once

#include <cstddef>
#include <new>

// A test program that calls one of these gets an operator new that counts (tests/allocations.cpp is linked with it).
namespace faithful::testing {

std::size_t allocation_count();    // calls of operator new so far
std::size_t largest_allocation();  // bytes of the largest single one since forget_largest()
void forget_largest();

// The n-th operator new from now on throws std::bad_alloc; 0: none does. True where one was still to come.
bool fail_allocation(std::size_t n);

// Calls `work` with its first allocation failing, then with its (1 + step)-th, and so on, until none fails. Each call
// must succeed or throw std::bad_alloc; the leak checker of the sanitizers sees the rest. How many calls threw.
template <class Work>
std::size_t fail_each_allocation(std::size_t step, Work&& work) {
  std::size_t thrown = 0;
  for (std::size_t n = 1;; n += step) {
    fail_allocation(n);
    try {
      work();
      if (fail_allocation(0)) return thrown;
    } catch (const std::bad_alloc&) {
      fail_allocation(0);
      ++thrown;
    }
  }
}

}  // namespace faithful::testing
