#include "faithful/engine/denormals.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace faithful::engine {

#if defined(__x86_64__)

namespace {
constexpr unsigned kFlushResults = 0x8000, kFlushInputs = 0x0040;
}
FlushDenormals::FlushDenormals() : before_(_mm_getcsr()) {
  _mm_setcsr(static_cast<unsigned>(before_) | kFlushResults | kFlushInputs);
}
FlushDenormals::~FlushDenormals() {
  _mm_setcsr(static_cast<unsigned>(before_));
}

#elif defined(__aarch64__)

namespace {
constexpr std::uint64_t kFlush = std::uint64_t{1} << 24;
}
FlushDenormals::FlushDenormals() : before_(0) {
  asm volatile("mrs %0, fpcr" : "=r"(before_));
  asm volatile("msr fpcr, %0" ::"r"(before_ | kFlush));
}
FlushDenormals::~FlushDenormals() {
  asm volatile("msr fpcr, %0" ::"r"(before_));
}

#else

FlushDenormals::FlushDenormals() : before_(0) {}
FlushDenormals::~FlushDenormals() = default;

#endif

}  // namespace faithful::engine
