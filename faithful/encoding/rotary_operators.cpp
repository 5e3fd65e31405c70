// Operators that give queries and keys an angle.

#include <algorithm>
#include <cmath>

#include "faithful/encoding/operators_internal.h"

namespace faithful {

namespace {

// Calls body(r, a, b, row, m) for pair m of every head: coordinates a and b of row r of x, row of the factors.
template <class Body>
void for_each_factor(std::size_t rows, std::size_t heads, std::size_t each, std::size_t factors, std::size_t count,
                     bool halves, const Body& body) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t h = 0; h < heads; ++h) {
      for (std::size_t m = 0; m < count; ++m) {
        const std::size_t a = halves ? m : 2 * m, b = halves ? m + each / 2 : 2 * m + 1;
        body(r, h * each + a, h * each + b, r % factors, m);
      }
    }
  }
}

template <class T>
T softplus(T x) {
  return std::max(x, T(0)) + std::log1p(std::exp(-std::abs(x)));
}

}  // namespace

template <class T>
Tensor<T> modulate(Tape<T>& tape, Tensor<T> x, Tensor<T> real, Tensor<T> imaginary, std::size_t heads,
                   engine::Pairing pairing) {
  const auto timing = tape.time("modulate");
  const std::size_t each = x.width() / heads, count = real.width();
  const bool halves = pairing == engine::Pairing::kHalves;
  const Tensor<T> y = tape.make(x.shape);
  for (std::size_t r = 0; r < x.rows(); ++r) std::copy_n(x.row(r), x.width(), y.row(r));
  for_each_factor(x.rows(), heads, each, real.rows(), count, halves,
                  [&](std::size_t r, std::size_t a, std::size_t b, std::size_t row, std::size_t m) {
                    const T c = real.row(row)[m], s = imaginary.row(row)[m], u = x.row(r)[a], v = x.row(r)[b];
                    y.row(r)[a] = u * c - v * s;
                    y.row(r)[b] = u * s + v * c;
                  });
  tape.record("modulate", y, [&tape, x, real, imaginary, y, heads, each, count, halves] {
    T* dy = tape.gradient_of(y);  // becomes the gradient of x
    T* dreal = tape.wants(real) ? tape.gradient_to_add(real) : nullptr;
    T* dimaginary = tape.wants(imaginary) ? tape.gradient_to_add(imaginary) : nullptr;
    for_each_factor(x.rows(), heads, each, real.rows(), count, halves,
                    [&](std::size_t r, std::size_t a, std::size_t b, std::size_t row, std::size_t m) {
                      const T c = real.row(row)[m], s = imaginary.row(row)[m], u = x.row(r)[a], v = x.row(r)[b];
                      T *da = dy + r * y.width() + a, *db = dy + r * y.width() + b;
                      if (dreal != nullptr) dreal[row * count + m] += *da * u + *db * v;
                      if (dimaginary != nullptr) dimaginary[row * count + m] += *db * u - *da * v;
                      const T first = *da * c + *db * s;
                      *db = *db * c - *da * s;
                      *da = first;
                    });
    if (!tape.wants(x)) return;
    const engine::Gradient<T> to = tape.gradient(x);
    for (std::size_t r = 0; r < x.rows(); ++r) {
      const T* from = dy + r * y.width();
      for (std::size_t c = 0; c < x.width(); ++c) to.row(r)[c] = to.add ? to.row(r)[c] + from[c] : from[c];
    }
  });
  return y;
}

template <class T>
Tensor<T> polar(Tape<T>& tape, Tensor<T> x, Tensor<T> cosines, Tensor<T> sines, Tensor<T> phases, std::size_t heads) {
  const auto timing = tape.time("polar");
  const std::size_t each = x.width() / heads, width = x.width();
  T* turn = tape.arena().template take<T>(2 * width);  // cosines, then sines of the phases
  for (std::size_t i = 0; i < width; ++i) {
    turn[i] = phases ? std::cos(phases.data[i]) : T(1);
    turn[width + i] = phases ? std::sin(phases.data[i]) : T(0);
  }
  const Tensor<T> y = tape.make(x.shape.with_width(2 * width));
  // body(place of the pair in the row, cosine and sine of its angle, coordinate)
  const auto for_each_angle = [=](std::size_t r, const auto& body) {
    const T *c = cosines.row(r % cosines.rows()), *s = sines.row(r % sines.rows());
    for (std::size_t h = 0; h < heads; ++h) {
      for (std::size_t i = 0; i < each; ++i) {
        const T dc = turn[h * each + i], ds = turn[width + h * each + i];
        body(h * 2 * each + i, c[i] * dc - s[i] * ds, s[i] * dc + c[i] * ds, h * each + i);
      }
    }
  };
  for (std::size_t r = 0; r < x.rows(); ++r) {
    for_each_angle(r, [&](std::size_t at, T c, T s, std::size_t i) {
      const T length = softplus(x.row(r)[i]);
      y.row(r)[at] = length * c;
      y.row(r)[at + each] = length * s;
    });
  }
  tape.record("polar", y, [&tape, x, phases, y, each, for_each_angle] {
    const T* dy = tape.gradient_of(y);
    T* dphases = phases && tape.wants(phases) ? tape.gradient_to_add(phases) : nullptr;
    const bool wanted = tape.wants(x);
    const engine::Gradient<T> to = wanted ? tape.gradient(x) : engine::Gradient<T>{nullptr, 0, false};
    for (std::size_t r = 0; r < x.rows(); ++r) {
      for_each_angle(r, [&](std::size_t at, T c, T s, std::size_t i) {
        const T *d = dy + r * y.width() + at, *pair = y.row(r) + at;
        if (dphases != nullptr) dphases[i] += d[each] * pair[0] - d[0] * pair[each];
        if (!wanted) return;
        const T slope = (d[0] * c + d[each] * s) / (1 + std::exp(-x.row(r)[i]));  // that of softplus is logistic
        to.row(r)[i] = to.add ? to.row(r)[i] + slope : slope;
      });
    }
  });
  return y;
}

template Tensor<float> modulate(Tape<float>&, Tensor<float>, Tensor<float>, Tensor<float>, std::size_t,
                                engine::Pairing);
template Tensor<double> modulate(Tape<double>&, Tensor<double>, Tensor<double>, Tensor<double>, std::size_t,
                                 engine::Pairing);
template Tensor<float> polar(Tape<float>&, Tensor<float>, Tensor<float>, Tensor<float>, Tensor<float>, std::size_t);
template Tensor<double> polar(Tape<double>&, Tensor<double>, Tensor<double>, Tensor<double>, Tensor<double>,
                              std::size_t);

}  // namespace faithful
