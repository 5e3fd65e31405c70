#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "faithful/base/api.h"

namespace faithful {

// Philox4x32-10 (Salmon et al. 2011): a bijection of a 128-bit counter under a 64-bit key. Stateless: the same
// counter and key give the same numbers on every machine, in any order, on any thread.
using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;
FAITHFUL_API PhiloxCounter philox(PhiloxCounter counter, PhiloxKey key);

// A 64-bit FNV-1a hash of a name: the stream of a named parameter, `Random(seed, stream_of("encoder.0.wq"))`.
FAITHFUL_API std::uint64_t stream_of(std::string_view name);

// A sequence of random numbers given by (seed, stream). Streams of one seed are independent of each other.
class FAITHFUL_API Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : seed_(seed), stream_(stream) {}

  std::uint32_t bits32();
  std::uint64_t bits64();
  double uniform();  // [0, 1), 53 bits
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double normal();                       // N(0, 1), Box-Muller; takes four words, gives one number
  std::uint64_t below(std::uint64_t n);  // unbiased in 0..n-1, n >= 1

  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t block_ = 0;  // of four words
  PhiloxCounter words_{};
  unsigned used_ = 4;  // of words_
};

}  // namespace faithful
