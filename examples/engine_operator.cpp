// How to add an operator to the engine. docs/engine.md explains this file.

#include <cmath>
#include <cstdio>
#include <vector>

#include "faithful/engine/operators.h"

using faithful::engine::Gradient;
using faithful::engine::Parameters;
using faithful::engine::Tape;
using faithful::engine::Tensor;

// y = x², element by element.
template <class T>
Tensor<T> square(Tape<T>& tape, Tensor<T> x) {
  const auto timing = tape.time("square");
  const Tensor<T> y = tape.make(x.shape);
  for (std::size_t r = 0; r < x.rows(); ++r) {
    for (std::size_t c = 0; c < x.width(); ++c) y.row(r)[c] = x.row(r)[c] * x.row(r)[c];
  }
  tape.record("square", y, [&tape, x, y] {
    if (!tape.wants(x)) return;
    const T* dy = tape.gradient_of(y);        // [rows, width], complete
    const Gradient<T> dx = tape.gradient(x);  // to write, or to add to if another operator has written it
    for (std::size_t r = 0; r < x.rows(); ++r) {
      for (std::size_t c = 0; c < x.width(); ++c) {
        const T d = 2 * x.row(r)[c] * dy[r * x.width() + c];
        dx.row(r)[c] = dx.add ? dx.row(r)[c] + d : d;
      }
    }
  });
  return y;
}

// Σ (x²) + Σ x: x is used twice, so its gradient is written once and added to once.
template <class T>
double value_and_gradient(std::vector<T>& x, std::vector<T>& gradient) {
  Parameters<T> parameters;  // none
  parameters.allocate();
  Tape<T> tape;
  tape.begin(parameters, {.record = true});
  const Tensor<T> at = tape.variable(x.data(), {x.size() / 2, 2}, gradient.data());
  const Tensor<T> loss = add(tape, sum(tape, square(tape, at)), sum(tape, at));
  tape.backward(loss);
  return static_cast<double>(*loss.data);
}

int main() {
  std::vector<double> x{1, -2, 3, 0.5}, gradient(4), unused(4);
  value_and_gradient(x, gradient);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double kept = x[i], h = 1e-5;
    x[i] = kept + h;
    const double above = value_and_gradient(x, unused);
    x[i] = kept - h;
    const double below = value_and_gradient(x, unused);
    x[i] = kept;
    const double difference = (above - below) / (2 * h);
    std::printf("x = %4.1f  gradient %8.5f  by differences %8.5f\n", kept, gradient[i], difference);
    if (std::fabs(gradient[i] - difference) > 1e-6) return 1;
  }
  return 0;
}
