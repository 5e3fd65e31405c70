#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace faithful::engine {

// In this scope, on this thread, numbers too small to be normal are zero: arithmetic on them can be a hundred times
// slower, and gradients die out through them.
class FlushDenormals {
 public:
#if defined(__x86_64__)
  FlushDenormals() : before_(_mm_getcsr()) {
    _mm_setcsr(static_cast<unsigned>(before_) | kFlushResults | kFlushInputs);
  }
  ~FlushDenormals() {
    _mm_setcsr(static_cast<unsigned>(before_));
  }

 private:
  static constexpr unsigned kFlushResults = 0x8000, kFlushInputs = 0x0040;
#elif defined(__aarch64__)
  FlushDenormals() {
    asm volatile("mrs %0, fpcr" : "=r"(before_));
    asm volatile("msr fpcr, %0" ::"r"(before_ | kFlush));
  }
  ~FlushDenormals() {
    asm volatile("msr fpcr, %0" ::"r"(before_));
  }

 private:
  static constexpr std::uint64_t kFlush = std::uint64_t{1} << 24;
#else
  FlushDenormals() = default;

 private:
#endif
  std::uint64_t before_ = 0;

 public:
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;
};

}  // namespace faithful::engine
