#include <algorithm>
#include <cmath>

#include "faithful/engine/kernels.h"
#include "faithful/engine/operators.h"

namespace faithful::engine {

namespace {

template <class T>
T weight_of(const LossOptions<T>& options, std::size_t label) {
  return options.class_weights.empty() ? T(1) : options.class_weights[label];
}

// What sample b counts.
template <class T>
double scale_of(const LossOptions<T>& options, std::size_t b) {
  return options.sample_weights.empty() ? options.scale
                                        : options.scale * static_cast<double>(options.sample_weights[b]);
}

// Of class k for a sample of class `label`: weight, scale and smoothing included.
template <class T>
double weighted_target(const LossOptions<T>& options, double scale, std::size_t classes, std::size_t label,
                       std::size_t k) {
  const double target = (k == label ? 1 - options.smoothing : 0) + options.smoothing / static_cast<double>(classes);
  return static_cast<double>(weight_of(options, k)) * scale * target;
}

}  // namespace

template <class T>
Tensor<T> softmax_cross_entropy(Tape<T>& tape, Tensor<T> logits, std::span<const std::int32_t> labels,
                                const LossOptions<T>& options) {
  const auto timing = tape.time("softmax_cross_entropy");
  const std::size_t samples = logits.rows(), classes = logits.width();
  assert(labels.size() == samples);
  assert(options.sample_weights.empty() || options.sample_weights.size() == samples);
  const Tensor<T> loss = tape.make({1});
  T* slope = tape.arena().template take<T>(samples * classes);  // of the loss by the logits
  double total = 0;
  for (std::size_t b = 0; b < samples; ++b) {
    const auto label = static_cast<std::size_t>(labels[b]);
    assert(label < classes);
    const double scale = scale_of(options, b);
    T* p = slope + b * classes;
    std::copy_n(logits.row(b), classes, p);
    const T most = *std::max_element(p, p + classes);
    double all = 0;
    for (std::size_t k = 0; k < classes; ++k) all += std::exp(static_cast<double>(p[k] - most));
    const T* z = logits.row(b);
    double pull = 0;  // the sum of the weighted targets
    for (std::size_t k = 0; k < classes; ++k) {
      const double target = weighted_target(options, scale, classes, label, k);
      if (target != 0) total += target * (std::log(all) + static_cast<double>(most - z[k]));
      pull += target;
    }
    softmax(p, classes);
    for (std::size_t k = 0; k < classes && pull > 0; ++k)
      p[k] = (p[k] - static_cast<T>(weighted_target(options, scale, classes, label, k) / pull)) * static_cast<T>(pull);
    if (pull == 0) std::fill_n(p, classes, T(0));
  }
  *loss.data = static_cast<T>(total);
  tape.record("softmax_cross_entropy", loss, [&tape, logits, loss, slope] {
    if (!tape.wants(logits)) return;
    const T d = *tape.gradient_of(loss);
    const Gradient<T> to = tape.gradient(logits);
    for (std::size_t i = 0; i < logits.shape.count(); ++i) {
      T& at = to.row(i / logits.width())[i % logits.width()];
      at = (to.add ? at : T(0)) + d * slope[i];
    }
  });
  return loss;
}

template <class T>
Tensor<T> binary_cross_entropy(Tape<T>& tape, Tensor<T> logits, std::span<const T> targets,
                               const LossOptions<T>& options) {
  const auto timing = tape.time("binary_cross_entropy");
  const std::size_t samples = logits.shape.count();
  assert(targets.size() == samples && logits.contiguous());
  assert(options.sample_weights.empty() || options.sample_weights.size() == samples);
  const Tensor<T> loss = tape.make({1});
  T* slope = tape.arena().template take<T>(samples);
  double total = 0;
  for (std::size_t b = 0; b < samples; ++b) {
    const double z = static_cast<double>(logits.data[b]), given = static_cast<double>(targets[b]);
    const double y = (1 - options.smoothing) * given + options.smoothing / 2, scale = scale_of(options, b);
    const double one = static_cast<double>(weight_of(options, 1)) * y;
    const double zero = static_cast<double>(weight_of(options, 0)) * (1 - y);
    // log(1 + exp(-|z|)) is exact for every z; the larger side adds |z|.
    const double tail = std::log1p(std::exp(-std::fabs(z)));
    total += scale * (one * (tail + std::max(-z, 0.0)) + zero * (tail + std::max(z, 0.0)));
    const double sigmoid = 1 / (1 + std::exp(-z));
    slope[b] = static_cast<T>(scale * (zero * sigmoid - one / (1 + std::exp(z))));
  }
  *loss.data = static_cast<T>(total);
  tape.record("binary_cross_entropy", loss, [&tape, logits, loss, slope, samples] {
    if (!tape.wants(logits)) return;
    const T d = *tape.gradient_of(loss);
    const Gradient<T> to = tape.gradient(logits);
    for (std::size_t b = 0; b < samples; ++b) to.data[b] = (to.add ? to.data[b] : T(0)) + d * slope[b];
  });
  return loss;
}

template Tensor<float> softmax_cross_entropy(Tape<float>&, Tensor<float>, std::span<const std::int32_t>,
                                             const LossOptions<float>&);
template Tensor<double> softmax_cross_entropy(Tape<double>&, Tensor<double>, std::span<const std::int32_t>,
                                              const LossOptions<double>&);
template Tensor<float> binary_cross_entropy(Tape<float>&, Tensor<float>, std::span<const float>,
                                            const LossOptions<float>&);
template Tensor<double> binary_cross_entropy(Tape<double>&, Tensor<double>, std::span<const double>,
                                             const LossOptions<double>&);

}  // namespace faithful::engine
