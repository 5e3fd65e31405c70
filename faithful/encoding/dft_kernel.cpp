// Row s of the table needs the roots k*s mod N for all k: a walk with stride s through the table of roots, which misses
// the caches at every step. Instead k = B b + j, and root(k s) = root(B b s) root(j s): B fine and K/B coarse roots a
// row are looked up, the rest is one complex product a value, at the speed of memory. Products and sums are not fused,
// so that every instruction set gives the same bits; the error is below 2 ulp of 1.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "faithful/encoding/dft_kernel.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h stands before highway.h, as Highway wants it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "faithful/encoding/dft_kernel_internal.h"

#ifndef FAITHFUL_ENCODING_DFT_KERNEL_ONCE
#define FAITHFUL_ENCODING_DFT_KERNEL_ONCE
namespace faithful {
inline constexpr std::size_t kFine = 256;      // B
inline constexpr std::size_t kMostLanes = 16;  // of a vector of floats
inline constexpr std::size_t kLineBytes = 64;  // of the caches
}  // namespace faithful
#endif

HWY_BEFORE_NAMESPACE();
namespace faithful::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A cache line is a whole number of these vectors.
template <class T>
using LineTag = hn::CappedTag<T, kLineBytes / sizeof(T)>;

// out[j] = a * x[j] + b * y[j] for whole vectors until `count` is reached, past the caches if `kStream`.
template <bool kStream, class T>
HWY_INLINE void combine(const double* HWY_RESTRICT x, const double* HWY_RESTRICT y, double a, double b,
                        std::size_t count, T* HWY_RESTRICT out) {
  const LineTag<double> wide;
  const LineTag<T> tag;
  const auto va = hn::Set(wide, a), vb = hn::Set(wide, b);
  const auto sum = [&](std::size_t j) HWY_ATTR {
    return hn::Add(hn::Mul(va, hn::LoadU(wide, x + j)), hn::Mul(vb, hn::LoadU(wide, y + j)));
  };
  const auto value = [&](std::size_t j) HWY_ATTR {
    if constexpr (sizeof(T) == sizeof(double)) {
      return sum(j);
    } else {
      const hn::Rebind<float, decltype(wide)> half;
#if HWY_TARGET == HWY_SCALAR
      return hn::DemoteTo(half, sum(j));
#else
      // Only whole vectors can be streamed.
      return hn::Combine(tag, hn::DemoteTo(half, sum(j + hn::Lanes(wide))), hn::DemoteTo(half, sum(j)));
#endif
    }
  };
  for (std::size_t j = 0; j < count; j += hn::Lanes(tag)) {
    if constexpr (kStream) {
      hn::Stream(value(j), tag, out + j);
    } else {
      hn::StoreU(value(j), tag, out + j);
    }
  }
}

// Writes values one after another to memory. Streaming stores must fill whole cache lines, and rows and blocks begin
// anywhere: the line under work is kept here until it is full.
template <class T, bool kStream>
class LineWriter {
 public:
  explicit LineWriter(T* out) : used_(reinterpret_cast<std::uintptr_t>(out) % kLineBytes / sizeof(T)), skip_(used_) {
    line_start_ = out - used_;
  }

  // Appends a * x[j] + b * y[j] for j < count. x and y can be read kMostLanes values beyond that.
  void append(const double* x, const double* y, double a, double b, std::size_t count) {
    std::size_t j = 0;
    if (used_ > 0) {
      j = std::min(kLine - used_, count);
      combine<false>(x, y, a, b, j, line_ + used_);
      used_ += j;
      if (used_ < kLine) return;
      write_line();
    }
    const std::size_t lines = (count - j) / kLine * kLine;
    combine<kStream>(x + j, y + j, a, b, lines, line_start_);
    line_start_ += lines;
    j += lines;
    combine<false>(x + j, y + j, a, b, count - j, line_);
    used_ = count - j;
  }

  void append(T value) {
    line_[used_++] = value;
    if (used_ == kLine) write_line();
  }

  // Writes what is left and waits for the stores.
  void finish() {
    write_line();
    if constexpr (kStream) hwy::FlushStream();
  }

 private:
  static constexpr std::size_t kLine = kLineBytes / sizeof(T);

