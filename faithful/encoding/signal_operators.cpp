#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "faithful/encoding/signal_operators_internal.h"

namespace faithful {

template <class T>
Tensor<T> keep_valid(Tape<T>& tape, Tensor<T> x, std::span<const std::uint8_t> valid) {
  if (valid.empty()) return x;
  const auto timing = tape.time("keep_valid");
  assert(valid.size() == x.rows());
  const Tensor<T> y = tape.make(x.shape);
  for (std::size_t r = 0; r < x.rows(); ++r) {
    if (valid[r] != 0) {
      std::copy_n(x.row(r), x.width(), y.row(r));
    } else {
      std::fill_n(y.row(r), x.width(), T(0));
    }
  }
  tape.record("keep_valid", y, [&tape, x, y, valid] {
    if (!tape.wants(x)) return;
    const T* dy = tape.gradient_of(y);
    T* dx = tape.gradient_to_add(x);
    for (std::size_t i = 0; i < x.shape.count(); ++i) dx[i] += valid[i / x.width()] != 0 ? dy[i] : T(0);
  });
  return y;
}

template <class T>
Tensor<T> copies_for_heads(Tape<T>& tape, Tensor<T> x, Tensor<T> weights, std::size_t heads, double factor) {
  const auto timing = tape.time("copies_for_heads");
  const std::size_t width = x.width();
  const auto by = [weights, factor](std::size_t h) {
    return static_cast<T>(factor) * (weights ? weights.data[h] : T(1));
  };
  const Tensor<T> y = tape.make(x.shape.with_width(heads * width));
  for (std::size_t r = 0; r < x.rows(); ++r) {
    for (std::size_t h = 0; h < heads; ++h) {
      for (std::size_t c = 0; c < width; ++c) y.row(r)[h * width + c] = by(h) * x.row(r)[c];
    }
  }
  tape.record("copies_for_heads", y, [&tape, x, weights, y, heads, width, factor, by] {
    const T* dy = tape.gradient_of(y);  // [rows, H * D]
    T* dx = tape.wants(x) ? tape.gradient_to_add(x) : nullptr;
    T* dw = weights && tape.wants(weights) ? tape.gradient_to_add(weights) : nullptr;
    for (std::size_t r = 0; r < x.rows(); ++r) {
      for (std::size_t h = 0; h < heads; ++h, dy += width) {
        for (std::size_t c = 0; dx != nullptr && c < width; ++c) dx[r * width + c] += by(h) * dy[c];
        for (std::size_t c = 0; dw != nullptr && c < width; ++c) dw[h] += static_cast<T>(factor) * dy[c] * x.row(r)[c];
      }
    }
  });
  return y;
}

template <class T>
Tensor<T> gate(Tape<T>& tape, Tensor<T> u, Tensor<T> v) {
  const auto timing = tape.time("gate");
  const auto sigmoid = [](T z) { return 1 / (1 + std::exp(-z)); };
  const std::size_t count = u.shape.count();
  const Tensor<T> y = tape.make(u.shape);
  for (std::size_t i = 0; i < count; ++i) y.data[i] = sigmoid(u.data[i]) * std::tanh(v.data[i]);
  tape.record("gate", y, [&tape, u, v, y, count, sigmoid] {
    const T* dy = tape.gradient_of(y);
    T* du = tape.wants(u) ? tape.gradient_to_add(u) : nullptr;
    T* dv = tape.wants(v) ? tape.gradient_to_add(v) : nullptr;
    for (std::size_t i = 0; i < count; ++i) {
      const T s = sigmoid(u.data[i]), t = std::tanh(v.data[i]);
      if (du != nullptr) du[i] += dy[i] * s * (1 - s) * t;
      if (dv != nullptr) dv[i] += dy[i] * s * (1 - t * t);
    }
  });
  return y;
}

namespace {

// The coefficients of one level that touch the signal: those of the scaling functions first .. first + count - 1.
struct WaveletLevel {
  std::ptrdiff_t first;
  std::size_t count;
};

// The scaling functions of each level: function k of level j + 1 has filter[n] at function 2k + n of level j.
struct WaveletLevels {
  WaveletLevels(std::span<const double> filter_of, std::size_t length, std::size_t levels)
      : filter(filter_of), depth(levels) {
    assert(levels <= kMostWaveletLevels);
    const auto width = static_cast<std::ptrdiff_t>(filter.size());
    const auto floor_half = [](std::ptrdiff_t n) { return n >= 0 ? n / 2 : -((1 - n) / 2); };
    all[0] = {0, length};
    for (std::size_t j = 0; j < levels; ++j) {
      const std::ptrdiff_t last = all[j].first + static_cast<std::ptrdiff_t>(all[j].count) - 1;
      const std::ptrdiff_t first = floor_half(all[j].first - width + 2);
      all[j + 1] = {first, static_cast<std::size_t>(floor_half(last) - first + 1)};
    }
  }
  std::size_t most() const {
    std::size_t most = 0;
    for (std::size_t j = 0; j <= depth; ++j) most = std::max(most, all[j].count);
    return most;
  }
  // Calls body(k, m, weight) for each pair of functions k of level j + 1 and m of level j, numbered from 0.
  template <class Visit>
  void for_each_pair(std::size_t j, const Visit& visit) const {
    for (std::size_t k = 0; k < all[j + 1].count; ++k) {
      const std::ptrdiff_t begin = 2 * (all[j + 1].first + static_cast<std::ptrdiff_t>(k)) - all[j].first;
      for (std::size_t n = 0; n < filter.size(); ++n) {
        const std::ptrdiff_t m = begin + static_cast<std::ptrdiff_t>(n);
        if (m >= 0 && m < static_cast<std::ptrdiff_t>(all[j].count)) visit(k, static_cast<std::size_t>(m), filter[n]);
      }
    }
  }

