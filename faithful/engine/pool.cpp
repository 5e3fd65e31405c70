#include <algorithm>
#include <cstdint>

#include "faithful/engine/kernels.h"
#include "faithful/engine/operators.h"

namespace faithful::engine {

namespace {

constexpr std::uint32_t kNoSource = 0xFFFFFFFF;  // no valid row: nothing to pass on

bool is_valid(Mask mask, std::size_t row) {
  return mask.valid.empty() || mask.valid[row] != 0;
}

}  // namespace

template <class T>
Tensor<T> mean_pool(Tape<T>& tape, Tensor<T> x, Mask mask) {
  const auto timing = tape.time("mean_pool");
  const std::size_t samples = x.shape[0], positions = x.shape[1], width = x.width();
  assert(x.shape.rank() == 3 && (mask.valid.empty() || mask.valid.size() == samples * positions));
  const Tensor<T> y = tape.make({samples, width});
  T* shares = tape.arena().template take<T>(samples);  // 1 / valid positions
  for (std::size_t b = 0; b < samples; ++b) {
    std::fill_n(y.row(b), width, T(0));
    std::size_t count = 0;
    for (std::size_t s = 0; s < positions; ++s) {
      if (!is_valid(mask, b * positions + s)) continue;
      add(x.row(b * positions + s), width, y.row(b));
      ++count;
    }
    shares[b] = count == 0 ? T(0) : T(1) / static_cast<T>(count);
    for (std::size_t c = 0; c < width; ++c) y.row(b)[c] *= shares[b];
  }
  tape.record("mean_pool", y, [&tape, x, mask, y, shares] {
    if (!tape.wants(x)) return;
    const T* dy = tape.gradient_of(y);
    const Gradient<T> to = tape.gradient(x);
    const std::size_t length = x.shape[1], columns = x.width();
    for (std::size_t row = 0; row < x.rows(); ++row) {
      const std::size_t b = row / length;
      const T share = is_valid(mask, row) ? shares[b] : T(0);
      for (std::size_t c = 0; c < columns; ++c) {
        const T d = share * dy[b * columns + c];
        to.row(row)[c] = to.add ? to.row(row)[c] + d : d;
      }
    }
  });
  return y;
}

namespace {

// y[c] = the greatest x[row, c] over the valid rows; the first of equals.
template <class T>
void greatest_into(Tensor<T> x, Mask mask, std::size_t first, std::size_t count, T* y, std::uint32_t* sources) {
  for (std::size_t c = 0; c < x.width(); ++c) {
    y[c] = 0;
    sources[c] = kNoSource;
    for (std::size_t row = first; row < first + count; ++row) {
      if (!is_valid(mask, row)) continue;
      if (sources[c] == kNoSource || x.row(row)[c] > y[c]) {
        y[c] = x.row(row)[c];
        sources[c] = static_cast<std::uint32_t>(row);
      }
    }
  }
}

}  // namespace

template <class T>
Tensor<T> max_pool(Tape<T>& tape, Tensor<T> x, Mask mask) {
  const auto timing = tape.time("max_pool");
  const std::size_t samples = x.shape[0], positions = x.shape[1];
  assert(x.shape.rank() == 3 && (mask.valid.empty() || mask.valid.size() == samples * positions));
  const Tensor<T> y = tape.make({samples, x.width()});
  auto* sources = tape.arena().template take<std::uint32_t>(y.shape.count());
  for (std::size_t b = 0; b < samples; ++b) {
    greatest_into(x, mask, b * positions, positions, y.row(b), sources + b * x.width());
  }
  tape.record("max_pool", y, [&tape, x, y, sources] {
    if (!tape.wants(x)) return;
    const T* dy = tape.gradient_of(y);
    T* to = tape.gradient_to_add(x);
    const std::size_t width = x.width();
    for (std::size_t i = 0; i < y.shape.count(); ++i) {
      if (sources[i] != kNoSource) to[sources[i] * width + i % width] += dy[i];
    }
  });
  return y;
}

namespace {

// y[c] = the greatest of `rows` rows x[.., c], and at least 0 with `rectified`.
template <class T>
void greatest_of_rows(const T* __restrict x, std::size_t rows, std::size_t width, bool rectified, T* __restrict y) {
  for (std::size_t c = 0; c < width; ++c) y[c] = rectified && x[c] < 0 ? T(0) : x[c];
  for (std::size_t r = 1; r < rows; ++r) {
    for (std::size_t c = 0; c < width; ++c) y[c] = x[r * width + c] > y[c] ? x[r * width + c] : y[c];
  }
}

// The first row that has the greatest value takes its gradient; dy is used up on the way.
template <class T>
void pass_to_greatest(const T* __restrict x, const T* __restrict y, std::size_t rows, std::size_t width, bool rectified,
                      T* __restrict dy, T* __restrict dx) {
  for (std::size_t c = 0; rectified && c < width; ++c) {
    const T all = dy[c];
    dy[c] = y[c] > 0 ? all : T(0);
  }
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < width; ++c) {
      const T is = x[r * width + c] == y[c] ? T(1) : T(0), left = dy[c], taken = is * left;  // a product, for vectors
      dx[r * width + c] += taken;
      dy[c] = left - taken;
    }
  }
}

}  // namespace

template <class T>
Tensor<T> max_pool_windows(Tape<T>& tape, Tensor<T> x, std::size_t window, std::size_t stride, bool rectified) {
  const auto timing = tape.time("max_pool");
  const std::size_t positions = x.shape[x.shape.rank() - 2], samples = x.rows() / positions;
  assert(x.contiguous() && window >= 1 && stride >= 1 && window <= positions);
  const std::size_t windows = (positions - window) / stride + 1;
  const Tensor<T> y = tape.make(x.shape.with_positions(windows));
  const auto first_row = [=](std::size_t i) { return i / windows * positions + i % windows * stride; };
  for (std::size_t i = 0; i < samples * windows; ++i) {
    greatest_of_rows<T>(x.row(first_row(i)), window, x.width(), rectified, y.row(i));
  }
  tape.record("max_pool", y, [&tape, x, y, window, rectified, first_row] {
    if (!tape.wants(x)) return;
    T* dy = tape.gradient_of(y);
    T* to = tape.gradient_to_add(x);
    const std::size_t width = x.width();
    for (std::size_t i = 0; i < y.rows(); ++i) {
      const std::size_t first = first_row(i);
      pass_to_greatest<T>(x.row(first), y.row(i), window, width, rectified, dy + i * width, to + first * width);
    }
  });
  return y;
}

template Tensor<float> mean_pool(Tape<float>&, Tensor<float>, Mask);
template Tensor<double> mean_pool(Tape<double>&, Tensor<double>, Mask);
template Tensor<float> max_pool(Tape<float>&, Tensor<float>, Mask);
template Tensor<double> max_pool(Tape<double>&, Tensor<double>, Mask);
template Tensor<float> max_pool_windows(Tape<float>&, Tensor<float>, std::size_t, std::size_t, bool);
template Tensor<double> max_pool_windows(Tape<double>&, Tensor<double>, std::size_t, std::size_t, bool);

}  // namespace faithful::engine
