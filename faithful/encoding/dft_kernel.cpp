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
inline constexpr std::size_t kFine = 128;      // B
inline constexpr std::size_t kLineBytes = 64;  // of the caches
}  // namespace faithful
#endif

HWY_BEFORE_NAMESPACE();
namespace faithful::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Writes values one after another to memory, whole cache lines at a time.
template <class T>
class LineWriter {
 public:
  static constexpr std::size_t kLine = kLineBytes / sizeof(T);

  LineWriter(T* out, bool stream)
      : out_(out),
        skip_(reinterpret_cast<std::uintptr_t>(out) % kLineBytes / sizeof(T)),
        used_(skip_),
        stream_(stream) {}

  // Where the next values go: at least kFine + kLine of them fit there.
  T* room() { return buffer_ + used_; }

  // That many values now stand at room().
  void wrote(std::size_t count) {
    used_ += count;
    std::size_t done = 0;
    if (skip_ > 0 && used_ >= kLine) {
      copy(skip_, kLine);
      skip_ = 0;
      done = kLine;
    }
    if (skip_ > 0) return;
    if (stream_) {
      const hn::CappedTag<T, kLine> tag;
      for (; done + kLine <= used_; done += kLine, out_ += kLine) {
        for (std::size_t i = 0; i < kLine; i += hn::Lanes(tag)) {
          hn::Stream(hn::Load(tag, buffer_ + done + i), tag, out_ + i);
        }
      }
    } else {
      const std::size_t whole = used_ / kLine * kLine;
      if (whole > done) copy(done, whole);
      done = whole;
    }
    if (done == 0) return;
    used_ -= done;
    std::memcpy(buffer_, buffer_ + done, kLine * sizeof(T));  // done >= kLine: no overlap
  }

  // Writes what is left and waits for the stores.
  void finish() {
    copy(skip_, used_);
    used_ = skip_ = 0;
    if (stream_) hwy::FlushStream();
  }

 private:
  void copy(std::size_t begin, std::size_t end) {
    if (end <= begin) return;
    std::memcpy(out_, buffer_ + begin, (end - begin) * sizeof(T));
    out_ += end - begin;
  }

  T* out_;
  std::size_t skip_;  // values of the first line that lie before the table
  std::size_t used_;
  bool stream_;
  alignas(kLineBytes) T buffer_[kFine + 3 * kLine];
};

// out[j] = c * fine_c[j] + s * fine_s[j] for j < count rounded up to whole vectors.
template <class T>
HWY_INLINE void combine(const double* HWY_RESTRICT fine_c, const double* HWY_RESTRICT fine_s, double c, double s,
                        std::size_t count, T* HWY_RESTRICT out) {
  const hn::CappedTag<double, 8> tag;  // LineWriter leaves room for that much
  const auto vc = hn::Set(tag, c), vs = hn::Set(tag, s);
  for (std::size_t j = 0; j < count; j += hn::Lanes(tag)) {
    const auto value = hn::Add(hn::Mul(vc, hn::Load(tag, fine_c + j)), hn::Mul(vs, hn::Load(tag, fine_s + j)));
    if constexpr (sizeof(T) == sizeof(double)) {
      hn::StoreU(value, tag, out + j);
    } else {
      const hn::Rebind<float, decltype(tag)> narrow;
      hn::StoreU(hn::DemoteTo(narrow, value), narrow, out + j);
    }
  }
}

template <class T>
void fill_rows(T* rows, const DftShape& shape, const RootTable& roots, std::size_t begin, std::size_t end,
               bool stream) {
  const std::size_t d = shape.dim, pairs = pair_count(d), n = roots.size();
  const DftFactors factors = dft_factors(shape);
  alignas(kLineBytes) double fine_c[kFine], fine_s[kFine];
  LineWriter<T> writer(rows, stream);
  for (std::size_t s = begin; s < end; ++s) {
    const std::uint64_t step = s % n;
    for (std::size_t j = 0; j < kFine; ++j) {
      const Root root = roots.at(j * step);
      fine_c[j] = root.cos;
      fine_s[j] = root.sin;
    }
    for (std::size_t k = 0; k <= pairs; k += kFine) {  // phi_0 and the cosines
      const Root coarse = roots.at(k * step);
      const std::size_t count = std::min(kFine, pairs + 1 - k);
      combine(fine_c, fine_s, factors.pair * coarse.cos, -factors.pair * coarse.sin, count, writer.room());
      if (k == 0) *writer.room() = static_cast<T>(factors.first);
      writer.wrote(count);
    }
    for (std::size_t k = 0; k < pairs; k += kFine) {  // the sines; block k holds those of k+1 ..
      const Root coarse = roots.at((k + 1) * step);
      const std::size_t count = std::min(kFine, pairs - k);
      combine(fine_c, fine_s, factors.pair * coarse.sin, factors.pair * coarse.cos, count, writer.room());
      writer.wrote(count);
    }
    if (d % 2 == 0) {
      *writer.room() = static_cast<T>(factors.last * roots.cos(d / 2 * step));
      writer.wrote(1);
    }
  }
  writer.finish();
}

void fill_float(float* rows, const DftShape& shape, const RootTable& roots, std::size_t begin, std::size_t end,
                bool stream) {
  fill_rows(rows, shape, roots, begin, end, stream);
}
void fill_double(double* rows, const DftShape& shape, const RootTable& roots, std::size_t begin, std::size_t end,
                 bool stream) {
  fill_rows(rows, shape, roots, begin, end, stream);
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
