#include <algorithm>
#include <cmath>
#include <limits>

#include "faithful/model/operators_internal.h"

namespace faithful::model {

namespace {

// w = softmax of the valid scores; zeros where none is.
template <class T>
void masked_softmax_into(const Tensor<T>& scores, engine::Mask mask, std::size_t first, std::size_t count, T* w) {
  const auto valid = [&](std::size_t s) { return mask.valid.empty() || mask.valid[first + s] != 0; };
  T highest = -std::numeric_limits<T>::infinity(), total = 0;
  for (std::size_t s = 0; s < count; ++s) {
    if (valid(s)) highest = std::max(highest, *scores.row(first + s));
  }
  for (std::size_t s = 0; s < count; ++s) {
    w[s] = valid(s) ? std::exp(*scores.row(first + s) - highest) : T(0);
    total += w[s];
  }
  for (std::size_t s = 0; s < count; ++s) w[s] = total > 0 ? w[s] / total : T(0);
}

}  // namespace

template <class T>
Tensor<T> weighted_pool(Tape<T>& tape, Tensor<T> x, Tensor<T> scores, engine::Mask mask) {
  const auto timing = tape.time("weighted_pool");
  const std::size_t samples = x.shape[0], positions = x.shape[1];
  const Tensor<T> y = tape.make({samples, x.width()});
  T* w = tape.arena().template take<T>(samples * positions);
  for (std::size_t b = 0; b < samples; ++b) {
    masked_softmax_into(scores, mask, b * positions, positions, w + b * positions);
    std::fill_n(y.row(b), y.width(), T(0));
    for (std::size_t s = 0; s < positions; ++s) {
      const T* row = x.row(b * positions + s);
      for (std::size_t c = 0; c < y.width(); ++c) y.row(b)[c] += w[b * positions + s] * row[c];
    }
  }
  tape.record("weighted_pool", y, [&tape, x, scores, y, w, positions] {
    const T* dy = tape.gradient_of(y);
    const engine::Gradient<T> dx = tape.gradient(x), ds = tape.gradient(scores);
    for (std::size_t r = 0; r < x.rows(); ++r) {
      const std::size_t b = r / positions;
      T slope = 0;  // of the loss by the weight, less its mean: dy · (x - y)
      for (std::size_t c = 0; c < x.width(); ++c) {
        const T d = dy[b * y.width() + c];
        slope += d * (x.row(r)[c] - y.row(b)[c]);
        dx.row(r)[c] = dx.add ? dx.row(r)[c] + w[r] * d : w[r] * d;
      }
      *ds.row(r) = ds.add ? *ds.row(r) + w[r] * slope : w[r] * slope;
    }
  });
  return y;
}

template Tensor<float> weighted_pool(Tape<float>&, Tensor<float>, Tensor<float>, engine::Mask);
template Tensor<double> weighted_pool(Tape<double>&, Tensor<double>, Tensor<double>, engine::Mask);

}  // namespace faithful::model
