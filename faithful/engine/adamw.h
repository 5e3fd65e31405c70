#pragma once

#include <cmath>
#include <cstddef>

namespace faithful::engine {

// AdamW with decoupled weight decay, as torch.optim.AdamW defines it.
struct AdamWOptions {
  double rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double decay = 0.01;  // weights shrink by rate * decay per step
};

// The numbers of step t = 1, 2, ..., bias corrections folded in:
// w = w * keep - rate * m / (sqrt(v) * second_scale + epsilon).
template <class T>
struct AdamWStep {
  T beta1, beta2, fresh1, fresh2;  // fresh = 1 - beta, taken in double: in float it would be off by 1e-5
  T keep, rate, second_scale, epsilon;

  AdamWStep(const AdamWOptions& options, std::size_t t, bool decays)
      : beta1(static_cast<T>(options.beta1)),
        beta2(static_cast<T>(options.beta2)),
        fresh1(static_cast<T>(1 - options.beta1)),
        fresh2(static_cast<T>(1 - options.beta2)),
        keep(static_cast<T>(decays ? 1 - options.rate * options.decay : 1)),
        rate(static_cast<T>(options.rate / (1 - std::pow(options.beta1, static_cast<double>(t))))),
        second_scale(static_cast<T>(1 / std::sqrt(1 - std::pow(options.beta2, static_cast<double>(t))))),
        epsilon(static_cast<T>(options.epsilon)) {}
};

}  // namespace faithful::engine
