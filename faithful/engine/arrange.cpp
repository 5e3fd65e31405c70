// Operators that move numbers around: add, scale, sum, concat, slice, difference, repeat, transpose,
// transpose_rows.

#include <algorithm>

#include "faithful/engine/kernels.h"
#include "faithful/engine/operators.h"

namespace faithful::engine {

namespace {

// Writes or adds a row of a gradient.
template <class T>
void pass_on(const T* from, std::size_t width, const Gradient<T>& to, std::size_t row) {
  if (to.add) {
    add(from, width, to.row(row));
  } else {
    std::copy_n(from, width, to.row(row));
  }
}

// The same for an input whose rows repeat: what comes after the first round is added.
template <class T>
void pass_on_repeated(const T* from, std::size_t from_stride, std::size_t rows, Tensor<T> x, Gradient<T> to) {
  const std::size_t period = x.rows(), width = x.width();
  if (rows == period && from_stride == width && to.stride == width) {  // nothing between the rows: one long row
    pass_on(from, rows * width, to, 0);
    return;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    pass_on(from + r * from_stride, x.width(), {to.data, to.stride, to.add || r >= period}, r % period);
  }
}

}  // namespace

template <class T>
Tensor<T> add(Tape<T>& tape, Tensor<T> x, Tensor<T> y) {
  const auto timing = tape.time("add");
  assert(x.width() == y.width() && x.rows() % y.rows() == 0);
  const Tensor<T> z = tape.make(x.shape);
  // As long rows, where nothing lies between those of a round of y.
  const bool whole = x.contiguous() && y.contiguous();
  const std::size_t rows = whole ? x.rows() / y.rows() : x.rows(), width = x.shape.count() / rows;
  for (std::size_t r = 0; r < rows; ++r) {
    add_into(static_cast<const T*>(whole ? x.data + r * width : x.row(r)),
             static_cast<const T*>(whole ? y.data : y.row(r % y.rows())), width, z.data + r * width);
  }
  tape.record("add", z, [&tape, x, y, z] {
    const T* dz = tape.gradient_of(z);
    if (tape.wants(y)) pass_on_repeated(dz, z.width(), z.rows(), y, tape.gradient(y));
    if (x.contiguous() && tape.hand_over(z, x)) return;
    if (tape.wants(x)) pass_on_repeated(dz, z.width(), z.rows(), x, tape.gradient(x));
  });
  return z;
}

template <class T>
Tensor<T> scale(Tape<T>& tape, Tensor<T> x, double factor) {
  const auto timing = tape.time("scale");
  const Tensor<T> y = tape.make(x.shape);
  const T by = static_cast<T>(factor);
  for (std::size_t r = 0; r < x.rows(); ++r) {
    for (std::size_t c = 0; c < x.width(); ++c) y.row(r)[c] = by * x.row(r)[c];
  }
  tape.record("scale", y, [&tape, x, y, by] {
    if (!tape.wants(x)) return;
    T* dy = tape.gradient_of(y);
    for (std::size_t i = 0; i < y.shape.count(); ++i) dy[i] *= by;
    pass_on_repeated<T>(dy, y.width(), y.rows(), x, tape.gradient(x));
  });
  return y;
}

template <class T>
Tensor<T> sum(Tape<T>& tape, Tensor<T> x) {
  const auto timing = tape.time("sum");
  const Tensor<T> y = tape.make({1});
  T all = 0;
  for (std::size_t r = 0; r < x.rows(); ++r) {
    for (std::size_t c = 0; c < x.width(); ++c) all += x.row(r)[c];
  }
  *y.data = all;
  tape.record("sum", y, [&tape, x, y] {
    if (!tape.wants(x)) return;
    const T d = *tape.gradient_of(y);
    const Gradient<T> to = tape.gradient(x);
    for (std::size_t r = 0; r < x.rows(); ++r) {
      for (std::size_t c = 0; c < x.width(); ++c) to.row(r)[c] = to.add ? to.row(r)[c] + d : d;
    }
  });
  return y;
}

template <class T>
Tensor<T> concat(Tape<T>& tape, std::span<const Tensor<T>> parts) {
  const auto timing = tape.time("concat");
  std::size_t width = 0;
  for (const Tensor<T>& part : parts) width += part.width();
  const Tensor<T> y = tape.make(parts[0].shape.with_width(width));
  auto* kept = tape.arena().template take<Tensor<T>>(parts.size());
  std::size_t column = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Tensor<T> part = kept[p] = parts[p];
    assert(y.rows() % part.rows() == 0);
    for (std::size_t r = 0; r < y.rows(); ++r) {
      std::copy_n(part.row(r % part.rows()), part.width(), y.row(r) + column);
    }
    column += part.width();
  }
  const std::size_t count = parts.size();
  tape.record("concat", y, [&tape, kept, count, y] {
    const T* dy = tape.gradient_of(y);
    for (std::size_t p = 0; p < count; dy += kept[p++].width()) {
      if (tape.wants(kept[p])) pass_on_repeated(dy, y.width(), y.rows(), kept[p], tape.gradient(kept[p]));
    }
  });
  return y;
}

