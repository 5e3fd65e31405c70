#include <algorithm>

#include "faithful/engine/activation_internal.h"

namespace faithful::engine {

namespace {

// Passes dz on to x and to the residual: the sum's two inputs have the same gradient.
template <class T>
void layer_norm_backward(Tape<T>& tape, Tensor<T> x, Tensor<T> residual, Tensor<T> gain, Tensor<T> offset, Tensor<T> y,
                         const Normalization<T>& of) {
  constexpr std::size_t kBlock = 32;  // rows that stay in the cache
  const std::size_t width = x.width();
  const ScratchScope scratch(tape.scratch());
  const auto place_for = [&](Tensor<T> constant_or_not) {  // a constant gain or offset has no use for its gradient
    if (tape.wants(constant_or_not)) return tape.gradient_to_add(constant_or_not);
    T* unused = tape.scratch().template take<T>(width);
    std::fill_n(unused, width, T(0));
    return unused;
  };
  T* dgain = place_for(gain);
  T* doffset = place_for(offset);
  Gradient<T> targets[2];
  std::size_t target_count = 0;
  if (tape.wants(x)) targets[target_count++] = tape.gradient(x);
  if (residual && tape.wants(residual)) targets[target_count++] = tape.gradient(residual);
  // The first target that is still empty takes the result itself.
  const Gradient<T>* empty = std::find_if(targets, targets + target_count, [](const auto& to) { return !to.add; });
  const bool direct = empty != targets + target_count;
  T* spare = direct ? nullptr : tape.scratch().template take<T>(kBlock * width);
  for (std::size_t first = 0; first < of.rows; first += kBlock) {
    const std::size_t rows = std::min(kBlock, of.rows - first);
    const Gradient<T> dz =
        direct ? Gradient<T>{empty->row(first), empty->stride, false} : Gradient<T>{spare, width, false};
    normalize_backward(of, static_cast<const T*>(tape.gradient_of(y)), first, rows, dz.data, dz.stride, dgain, doffset);
    for (std::size_t t = 0; t < target_count; ++t) {
      if (direct && targets + t == empty) continue;
      for (std::size_t r = 0; r < rows; ++r) {
        T* to = targets[t].row(first + r);
        if (targets[t].add) {
          add(static_cast<const T*>(dz.row(r)), width, to);
        } else {
          std::copy_n(dz.row(r), width, to);
        }
      }
    }
  }
}

}  // namespace

template <class T>
Tensor<T> layer_norm(Tape<T>& tape, Tensor<T> x, Tensor<T> residual, Tensor<T> gain, Tensor<T> offset, double epsilon) {
  const auto timing = tape.time("layer_norm");
  assert(!residual || residual.shape == x.shape);
  const Tensor<T> y = tape.make(x.shape);
  const Normalization<T> of{
      .rows = x.rows(),
      .width = x.width(),
      .x = x.data,
      .x_stride = x.stride,
      .residual = residual ? residual.data : nullptr,
      .residual_stride = residual.stride,
      .epsilon = static_cast<T>(epsilon),
      .gain = gain.data,
      .offset = offset.data,
      .unit = tape.recording() ? tape.arena().template take<T>(x.shape.count()) : y.data,
      .scales = tape.arena().template take<T>(x.rows()),
      .y = y.data,
  };
  normalize(of);
  tape.record("layer_norm", y, [&tape, x, residual, gain, offset, y, of] {
    layer_norm_backward(tape, x, residual, gain, offset, y, of);
  });
  return y;
}

namespace {

// The rows of one group of a batch norm: runs of `rows` rows, from `first` on and `step` rows apart. Rows are short
// where filters are few: kBeside of them side by side are passed as one long row, with the same columns over and over.
struct Columns {
  static constexpr std::size_t kBeside = 16;
  std::size_t first, step, runs, rows, width;
  std::span<const std::uint8_t> valid;  // of all rows of the tensor; empty: all are

  std::size_t count() const {
    std::size_t all = 0;
    for_each([&](std::size_t, std::size_t n) { all += n / width; });
    return all;
  }
  std::size_t wide() const { return kBeside * width; }

