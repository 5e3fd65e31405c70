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

}  // namespace

template <class T>
Tensor<T> softmax_cross_entropy(Tape<T>& tape, Tensor<T> logits, std::span<const std::int32_t> labels,
                                const LossOptions<T>& options) {
  const auto timing = tape.time("softmax_cross_entropy");
  const std::size_t samples = logits.rows(), classes = logits.width();
  assert(labels.size() == samples);
  const Tensor<T> loss = tape.make({1});
  T* slope = tape.arena().template take<T>(samples * classes);  // of the loss by the logits
  double total = 0;
  for (std::size_t b = 0; b < samples; ++b) {
    const auto label = static_cast<std::size_t>(labels[b]);
    assert(label < classes);
    T* p = slope + b * classes;
    std::copy_n(logits.row(b), classes, p);
    const T most = *std::max_element(p, p + classes);
    double all = 0;
    for (std::size_t k = 0; k < classes; ++k) all += std::exp(static_cast<double>(p[k] - most));
    const double factor = static_cast<double>(weight_of(options, label)) * options.scale;
    total += factor * (std::log(all) + static_cast<double>(most - p[label]));
    softmax(p, classes);
    p[label] -= 1;
    for (std::size_t k = 0; k < classes; ++k) p[k] *= static_cast<T>(factor);
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
  const Tensor<T> loss = tape.make({1});
  T* slope = tape.arena().template take<T>(samples);
  double total = 0;
  for (std::size_t b = 0; b < samples; ++b) {
    const double z = static_cast<double>(logits.data[b]), y = static_cast<double>(targets[b]);
    const double one = static_cast<double>(weight_of(options, 1)) * y;
    const double zero = static_cast<double>(weight_of(options, 0)) * (1 - y);
    // log(1 + exp(-|z|)) is exact for every z; the larger side adds |z|.
    const double tail = std::log1p(std::exp(-std::fabs(z)));
    total += options.scale * (one * (tail + std::max(-z, 0.0)) + zero * (tail + std::max(z, 0.0)));
    const double sigmoid = 1 / (1 + std::exp(-z));
    slope[b] = static_cast<T>(options.scale * (zero * sigmoid - one / (1 + std::exp(z))));
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
