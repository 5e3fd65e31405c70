#include <algorithm>

#include "faithful/engine/kernels.h"
#include "faithful/engine/operators.h"

namespace faithful::engine {

namespace {

// Passes dz on to x and to the residual: the sum's two inputs have the same gradient.
template <class T>
void layer_norm_backward(Tape<T>& tape, Tensor<T> x, Tensor<T> residual, Tensor<T> gain, Tensor<T> offset, Tensor<T> y,
                         const T* unit, const T* scales) {
  const std::size_t width = x.width();
  const T* dy = tape.gradient_of(y);
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
  T* spare = tape.scratch().template take<T>(width);
  for (std::size_t r = 0; r < x.rows(); ++r) {
    // The first target that is still empty takes the result itself.
    T* dz = spare;
    for (std::size_t t = target_count; t-- > 0;) {
      if (!targets[t].add) dz = targets[t].row(r);
    }
    normalize_backward(dy + r * width, unit + r * width, width, scales[r], gain.data, dz, dgain, doffset);
    for (std::size_t t = 0; t < target_count; ++t) {
      T* to = targets[t].row(r);
      if (to == dz) continue;
      if (targets[t].add) {
        add(dz, width, to);
      } else {
        std::copy_n(dz, width, to);
      }
    }
  }
}

}  // namespace

template <class T>
Tensor<T> layer_norm(Tape<T>& tape, Tensor<T> x, Tensor<T> residual, Tensor<T> gain, Tensor<T> offset, double epsilon) {
  const auto timing = tape.time("layer_norm");
  const std::size_t width = x.width(), rows = x.rows();
  assert(!residual || residual.shape == x.shape);
  const Tensor<T> y = tape.make(x.shape);
  T* unit = tape.arena().template take<T>(tape.recording() ? x.shape.count() : width);  // (z - mean) * scale
  T* scales = tape.arena().template take<T>(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    scales[r] =
        normalize(x.row(r), residual ? residual.row(r) : static_cast<const T*>(nullptr), width, static_cast<T>(epsilon),
                  gain.data, offset.data, tape.recording() ? unit + r * width : unit, y.row(r));
  }
  tape.record("layer_norm", y, [&tape, x, residual, gain, offset, y, unit, scales] {
    layer_norm_backward(tape, x, residual, gain, offset, y, unit, scales);
  });
  return y;
}

namespace {

// The mean and variance of every column, or those of the parameters outside training.
template <class T>
void column_statistics(Tensor<T> x, T* mean, T* variance) {
  const std::size_t width = x.width(), rows = x.rows();
  std::fill_n(mean, width, T(0));
  std::fill_n(variance, width, T(0));
  for (std::size_t r = 0; r < rows; ++r) add(x.row(r), width, mean);
  for (std::size_t c = 0; c < width; ++c) mean[c] /= static_cast<T>(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    const T* row = x.row(r);
    for (std::size_t c = 0; c < width; ++c) variance[c] += (row[c] - mean[c]) * (row[c] - mean[c]);
  }
  for (std::size_t c = 0; c < width; ++c) variance[c] /= static_cast<T>(rows);
}

template <class T>
void batch_norm_backward(Tape<T>& tape, Tensor<T> x, Tensor<T> gain, Tensor<T> offset, Tensor<T> y, const T* unit,
                         const T* scales, bool of_batch) {
  const std::size_t width = x.width(), rows = x.rows();
  const T* dy = tape.gradient_of(y);
  T* dgain = tape.gradient_to_add(gain);
  T* doffset = tape.gradient_to_add(offset);
  const ScratchScope scratch(tape.scratch());
  T* mean = tape.scratch().template take<T>(width);   // of dy, by column
  T* slope = tape.scratch().template take<T>(width);  // of dy along unit
  std::fill_n(mean, width, T(0));
  std::fill_n(slope, width, T(0));
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < width; ++c) {
      mean[c] += dy[r * width + c];
      slope[c] += dy[r * width + c] * unit[r * width + c];
    }
  }
  add(mean, width, doffset);
  add(slope, width, dgain);
  if (!tape.wants(x)) return;
  const Gradient<T> to = tape.gradient(x);
  const T share = of_batch ? T(1) / static_cast<T>(rows) : T(0);  // fixed statistics pass no gradient on
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < width; ++c) {
      const T d = gain.data[c] * scales[c] * (dy[r * width + c] - share * (mean[c] + unit[r * width + c] * slope[c]));
      T& at = to.row(r)[c];
      at = to.add ? at + d : d;
    }
  }
}

}  // namespace

template <class T>
Tensor<T> batch_norm(Tape<T>& tape, Tensor<T> x, Tensor<T> gain, Tensor<T> offset, Tensor<T> mean, Tensor<T> variance,
                     double epsilon) {
  const auto timing = tape.time("batch_norm");
  const std::size_t width = x.width(), rows = x.rows();
  const Tensor<T> y = tape.make(x.shape);
  T* unit = tape.arena().template take<T>(x.shape.count());
  T* scales = tape.arena().template take<T>(width);
  const T* means = mean.data;
  const T* variances = variance.data;
  const bool of_batch = tape.training();
  if (of_batch) {
    T* batch_mean = tape.arena().template take<T>(width);
    T* batch_variance = tape.arena().template take<T>(width);
    column_statistics(x, batch_mean, batch_variance);
    means = batch_mean;
    variances = batch_variance;
    if (tape.recording()) {  // left where the update of the statistics looks; the variance without bias, as is usual
      const T unbias = rows > 1 ? static_cast<T>(rows) / static_cast<T>(rows - 1) : T(1);
      std::copy_n(batch_mean, width, tape.gradient(mean).data);
      T* to = tape.gradient(variance).data;
      for (std::size_t c = 0; c < width; ++c) to[c] = batch_variance[c] * unbias;
    }
  }
  for (std::size_t c = 0; c < width; ++c) scales[c] = 1 / std::sqrt(variances[c] + static_cast<T>(epsilon));
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < width; ++c) {
      unit[r * width + c] = (x.row(r)[c] - means[c]) * scales[c];
      y.row(r)[c] = unit[r * width + c] * gain.data[c] + offset.data[c];
    }
  }
  tape.record("batch_norm", y, [&tape, x, gain, offset, y, unit, scales, of_batch] {
    batch_norm_backward(tape, x, gain, offset, y, unit, scales, of_batch);
  });
  return y;
}

template Tensor<float> layer_norm(Tape<float>&, Tensor<float>, Tensor<float>, Tensor<float>, Tensor<float>, double);
template Tensor<double> layer_norm(Tape<double>&, Tensor<double>, Tensor<double>, Tensor<double>, Tensor<double>,
                                   double);
template Tensor<float> batch_norm(Tape<float>&, Tensor<float>, Tensor<float>, Tensor<float>, Tensor<float>,
                                  Tensor<float>, double);
template Tensor<double> batch_norm(Tape<double>&, Tensor<double>, Tensor<double>, Tensor<double>, Tensor<double>,
                                   Tensor<double>, double);

}  // namespace faithful::engine