  // Calls visit(index of the first number, how many) for each long row of valid rows.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t run = 0; run < runs; ++run) {
      const std::size_t begin = first + run * step, end = begin + rows;
      for (std::size_t r = begin; r < end;) {
        const std::size_t next = end_of_stretch(r, std::min(r + kBeside, end));
        if (is_valid(r)) visit(r * width, (next - r) * width);
        r = next;
      }
    }
  }
  // Rows that are not valid, in x-shaped memory.
  template <class T>
  void clear_padding(T* x) const {
    for (std::size_t run = 0; !valid.empty() && run < runs; ++run) {
      for (std::size_t r = first + run * step; r < first + run * step + rows; ++r) {
        if (!is_valid(r)) std::fill_n(x + r * width, width, T(0));
      }
    }
  }
  template <class T>
  void spread(const T* of_columns, T* wide_row) const {
    for (std::size_t row = 0; row < kBeside; ++row) std::copy_n(of_columns, width, wide_row + row * width);
  }
  template <class T>
  void fold(const T* wide_row, T* of_columns) const {
    std::fill_n(of_columns, width, T(0));
    add_rows(wide_row, kBeside, width, width, of_columns);
  }

 private:
  bool is_valid(std::size_t row) const { return valid.empty() || valid[row] != 0; }
  // The first row from `row` on that differs from it in being valid, at most `end`.
  std::size_t end_of_stretch(std::size_t row, std::size_t end) const {
    if (valid.empty()) return end;
    std::size_t r = row + 1;
    while (r < end && is_valid(r) == is_valid(row)) ++r;
    return r;
  }
};

template <class T>
Columns columns_of(Tensor<T> x, Tensor<T> gain, std::size_t group, Mask mask) {
  assert(mask.valid.empty() || mask.valid.size() == x.rows());
  if (gain.shape.rank() == 1) return {0, 0, 1, x.rows(), x.width(), mask.valid};
  assert(x.shape.rank() == 4 && x.shape[1] == gain.shape[0]);
  return {group * x.shape[2], x.shape[1] * x.shape[2], x.shape[0], x.shape[2], x.width(), mask.valid};
}

// The mean and variance of every column.
template <class T>
void column_statistics(Arena& scratch, const T* x, const Columns& at, T* mean, T* variance) {
  const ScratchScope scope(scratch);
  T* sums = scratch.take<T>(at.wide());
  T* means = scratch.take<T>(at.wide());
  std::fill_n(sums, at.wide(), T(0));
  at.for_each([&](std::size_t i, std::size_t n) { add(x + i, n, sums); });
  at.fold(sums, mean);
  const T count = static_cast<T>(std::max<std::size_t>(at.count(), 1));
  for (std::size_t c = 0; c < at.width; ++c) mean[c] /= count;
  at.spread(mean, means);
  std::fill_n(sums, at.wide(), T(0));
  at.for_each([&](std::size_t i, std::size_t n) { add_squares(x + i, static_cast<const T*>(means), n, sums); });
  at.fold(sums, variance);
  for (std::size_t c = 0; c < at.width; ++c) variance[c] /= count;
}

// unit = (x - mean) scale, y = activation(unit gain + offset), some rows at a time. `slope`: null where not wanted.
template <class T>
void standardize_columns(Arena& scratch, const T* x, const Columns& at, const Standardization<T>& of,
                         Activation activation, T* unit, T* y, T* slope) {
  const ScratchScope scope(scratch);
  const auto spread = [&](const T* of_columns) {
    T* wide = scratch.take<T>(at.wide());
    at.spread(of_columns, wide);
    return wide;
  };
  const Standardization<T> wide{spread(of.mean), spread(of.scale), spread(of.gain), spread(of.offset)};
  at.for_each([&](std::size_t i, std::size_t n) {
    standardize(wide, x + i, n, unit + i, y + i);
    activate<T>(activation, y + i, n, y + i, slope == nullptr ? nullptr : slope + i);
  });
}

// One group; `to`: where dx goes, or nowhere.
template <class T>
void batch_norm_backward(Tape<T>& tape, const Columns& at, Tensor<T> gain, Tensor<T> offset, Tensor<T> y, const T* unit,
                         const T* slope_of_y, Activation activation, const T* scales, bool of_batch, std::size_t group,
                         Gradient<T> to) {
  T* dy = tape.gradient_of(y);
  Arena& scratch = tape.scratch();
  const ScratchScope scope(scratch);
  T* sums = scratch.template take<T>(2 * at.wide());  // of dy, and of dy along unit
  T* slopes = sums + at.wide();
  std::fill_n(sums, 2 * at.wide(), T(0));
  at.for_each([&](std::size_t i, std::size_t n) {
    activate_backward<T>(activation, y.data + i, slope_of_y == nullptr ? nullptr : slope_of_y + i, n, dy + i);
    add_slopes(static_cast<const T*>(dy) + i, unit + i, n, sums, slopes);
  });
  T* mean = scratch.template take<T>(at.width);
  T* slope = scratch.template take<T>(at.width);
  T* factor = scratch.template take<T>(at.width);
  at.fold(sums, mean);
  at.fold(slopes, slope);
  if (tape.wants(offset)) add(mean, at.width, tape.gradient_to_add(offset) + group * at.width);
  if (tape.wants(gain)) add(slope, at.width, tape.gradient_to_add(gain) + group * at.width);
  if (to.data == nullptr) return;
  // dx = gain scale (dy - mean(dy) - unit mean(dy unit)); fixed statistics pass no gradient on.
  const T share = of_batch ? T(1) / static_cast<T>(std::max<std::size_t>(at.count(), 1)) : T(0);
  for (std::size_t c = 0; c < at.width; ++c) {
    factor[c] = gain.data[group * at.width + c] * scales[group * at.width + c];
    mean[c] *= share;
    slope[c] *= share;
  }
  T* factors = scratch.template take<T>(at.wide());
  at.spread(factor, factors);
  at.spread(mean, sums);
  at.spread(slope, slopes);
  const StandardizationBackward<T> of{factors, sums, slopes};
  at.for_each([&](std::size_t i, std::size_t n) {
    standardize_backward(of, static_cast<const T*>(dy) + i, unit + i, n, to.add, to.data + i);
  });
  if (!to.add) at.clear_padding(to.data);
}