  std::span<const double> filter;
  std::size_t depth;
  std::array<WaveletLevel, kMostWaveletLevels + 1> all = {};  // depth + 1 of them
};

// out = V_depth x, both [S]; a and b have room for the coefficients of any level.
template <class T>
void project_low(const WaveletLevels& levels, std::size_t depth, const T* x, T* out, T* a, T* b) {
  std::copy_n(x, levels.all[0].count, a);
  for (std::size_t j = 0; j < depth; ++j) {
    std::fill_n(b, levels.all[j + 1].count, T(0));
    levels.for_each_pair(j, [&](std::size_t k, std::size_t m, double w) { b[k] += static_cast<T>(w) * a[m]; });
    std::swap(a, b);
  }
  for (std::size_t j = depth; j-- > 0;) {
    std::fill_n(b, levels.all[j].count, T(0));
    levels.for_each_pair(j, [&](std::size_t k, std::size_t m, double w) { b[m] += static_cast<T>(w) * a[k]; });
    std::swap(a, b);
  }
  std::copy_n(a, levels.all[0].count, out);
}

// Column j gets V_(j-1) x, less V_j x as soon as it is known; the last V_j x is column 0.
template <class T>
void wavelet_parts_forward(const WaveletLevels& levels, const T* x, T* y, T* room) {
  const std::size_t length = levels.all[0].count, columns = levels.depth + 1;
  T *low = room, *a = low + length, *b = a + levels.most();
  for (std::size_t s = 0; s < length; ++s) y[s * columns + 1] = x[s];
  for (std::size_t j = 1; j <= levels.depth; ++j) {
    project_low(levels, j, x, low, a, b);
    const std::size_t next = j == levels.depth ? 0 : j + 1;
    for (std::size_t s = 0; s < length; ++s) {
      y[s * columns + j] -= low[s];
      y[s * columns + next] = low[s];
    }
  }
}

// V_j is symmetric, so that the way back takes it too:
// dx = dy_1 + sum_(0 < j < L) V_j (dy_(j+1) - dy_j) + V_L (dy_0 - dy_L).
template <class T>
void wavelet_parts_backward(const WaveletLevels& levels, const T* dy, T* dx, T* room) {
  const std::size_t length = levels.all[0].count, columns = levels.depth + 1;
  T *mixed = room, *low = mixed + length, *a = low + length, *b = a + levels.most();
  for (std::size_t s = 0; s < length; ++s) dx[s] += dy[s * columns + 1];
  for (std::size_t j = 1; j <= levels.depth; ++j) {
    const std::size_t next = j == levels.depth ? 0 : j + 1;
    for (std::size_t s = 0; s < length; ++s) mixed[s] = dy[s * columns + next] - dy[s * columns + j];
    project_low(levels, j, mixed, low, a, b);
    for (std::size_t s = 0; s < length; ++s) dx[s] += low[s];
  }
}

// Calls body(the first number of a sample in x, that in y, room for the passes above).
template <class T, class Visit>
void for_each_signal(Tape<T>& tape, Tensor<T> x, const WaveletLevels& levels, const Visit& visit) {
  const std::size_t length = levels.all[0].count;
  const engine::ScratchScope scope(tape.scratch());
  T* room = tape.scratch().template take<T>(2 * length + 2 * levels.most());
  for (std::size_t i = 0; i < x.shape[0]; ++i) visit(i * length, i * length * (levels.depth + 1), room);
}

}  // namespace

template <class T>
Tensor<T> wavelet_parts(Tape<T>& tape, Tensor<T> x, std::span<const double> filter, std::size_t levels) {
  const auto timing = tape.time("wavelet_parts");
  assert(levels > 0 && x.width() == 1 && x.contiguous());
  const Tensor<T> y = tape.make(x.shape.with_width(levels + 1));
  const WaveletLevels all(filter, x.shape[1], levels);
  for_each_signal(tape, x, all, [&](std::size_t of_x, std::size_t of_y, T* room) {
    wavelet_parts_forward(all, x.data + of_x, y.data + of_y, room);
  });
  tape.record("wavelet_parts", y, [&tape, x, y, filter, levels] {
    if (!tape.wants(x)) return;
    const T* dy = tape.gradient_of(y);
    T* dx = tape.gradient_to_add(x);
    const WaveletLevels same(filter, x.shape[1], levels);
    for_each_signal(tape, x, same, [&](std::size_t of_x, std::size_t of_y, T* room) {
      wavelet_parts_backward(same, dy + of_y, dx + of_x, room);
    });
  });
  return y;
}

template Tensor<float> keep_valid(Tape<float>&, Tensor<float>, std::span<const std::uint8_t>);
template Tensor<double> keep_valid(Tape<double>&, Tensor<double>, std::span<const std::uint8_t>);
template Tensor<float> copies_for_heads(Tape<float>&, Tensor<float>, Tensor<float>, std::size_t, double);
template Tensor<double> copies_for_heads(Tape<double>&, Tensor<double>, Tensor<double>, std::size_t, double);
template Tensor<float> gate(Tape<float>&, Tensor<float>, Tensor<float>);
template Tensor<double> gate(Tape<double>&, Tensor<double>, Tensor<double>);
template Tensor<float> wavelet_parts(Tape<float>&, Tensor<float>, std::span<const double>, std::size_t);
template Tensor<double> wavelet_parts(Tape<double>&, Tensor<double>, std::span<const double>, std::size_t);

}  // namespace faithful
