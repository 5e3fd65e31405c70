#include <algorithm>
#include <cmath>

#include "faithful/encoding/operators_internal.h"

namespace faithful {

namespace {

template <class T>
std::span<const T> kept(Tape<T>& tape, std::span<const T> values) {
  T* copy = tape.arena().template take<T>(values.size());
  std::copy(values.begin(), values.end(), copy);
  return {copy, values.size()};
}

// y[n, i] = f(i, w_i t_n + b_i); slope(i, .) is the derivative of f by its second argument.
template <class T, class F, class Slope>
Tensor<T> waves(Tape<T>& tape, std::span<const T> times, Tensor<T> w, Tensor<T> b, F f, Slope slope) {
  const auto timing = tape.time("waves");
  const std::span<const T> t = kept(tape, times);
  const Tensor<T> y = tape.make({t.size(), w.shape.count()});
  for (std::size_t n = 0; n < t.size(); ++n) {
    for (std::size_t i = 0; i < y.width(); ++i) y.row(n)[i] = f(i, w.data[i] * t[n] + b.data[i]);
  }
  tape.record("waves", y, [&tape, t, w, b, y, slope] {
    if (!tape.wants(w)) return;
    const T* dy = tape.gradient_of(y);
    T* dw = tape.gradient_to_add(w);
    T* db = tape.wants(b) ? tape.gradient_to_add(b) : nullptr;  // a fixed phase has none
    const std::size_t width = y.width();
    for (std::size_t n = 0; n < t.size(); ++n) {
      for (std::size_t i = 0; i < width; ++i) {
        const T d = dy[n * width + i] * slope(i, w.data[i] * t[n] + b.data[i]);
        dw[i] += d * t[n];
        if (db != nullptr) db[i] += d;
      }
    }
  });
  return y;
}

}  // namespace

template <class T>
Tensor<T> cosine_features(Tape<T>& tape, std::span<const T> t, Tensor<T> w, Tensor<T> b, double amplitude) {
  const T a = static_cast<T>(amplitude);
  return waves(
      tape, t, w, b, [a](std::size_t, T angle) { return a * std::cos(angle); },
      [a](std::size_t, T angle) { return -a * std::sin(angle); });
}

template <class T>
Tensor<T> time_features(Tape<T>& tape, std::span<const T> t, Tensor<T> w, Tensor<T> b) {
  return waves(
      tape, t, w, b, [](std::size_t i, T angle) { return i == 0 ? angle : std::sin(angle); },
      [](std::size_t i, T angle) { return i == 0 ? T(1) : std::cos(angle); });
}

template <class T>
Tensor<T> gather_columns(Tape<T>& tape, Tensor<T> table, std::span<const std::uint32_t> rows) {
  const auto timing = tape.time("gather_columns");
  const Tensor<T> y = tape.make({table.width(), rows.size()});
  for (std::size_t h = 0; h < y.rows(); ++h) {
    for (std::size_t o = 0; o < rows.size(); ++o) y.row(h)[o] = table.row(rows[o])[h];
  }
  tape.record("gather_columns", y, [&tape, table, rows, y] {
    if (!tape.wants(table)) return;
    const T* dy = tape.gradient_of(y);
    T* to = tape.gradient_to_add(table);
    for (std::size_t h = 0; h < y.rows(); ++h) {
      for (std::size_t o = 0; o < rows.size(); ++o) to[rows[o] * table.width() + h] += dy[h * rows.size() + o];
    }
  });
  return y;
}

template <class T>
Tensor<T> over_offsets(Tape<T>& tape, const engine::OffsetFunction<T>& f, std::size_t heads, std::size_t positions) {
  const auto timing = tape.time("over_offsets");
  const Tensor<T> y = tape.make({heads, 2 * positions - 1});
  T* at = tape.arena().template take<T>(y.width());
  for (std::size_t o = 0; o < y.width(); ++o) at[o] = static_cast<T>(o) - static_cast<T>(positions - 1);
  const std::span<const T> offsets(at, y.width());
  std::fill_n(y.data, y.shape.count(), T(0));
  for (std::size_t h = 0; h < heads; ++h) f.add(f, tape, h, offsets, y.row(h));
  tape.record("over_offsets", y, [&tape, f, y, offsets] {
    if (f.add_gradient == nullptr) return;
    const T* dy = tape.gradient_of(y);
    for (std::size_t h = 0; h < y.rows(); ++h) f.add_gradient(f, tape, h, offsets, dy + h * y.width());
  });
  return y;
}

namespace {

// One head's numbers rotated by angles [pairs] times `sign`.
template <class T>
void rotate_row(const T* x, const T* angles, std::size_t pairs, bool halves, T sign, T* y) {
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::size_t first = halves ? i : 2 * i, second = halves ? i + pairs : 2 * i + 1;
    const T c = std::cos(angles[i]), s = sign * std::sin(angles[i]), u = x[first], v = x[second];
    y[first] = u * c - v * s;
    y[second] = u * s + v * c;
  }
}

}  // namespace