// What a batch norm leaves for the update of its statistics; the variance without bias, as is usual.
template <class T>
void leave_statistics(Tape<T>& tape, Tensor<T> mean, Tensor<T> variance, std::size_t rows, const T* means,
                      const T* variances) {
  if (!tape.recording() || !tape.wants(mean)) return;
  const std::size_t all = mean.shape.count();
  const T unbias = rows > 1 ? static_cast<T>(rows) / static_cast<T>(rows - 1) : T(1);
  std::copy_n(means, all, tape.gradient(mean).data);
  T* to = tape.gradient(variance).data;
  for (std::size_t c = 0; c < all; ++c) to[c] = variances[c] * unbias;
}

}  // namespace

template <class T>
Tensor<T> batch_norm(Tape<T>& tape, Tensor<T> x, Tensor<T> gain, Tensor<T> offset, Tensor<T> mean, Tensor<T> variance,
                     const BatchNormOptions& options) {
  const auto timing = tape.time("batch_norm");
  assert(x.contiguous());
  const std::size_t width = x.width(), groups = gain.shape.rank() == 1 ? 1 : gain.shape[0], all = groups * width;
  const Mask mask = options.mask;
  const Tensor<T> y = tape.make(x.shape);
  T* unit = tape.arena().template take<T>(x.shape.count());
  T* scales = tape.arena().template take<T>(all);  // [G, D]
  T* slope = take_slope(tape, options.activation, y.shape.count());
  const bool of_batch = tape.training();
  T* means = of_batch ? tape.arena().template take<T>(all) : mean.data;
  T* variances = of_batch ? tape.arena().template take<T>(all) : variance.data;
  for (std::size_t g = 0; g < groups; ++g) {
    const Columns at = columns_of(x, gain, g, mask);
    const std::size_t own = g * width;
    if (of_batch) column_statistics<T>(tape.scratch(), x.data, at, means + own, variances + own);
    for (std::size_t c = own; c < own + width; ++c)
      scales[c] = 1 / std::sqrt(variances[c] + static_cast<T>(options.epsilon));
    standardize_columns<T>(tape.scratch(), x.data, at, {means + own, scales + own, gain.data + own, offset.data + own},
                           options.activation, unit, y.data, slope);
    at.clear_padding(y.data);
  }
  if (of_batch) leave_statistics<T>(tape, mean, variance, columns_of(x, gain, 0, mask).count(), means, variances);
  tape.record("batch_norm", y, [&tape, x, gain, offset, y, unit, scales, slope, of_batch, groups, mask, options] {
    const Gradient<T> to = tape.wants(x) ? tape.gradient(x) : Gradient<T>{};
    for (std::size_t g = 0; g < groups; ++g) {
      batch_norm_backward(tape, columns_of(x, gain, g, mask), gain, offset, y, unit, slope, options.activation, scales,
                          of_batch, g, to);
    }
  });
  return y;
}

template Tensor<float> layer_norm(Tape<float>&, Tensor<float>, Tensor<float>, Tensor<float>, Tensor<float>, double);
template Tensor<double> layer_norm(Tape<double>&, Tensor<double>, Tensor<double>, Tensor<double>, Tensor<double>,
                                   double);
template Tensor<float> batch_norm(Tape<float>&, Tensor<float>, Tensor<float>, Tensor<float>, Tensor<float>,
                                  Tensor<float>, const BatchNormOptions&);
template Tensor<double> batch_norm(Tape<double>&, Tensor<double>, Tensor<double>, Tensor<double>, Tensor<double>,
                                   Tensor<double>, const BatchNormOptions&);

}  // namespace faithful::engine