template <class T>
Tensor<T> slice(Tape<T>& tape, Tensor<T> x, std::size_t begin, std::size_t count) {
  const auto timing = tape.time("slice");
  const std::size_t positions = x.shape[x.shape.rank() - 2];
  assert(begin + count <= positions);
  const Tensor<T> y = tape.make(x.shape.with_positions(count));
  for (std::size_t r = 0; r < y.rows(); ++r) {
    std::copy_n(x.row(r / count * positions + begin + r % count), x.width(), y.row(r));
  }
  tape.record("slice", y, [&tape, x, y, begin, count, positions] {
    if (!tape.wants(x)) return;
    const T* dy = tape.gradient_of(y);
    T* to = tape.gradient_to_add(x);
    for (std::size_t r = 0; r < y.rows(); ++r) {
      add(dy + r * y.width(), y.width(), to + (r / count * positions + begin + r % count) * x.width());
    }
  });
  return y;
}

namespace {

// Calls visit(row of x and y, rows back from it, factor) for every term of every difference.
template <class Visit>
void for_each_difference(const Shape& shape, std::size_t order, Mask mask, const Visit& visit) {
  const std::size_t positions = shape[1], rows = shape[0] * positions;
  std::size_t present = 0;  // rows of the sample up to here without a gap
  for (std::size_t r = 0; r < rows; ++r) {
    if (r % positions == 0) present = 0;
    present = mask.valid.empty() || mask.valid[r] != 0 ? present + 1 : 0;
    if (present <= order) continue;
    double factor = 1;  // (-1)^k (order over k)
    for (std::size_t k = 0; k <= order; ++k) {
      visit(r, k, factor);
      factor *= -static_cast<double>(order - k) / static_cast<double>(k + 1);
    }
  }
}

}  // namespace

template <class T>
Tensor<T> difference(Tape<T>& tape, Tensor<T> x, std::size_t order, Mask mask) {
  const auto timing = tape.time("difference");
  assert(x.shape.rank() == 3 && (mask.valid.empty() || mask.valid.size() == x.rows()));
  const std::size_t width = x.width();
  const Tensor<T> y = tape.make(x.shape);
  std::fill_n(y.data, y.shape.count(), T(0));
  for_each_difference(x.shape, order, mask, [&](std::size_t r, std::size_t back, double factor) {
    for (std::size_t c = 0; c < width; ++c) y.row(r)[c] += static_cast<T>(factor) * x.row(r - back)[c];
  });
  tape.record("difference", y, [&tape, x, y, order, mask, width] {
    if (!tape.wants(x)) return;
    const T* dy = tape.gradient_of(y);
    T* dx = tape.gradient_to_add(x);
    for_each_difference(x.shape, order, mask, [&](std::size_t r, std::size_t back, double factor) {
      for (std::size_t c = 0; c < width; ++c) dx[(r - back) * width + c] += static_cast<T>(factor) * dy[r * width + c];
    });
  });
  return y;
}

