#include <algorithm>
#include <cmath>
#include <limits>

#include "faithful/model/operators_internal.h"

namespace faithful::model {

template <class T>
Tensor<T> beside_in_heads(Tape<T>& tape, Tensor<T> x, Tensor<T> y, std::size_t heads) {
  const auto timing = tape.time("beside_in_heads");
  const std::size_t first = x.width() / heads, second = y.width() / heads, each = first + second;
  const Tensor<T> z = tape.make(x.shape.with_width(heads * each));
  for (std::size_t r = 0; r < x.rows(); ++r) {
    for (std::size_t h = 0; h < heads; ++h) {
      std::copy_n(x.row(r) + h * first, first, z.row(r) + h * each);
      std::copy_n(y.row(r % y.rows()) + h * second, second, z.row(r) + h * each + first);
    }
  }
  tape.record("beside_in_heads", z, [&tape, x, y, z, heads, first, second, each] {
    const T* dz = tape.gradient_of(z);
    if (tape.wants(x)) {
      const engine::Gradient<T> to = tape.gradient(x);
      for (std::size_t r = 0; r < x.rows(); ++r) {
        for (std::size_t i = 0; i < x.width(); ++i) {
          const T d = dz[r * z.width() + i / first * each + i % first];
          to.row(r)[i] = to.add ? to.row(r)[i] + d : d;
        }
      }
    }
    if (tape.wants(y)) {
      T* to = tape.gradient_to_add(y);
      for (std::size_t r = 0; r < x.rows(); ++r) {
        for (std::size_t i = 0; i < heads * second; ++i) {
          to[r % y.rows() * y.width() + i] += dz[r * z.width() + i / second * each + first + i % second];
        }
      }
    }
  });
  return z;
}

// Behind each head's D numbers stand two more, so that a query times a key has the terms of the token:
//   query: token (0.., 1, 0), others (x, 0, 1);   key: token (0.., theta_0, theta_1), others (x, theta_0, 0).
template <class T>
Tensor<T> with_token_terms(Tape<T>& tape, Tensor<T> x, Tensor<T> theta, double factor, bool is_query) {
  const auto timing = tape.time("token_terms");
  const std::size_t heads = theta.width(), width = x.width() / heads, each = width + 2;
  const Tensor<T> y = tape.make({x.rows() + 1, heads * each});
  const T by = static_cast<T>(factor);
  for (std::size_t r = 0; r < y.rows(); ++r) {
    const bool token = r == 0;
    for (std::size_t h = 0; h < heads; ++h) {
      T* to = y.row(r) + h * each;
      if (token) {
        std::fill_n(to, width, T(0));
      } else {
        std::copy_n(x.row(r - 1) + h * width, width, to);
      }
      to[width] = is_query ? T(token ? 1 : 0) : by * theta.row(0)[h];
      to[width + 1] = is_query ? T(token ? 0 : 1) : token ? by * theta.row(1)[h] : T(0);
    }
  }
  tape.record("token_terms", y, [&tape, x, theta, y, by, is_query, heads, width, each] {
    const T* dy = tape.gradient_of(y);
    if (tape.wants(x)) {
      T* to = tape.gradient_to_add(x);
      for (std::size_t i = 0; i < x.shape.count(); ++i) {
        const std::size_t row = i / x.width(), column = i % x.width();
        to[i] += dy[(row + 1) * y.width() + column / width * each + column % width];
      }
    }
    if (is_query || !tape.wants(theta)) return;
    T* to = tape.gradient_to_add(theta);  // [2, H]
    for (std::size_t h = 0; h < heads; ++h) {
      for (std::size_t r = 0; r < y.rows(); ++r) to[h] += by * dy[r * y.width() + h * each + width];
      to[heads + h] += by * dy[h * each + width + 1];
    }
  });
  return y;
}

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

template Tensor<float> beside_in_heads(Tape<float>&, Tensor<float>, Tensor<float>, std::size_t);
template Tensor<double> beside_in_heads(Tape<double>&, Tensor<double>, Tensor<double>, std::size_t);
template Tensor<float> with_token_terms(Tape<float>&, Tensor<float>, Tensor<float>, double, bool);
template Tensor<double> with_token_terms(Tape<double>&, Tensor<double>, Tensor<double>, double, bool);
template Tensor<float> weighted_pool(Tape<float>&, Tensor<float>, Tensor<float>, engine::Mask);
template Tensor<double> weighted_pool(Tape<double>&, Tensor<double>, Tensor<double>, engine::Mask);

}  // namespace faithful::model
