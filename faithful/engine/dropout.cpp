#include <cmath>

#include "faithful/base/random.h"
#include "faithful/engine/kernels.h"
#include "faithful/engine/operators.h"

namespace faithful::engine {

namespace {

// The factors of one sample's elements, 0 or 1 / (1 - p). One call of the generator serves eight elements, 16 bits
// each.
template <class T>
void draw_factors(const Draws& draws, std::uint32_t sample, std::uint32_t number, std::size_t count,
                  std::uint32_t dropped, T* factors) {
  constexpr std::size_t kPerCall = 8;
  constexpr std::uint32_t kAll = 65536;
  const T keep = static_cast<T>(static_cast<double>(kAll) / (kAll - dropped));
  const PhiloxKey key{static_cast<std::uint32_t>(draws.seed), static_cast<std::uint32_t>(draws.seed >> 32)};
  for (std::size_t i = 0; i < count; i += kPerCall) {
    const PhiloxCounter words = philox({static_cast<std::uint32_t>(i / kPerCall), number, sample, draws.step}, key);
    for (std::size_t e = 0; e < kPerCall && i + e < count; ++e) {
      const std::uint32_t bits = words[e / 2] >> (e % 2 * 16) & 0xFFFF;
      factors[i + e] = bits < dropped ? T(0) : keep;
    }
  }
}

}  // namespace

template <class T>
Tensor<T> dropout(Tape<T>& tape, Tensor<T> x, double p) {
  assert(p >= 0 && p < 1);
  if (!tape.training() || p == 0) return x;
  const auto timing = tape.time("dropout");
  // A number of its own even for the smallest p, so that changing p of one operator moves no other's draws.
  const std::uint32_t number = tape.next_draw();
  const auto dropped = static_cast<std::uint32_t>(std::min(std::lround(p * 65536), 65535L));
  assert(x.contiguous());
  const Tensor<T> y = tape.make(x.shape);
  T* factors = tape.arena().template take<T>(x.shape.count());
  const std::size_t samples = x.shape.rank() > 1 ? x.shape[0] : 1, each = x.shape.count() / samples;
  for (std::size_t b = 0; b < samples; ++b) {
    const auto sample = static_cast<std::uint32_t>(tape.draws().first_sample + b);
    draw_factors(tape.draws(), sample, number, each, dropped, factors + b * each);
  }
  std::copy_n(x.data, x.shape.count(), y.data);
  multiply(static_cast<const T*>(factors), x.shape.count(), y.data);
  tape.record("dropout", y, [&tape, x, y, factors] {
    if (!tape.wants(x)) return;
    T* dy = tape.gradient_of(y);
    multiply(static_cast<const T*>(factors), x.shape.count(), dy);
    const Gradient<T> to = tape.gradient(x);
    if (to.add) {
      add(static_cast<const T*>(dy), x.shape.count(), to.data);
    } else {
      std::copy_n(dy, x.shape.count(), to.data);
    }
  });
  return y;
}

template Tensor<float> dropout(Tape<float>&, Tensor<float>, double);
template Tensor<double> dropout(Tape<double>&, Tensor<double>, double);

}  // namespace faithful::engine