  void write_line() {
    if (kStream && skip_ == 0 && used_ == kLine) {
      const LineTag<T> tag;
      for (std::size_t i = 0; i < kLine; i += hn::Lanes(tag))
        hn::Stream(hn::Load(tag, line_ + i), tag, line_start_ + i);
    } else if (used_ > skip_)
      std::memcpy(line_start_ + skip_, line_ + skip_, (used_ - skip_) * sizeof(T));
    line_start_ += kLine;
    used_ = skip_ = 0;
  }

  T* line_start_;     // of the line under work
  std::size_t used_;  // values of that line
  std::size_t skip_;  // the first of them, which lie before the table
  alignas(kLineBytes) T line_[kLine + kMostLanes];
};

// Visits the roots start, start + step, start + 2 step, .. of the table without dividing, and loads each one step
// ahead: the table is larger than the fast caches.
class RootWalk {
 public:
  RootWalk(const RootTable& roots, std::uint64_t start, std::uint64_t step)
      : roots_(roots), at_(start % roots.size()), step_(step % roots.size()), ahead_(roots.reduced(at_)) {}
  Root next() {
    const Root root = ahead_;
    at_ += step_;
    if (at_ >= roots_.size()) at_ -= roots_.size();
    ahead_ = roots_.reduced(at_);
    return root;
  }

 private:
  const RootTable& roots_;
  std::uint64_t at_, step_;
  Root ahead_;
};

template <class T, bool kStream>
void fill_rows(T* rows, const DftShape& shape, const RootTable& roots, std::size_t begin, std::size_t end) {
  const std::size_t d = shape.dim, pairs = pair_count(d), n = roots.size();
  const DftFactors factors = dft_factors(shape);
  alignas(kLineBytes) double fine_c[kFine + kMostLanes] = {}, fine_s[kFine + kMostLanes] = {};
  LineWriter<T, kStream> writer(rows);
  for (std::size_t s = begin; s < end; ++s) {
    const std::uint64_t step = s % n;
    RootWalk fine(roots, step, step), coarse_c(roots, 0, kFine * step), coarse_s(roots, 0, kFine * step);
    for (std::size_t j = 0; j < kFine; ++j) {
      const Root root = fine.next();
      fine_c[j] = root.cos;
      fine_s[j] = root.sin;
    }
    writer.append(static_cast<T>(factors.first));
    for (std::size_t k = 1; k <= pairs; k += kFine) {  // cos(x + y) = cos x cos y - sin x sin y
      const Root coarse = coarse_c.next();
      writer.append(fine_c, fine_s, factors.pair * coarse.cos, -factors.pair * coarse.sin,
                    std::min(kFine, pairs + 1 - k));
    }
    for (std::size_t k = 1; k <= pairs; k += kFine) {  // sin(x + y) = sin x cos y + cos x sin y
      const Root coarse = coarse_s.next();
      writer.append(fine_c, fine_s, factors.pair * coarse.sin, factors.pair * coarse.cos,
                    std::min(kFine, pairs + 1 - k));
    }
    if (d % 2 == 0) writer.append(static_cast<T>(factors.last * roots.cos(d / 2 * step)));
  }
  writer.finish();
}

void fill_float(float* rows, const DftShape& shape, const RootTable& roots, std::size_t begin, std::size_t end,
                bool stream) {
  (stream ? fill_rows<float, true> : fill_rows<float, false>)(rows, shape, roots, begin, end);
}
void fill_double(double* rows, const DftShape& shape, const RootTable& roots, std::size_t begin, std::size_t end,
                 bool stream) {
  (stream ? fill_rows<double, true> : fill_rows<double, false>)(rows, shape, roots, begin, end);
}

}  // namespace faithful::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace faithful {

HWY_EXPORT(fill_float);
HWY_EXPORT(fill_double);

void fill_dft_rows(float* rows, const DftShape& shape, const RootTable& roots, std::size_t begin, std::size_t end,
                   bool stream) {
  HWY_DYNAMIC_DISPATCH(fill_float)(rows, shape, roots, begin, end, stream);
}
void fill_dft_rows(double* rows, const DftShape& shape, const RootTable& roots, std::size_t begin, std::size_t end,
                   bool stream) {
  HWY_DYNAMIC_DISPATCH(fill_double)(rows, shape, roots, begin, end, stream);
}

DftFactors dft_factors(const DftShape& shape) {
  const double d = static_cast<double>(shape.dim);
  const double single = shape.factor * std::sqrt(1 / d), pair = shape.factor * std::sqrt(2 / d);
  return {single, pair, shape.repeats_after() == shape.dim ? single : pair};
}

}  // namespace faithful
#endif
