#include <cmath>
#include <cstdlib>

#include "faithful/model/operators_internal.h"

namespace faithful::model {

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
    T* db = tape.gradient_to_add(b);
    const std::size_t width = y.width();
    for (std::size_t n = 0; n < t.size(); ++n) {
      for (std::size_t i = 0; i < width; ++i) {
        const T d = dy[n * width + i] * slope(i, w.data[i] * t[n] + b.data[i]);
        dw[i] += d * t[n];
        db[i] += d;
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
Tensor<T> kerple_bias(Tape<T>& tape, Tensor<T> log_rates, std::size_t positions) {
  const auto timing = tape.time("kerple_bias");
  const std::size_t heads = log_rates.width(), last = positions - 1;
  const Tensor<T> y = tape.make({heads, 2 * positions - 1});
  for (std::size_t h = 0; h < heads; ++h) {
    const T r1 = std::exp(log_rates.row(0)[h]), r2 = std::exp(log_rates.row(1)[h]);
    for (std::size_t o = 0; o < y.width(); ++o) {
      y.row(h)[o] = -r1 * std::log1p(r2 * static_cast<T>(o > last ? o - last : last - o));
    }
  }
  tape.record("kerple_bias", y, [&tape, log_rates, y, last] {
    if (!tape.wants(log_rates)) return;
    const T* dy = tape.gradient_of(y);
    T* to = tape.gradient_to_add(log_rates);  // [2, H]
    const std::size_t count = y.rows(), width = y.width();
    for (std::size_t h = 0; h < count; ++h) {
      const T r1 = std::exp(log_rates.row(0)[h]), r2 = std::exp(log_rates.row(1)[h]);
      for (std::size_t o = 0; o < width; ++o) {
        const T distance = r2 * static_cast<T>(o > last ? o - last : last - o), d = dy[h * width + o];
        to[h] += d * y.row(h)[o];
        to[count + h] -= d * r1 * distance / (1 + distance);
      }
    }
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
Tensor<T> rotate(Tape<T>& tape, Tensor<T> x, std::span<const T> angles, std::size_t heads, engine::Pairing pairing) {
  const auto timing = tape.time("rotate");
  const std::span<const T> by = kept(tape, angles);
  const std::size_t each = x.width() / heads, pairs = each / 2;
  const bool halves = pairing == engine::Pairing::kHalves;
  const Tensor<T> y = tape.make(x.shape);
  for (std::size_t r = 0; r < x.rows(); ++r) {
    for (std::size_t h = 0; h < heads; ++h) {
      rotate_row(x.row(r) + h * each, &by[r * pairs], pairs, halves, T(1), y.row(r) + h * each);
    }
  }
  tape.record("rotate", y, [&tape, x, y, by, heads, each, pairs, halves] {
    if (!tape.wants(x)) return;
    T* dy = tape.gradient_of(y);
    const engine::Gradient<T> to = tape.gradient(x);
    for (std::size_t r = 0; r < x.rows(); ++r) {
      T* row = dy + r * y.width();
      for (std::size_t h = 0; h < heads; ++h) {
        rotate_row(row + h * each, &by[r * pairs], pairs, halves, T(-1), row + h * each);
      }
      for (std::size_t c = 0; c < y.width(); ++c) to.row(r)[c] = to.add ? to.row(r)[c] + row[c] : row[c];
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
template Tensor<float> kerple_bias(Tape<float>&, Tensor<float>, std::size_t);
template Tensor<double> kerple_bias(Tape<double>&, Tensor<double>, std::size_t);
template Tensor<float> rotate(Tape<float>&, Tensor<float>, std::span<const float>, std::size_t, engine::Pairing);
template Tensor<double> rotate(Tape<double>&, Tensor<double>, std::span<const double>, std::size_t, engine::Pairing);

}  // namespace faithful::model