template <class T>
Tensor<T> rotate(Tape<T>& tape, Tensor<T> x, Tensor<T> angles, std::size_t heads, engine::Pairing pairing) {
  const auto timing = tape.time("rotate");
  const std::size_t each = x.width() / heads, pairs = each / 2;
  const bool halves = pairing == engine::Pairing::kHalves;
  const Tensor<T> y = tape.make(x.shape);
  for (std::size_t r = 0; r < x.rows(); ++r) {
    for (std::size_t h = 0; h < heads; ++h) {
      rotate_row(x.row(r) + h * each, angles.row(r), pairs, halves, T(1), y.row(r) + h * each);
    }
  }
  tape.record("rotate", y, [&tape, x, y, angles, heads, each, pairs, halves] {
    if (!tape.wants(x)) return;
    T* dy = tape.gradient_of(y);
    const engine::Gradient<T> to = tape.gradient(x);
    for (std::size_t r = 0; r < x.rows(); ++r) {
      T* row = dy + r * y.width();
      for (std::size_t h = 0; h < heads; ++h) {
        rotate_row(row + h * each, angles.row(r), pairs, halves, T(-1), row + h * each);
      }
      for (std::size_t c = 0; c < y.width(); ++c) to.row(r)[c] = to.add ? to.row(r)[c] + row[c] : row[c];
    }
  });
  return y;
}

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

template Tensor<float> cosine_features(Tape<float>&, std::span<const float>, Tensor<float>, Tensor<float>, double);
template Tensor<double> cosine_features(Tape<double>&, std::span<const double>, Tensor<double>, Tensor<double>, double);
template Tensor<float> time_features(Tape<float>&, std::span<const float>, Tensor<float>, Tensor<float>);
template Tensor<double> time_features(Tape<double>&, std::span<const double>, Tensor<double>, Tensor<double>);
template Tensor<float> gather_columns(Tape<float>&, Tensor<float>, std::span<const std::uint32_t>);
template Tensor<double> gather_columns(Tape<double>&, Tensor<double>, std::span<const std::uint32_t>);
template Tensor<float> over_offsets(Tape<float>&, const engine::OffsetFunction<float>&, std::size_t, std::size_t);
template Tensor<double> over_offsets(Tape<double>&, const engine::OffsetFunction<double>&, std::size_t, std::size_t);
template Tensor<float> rotate(Tape<float>&, Tensor<float>, Tensor<float>, std::size_t, engine::Pairing);
template Tensor<double> rotate(Tape<double>&, Tensor<double>, Tensor<double>, std::size_t, engine::Pairing);
template Tensor<float> beside_in_heads(Tape<float>&, Tensor<float>, Tensor<float>, std::size_t);
template Tensor<double> beside_in_heads(Tape<double>&, Tensor<double>, Tensor<double>, std::size_t);
template Tensor<float> with_token_terms(Tape<float>&, Tensor<float>, Tensor<float>, double, bool);
template Tensor<double> with_token_terms(Tape<double>&, Tensor<double>, Tensor<double>, double, bool);

}  // namespace faithful
