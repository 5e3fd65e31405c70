#include "tests/allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::size_t> count = 0;
std::atomic<std::size_t> largest = 0;
std::atomic<std::size_t> until_failure = 0;  // allocations; 0: none fails

bool is_failing() {
  std::size_t left = until_failure.load();
  while (left > 0 && !until_failure.compare_exchange_weak(left, left - 1)) {
  }
  return left == 1;
}
}  // namespace

namespace faithful::testing {

std::size_t allocation_count() {
  return count;
}
std::size_t largest_allocation() {
  return largest;
}
void forget_largest() {
  largest = 0;
}
bool fail_allocation(std::size_t n) {
  return until_failure.exchange(n) > 0;
}

}  // namespace faithful::testing

// Replaced as a family (AddressSanitizer sees to it that they match), and not inlined: g++ would take malloc and free
// for a mismatched pair.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++count;
  std::size_t seen = largest.load();
  while (size > seen && !largest.compare_exchange_weak(seen, size)) {
  }
  return is_failing() ? nullptr : std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
