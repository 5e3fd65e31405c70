#include <cmath>

#include "faithful/base/random.h"
#include "faithful/engine/kernels.h"
#include "faithful/engine/operators.h"

namespace faithful::engine {

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
  const Draws& draws = tape.draws();
  const PhiloxKey key{static_cast<std::uint32_t>(draws.seed), static_cast<std::uint32_t>(draws.seed >> 32)};
  const T keep = static_cast<T>(65536.0 / (65536 - dropped));
  for (std::size_t b = 0; b < samples; ++b) {
    const auto sample = static_cast<std::uint32_t>(draws.first_sample + b);
    dropout_factors({key, number, sample, draws.step, dropped}, each, keep, factors + b * each);
  }
  multiply_into(static_cast<const T*>(x.data), static_cast<const T*>(factors), x.shape.count(), y.data);
  tape.record("dropout", y, [&tape, x, y, factors] {
    if (!tape.wants(x)) return;
    T* dy = tape.gradient_of(y);
    multiply(static_cast<const T*>(factors), x.shape.count(), dy);
    if (tape.hand_over(y, x)) return;
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