template <class T>
Tensor<T> repeat(Tape<T>& tape, Tensor<T> x, std::size_t times) {
  const auto timing = tape.time("repeat");
  assert(x.shape.rank() == 2);
  const Tensor<T> y = tape.make({times, x.shape[0], x.shape[1]});
  for (std::size_t r = 0; r < y.rows(); ++r) std::copy_n(x.row(r % x.rows()), x.width(), y.row(r));
  tape.record("repeat", y, [&tape, x, y] {
    if (tape.wants(x)) pass_on_repeated<T>(tape.gradient_of(y), y.width(), y.rows(), x, tape.gradient(x));
  });
  return y;
}

template <class T>
Tensor<T> transpose(Tape<T>& tape, Tensor<T> x) {
  const auto timing = tape.time("transpose");
  assert(x.shape.rank() == 3);
  const std::size_t samples = x.shape[0], m = x.shape[1], n = x.shape[2];
  const Tensor<T> y = tape.make({samples, n, m});
  for (std::size_t b = 0; b < samples; ++b) {
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < n; ++j) y.row(b * n + j)[i] = x.row(b * m + i)[j];
    }
  }
  tape.record("transpose", y, [&tape, x, y] {
    if (!tape.wants(x)) return;
    const T* dy = tape.gradient_of(y);
    const Gradient<T> to = tape.gradient(x);
    const std::size_t rows = x.shape[1], columns = x.shape[2];
    for (std::size_t r = 0; r < x.rows(); ++r) {
      for (std::size_t j = 0; j < columns; ++j) {
        const T d = dy[(r / rows * columns + j) * rows + r % rows];
        to.row(r)[j] = to.add ? to.row(r)[j] + d : d;
      }
    }
  });
  return y;
}

template <class T>
Tensor<T> transpose_rows(Tape<T>& tape, Tensor<T> x) {
  const auto timing = tape.time("transpose_rows");
  assert(x.shape.rank() == 4);
  const std::size_t m = x.shape[1], n = x.shape[2];
  const auto place = [m, n](std::size_t r) { return r / (m * n) * m * n + r % n * m + r / n % m; };  // of row r of x
  const Tensor<T> y = tape.make({x.shape[0], n, m, x.width()});
  for (std::size_t r = 0; r < x.rows(); ++r) std::copy_n(x.row(r), x.width(), y.row(place(r)));
  tape.record("transpose_rows", y, [&tape, x, y, place] {
    if (!tape.wants(x)) return;
    const T* dy = tape.gradient_of(y);
    const Gradient<T> to = tape.gradient(x);
    for (std::size_t r = 0; r < x.rows(); ++r) pass_on(dy + place(r) * y.width(), x.width(), to, r);
  });
  return y;
}

template Tensor<float> add(Tape<float>&, Tensor<float>, Tensor<float>);
template Tensor<double> add(Tape<double>&, Tensor<double>, Tensor<double>);
template Tensor<float> scale(Tape<float>&, Tensor<float>, double);
template Tensor<double> scale(Tape<double>&, Tensor<double>, double);
template Tensor<float> sum(Tape<float>&, Tensor<float>);
template Tensor<double> sum(Tape<double>&, Tensor<double>);
template Tensor<float> concat(Tape<float>&, std::span<const Tensor<float>>);
template Tensor<double> concat(Tape<double>&, std::span<const Tensor<double>>);
template Tensor<float> slice(Tape<float>&, Tensor<float>, std::size_t, std::size_t);
template Tensor<double> slice(Tape<double>&, Tensor<double>, std::size_t, std::size_t);
template Tensor<float> difference(Tape<float>&, Tensor<float>, std::size_t, Mask);
template Tensor<double> difference(Tape<double>&, Tensor<double>, std::size_t, Mask);
template Tensor<float> repeat(Tape<float>&, Tensor<float>, std::size_t);
template Tensor<double> repeat(Tape<double>&, Tensor<double>, std::size_t);
template Tensor<float> transpose(Tape<float>&, Tensor<float>);
template Tensor<double> transpose(Tape<double>&, Tensor<double>);
template Tensor<float> transpose_rows(Tape<float>&, Tensor<float>);
template Tensor<double> transpose_rows(Tape<double>&, Tensor<double>);

}  // namespace faithful::engine
