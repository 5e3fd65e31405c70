#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "faithful/encoding/spe_operators_internal.h"
#include "faithful/engine/gemm.h"

namespace faithful {

using engine::Form;
using engine::ScratchScope;
using engine::View;

namespace {

template <class T>
T sigmoid_of(T z) {
  return 1 / (1 + std::exp(-z));
}

template <class T>
T softplus_of(T z) {
  return std::max(z, T(0)) + std::log1p(std::exp(-std::abs(z)));
}

template <class T>
T dot(const T* a, const T* b, std::size_t count) {
  T sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

// One sine of one coordinate.
template <class T>
struct Sine {
  Sine(Tensor<T> frequencies, Tensor<T> phases, Tensor<T> gains, std::size_t at)
      : share(sigmoid_of(frequencies.data[at])),
        phase(phases ? phases.data[at] : T(0)),
        raw(gains.data[at]),
        amplitude(softplus_of(raw) / std::sqrt(2 * static_cast<T>(gains.width()))) {}

  T angle(std::size_t s) const { return static_cast<T>(std::numbers::pi) * share * static_cast<T>(s) + phase; }

  T share, phase, raw, amplitude;  // share: of the highest frequency, pi
};

// The processes of one coordinate are waves [rows, 2K] times its noise [2K, R]. Calls body(coordinate, its noise, its
// columns of y or of y's gradient, room for waves, room to pack).
template <class T, class Visit>
void for_each_coordinate(Tape<T>& tape, std::span<const T> noise, std::size_t sines, std::size_t realizations, T* y,
                         std::size_t rows, const Visit& visit) {
  const std::size_t waves = 2 * sines, coordinates = noise.size() / (waves * realizations);
  const ScratchScope scope(tape.scratch());
  T* room = tape.scratch().template take<T>(rows * waves);
  T* packed = tape.scratch().template take<T>(
      std::max(engine::packed_size<T>(waves, realizations), engine::packed_size<T>(realizations, waves)));
  for (std::size_t c = 0; c < coordinates; ++c) {
    const View<const T> own{&noise[c * waves * realizations], waves, realizations, realizations};
    const View<T> columns{y + c * realizations, rows, realizations, coordinates * realizations};
    visit(c, own, columns, View<T>{room, rows, waves, waves}, packed);
  }
}

template <class T>
void sine_processes_backward(Tape<T>& tape, Tensor<T> frequencies, Tensor<T> phases, Tensor<T> gains,
                             std::span<const T> noise, std::size_t realizations, Tensor<T> y) {
  const std::size_t sines = gains.width();
  T* df = tape.wants(frequencies) ? tape.gradient_to_add(frequencies) : nullptr;
  T* dp = phases && tape.wants(phases) ? tape.gradient_to_add(phases) : nullptr;
  T* dg = tape.wants(gains) ? tape.gradient_to_add(gains) : nullptr;
  const auto backward = [&](std::size_t c, View<const T> own, View<T> dy, View<T> dwaves, T* packed) {
    engine::gemm<T>(dy, Form::kPlain, own, Form::kTransposed, dwaves, packed);
    for (std::size_t k = 0; k < sines; ++k) {
      const std::size_t at = c * sines + k;
      const Sine<T> sine(frequencies, phases, gains, at);
      T by_angle = 0, by_time = 0, by_amplitude = 0;
      for (std::size_t s = 0; s < dy.rows; ++s) {
        const T cosine = std::cos(sine.angle(s)), sin = std::sin(sine.angle(s));
        const T slope = sine.amplitude * (cosine * dwaves(s, 2 * k + 1) - sin * dwaves(s, 2 * k));
        by_angle += slope;
        by_time += slope * static_cast<T>(s);
        by_amplitude += cosine * dwaves(s, 2 * k) + sin * dwaves(s, 2 * k + 1);
      }
      if (df != nullptr) df[at] += by_time * static_cast<T>(std::numbers::pi) * sine.share * (1 - sine.share);
      if (dp != nullptr) dp[at] += by_angle;
      if (dg != nullptr) dg[at] += by_amplitude * sigmoid_of(sine.raw) / std::sqrt(2 * static_cast<T>(sines));
    }
  };
  for_each_coordinate(tape, noise, sines, realizations, tape.gradient_of(y), y.rows(), backward);
}

}  // namespace

template <class T>
Tensor<T> sine_processes(Tape<T>& tape, Tensor<T> frequencies, Tensor<T> phases, Tensor<T> gains,
                         std::span<const T> noise, std::size_t rows, std::size_t realizations) {
  const auto timing = tape.time("sine_processes");
  const std::size_t coordinates = gains.rows(), sines = gains.width();
  assert(noise.size() == coordinates * sines * 2 * realizations);
  const Tensor<T> y = tape.make({rows, coordinates * realizations});
  const auto forward = [&](std::size_t c, View<const T> own, View<T> columns, View<T> waves, T* packed) {
    for (std::size_t k = 0; k < sines; ++k) {
      const Sine<T> sine(frequencies, phases, gains, c * sines + k);
      for (std::size_t s = 0; s < rows; ++s) {
        waves(s, 2 * k) = sine.amplitude * std::cos(sine.angle(s));
        waves(s, 2 * k + 1) = sine.amplitude * std::sin(sine.angle(s));
      }
    }
    engine::gemm<T>(waves, Form::kPlain, own, Form::kPlain, columns, packed);
  };
  for_each_coordinate(tape, noise, sines, realizations, y.data, rows, forward);
  tape.record("sine_processes", y, [&tape, frequencies, phases, gains, noise, realizations, y] {
    sine_processes_backward(tape, frequencies, phases, gains, noise, realizations, y);
  });
  return y;
}

template <class T>
Tensor<T> filtered_processes(Tape<T>& tape, Tensor<T> filter, std::span<const T> noise, std::size_t rows,
                             std::size_t realizations) {
  const auto timing = tape.time("filtered_processes");
  const std::size_t taps = filter.rows(), coordinates = filter.width(), width = coordinates * realizations;
  assert(noise.size() == (rows + taps - 1) * width);
  const Tensor<T> y = tape.make({rows, width});
  std::fill_n(y.data, y.shape.count(), T(0));
  for (std::size_t s = 0; s < rows; ++s) {
    for (std::size_t i = 0; i < taps * coordinates; ++i) {
      const std::size_t p = i / coordinates, c = i % coordinates;
      const T* from = &noise[(s + p) * width + c * realizations];
      T* to = y.row(s) + c * realizations;
      for (std::size_t r = 0; r < realizations; ++r) to[r] += filter.row(p)[c] * from[r];
    }
  }
  tape.record("filtered_processes", y, [&tape, filter, noise, realizations, y, taps, coordinates, width] {
    if (!tape.wants(filter)) return;
    const T* dy = tape.gradient_of(y);
    T* to = tape.gradient_to_add(filter);
    for (std::size_t s = 0; s < y.rows(); ++s) {
      for (std::size_t i = 0; i < taps * coordinates; ++i) {
        const std::size_t p = i / coordinates, c = i % coordinates;
        to[i] += dot(dy + s * width + c * realizations, &noise[(s + p) * width + c * realizations], realizations);
      }
    }
  });
  return y;
}

template <class T>
Tensor<T> gated_processes(Tape<T>& tape, Tensor<T> x, Tensor<T> gate, std::span<const T> noise) {
  const auto timing = tape.time("gated_processes");
  const std::size_t coordinates = gate.width(), realizations = noise.size() / coordinates;
  const Tensor<T> y = tape.make(x.shape);
  for (std::size_t c = 0; c < coordinates; ++c) {
    const T g = sigmoid_of(gate.data[c]), kept = std::sqrt(1 - g), root = std::sqrt(g);
    for (std::size_t s = 0; s < x.rows(); ++s) {
      for (std::size_t i = c * realizations; i < (c + 1) * realizations; ++i) {
        y.row(s)[i] = kept * x.row(s)[i] + root * noise[i];
      }
    }
  }
  tape.record("gated_processes", y, [&tape, x, gate, noise, y, realizations] {
    const T* dy = tape.gradient_of(y);
    T* dx = tape.wants(x) ? tape.gradient_to_add(x) : nullptr;
    T* dgate = tape.wants(gate) ? tape.gradient_to_add(gate) : nullptr;
    for (std::size_t c = 0; c < gate.width(); ++c) {
      const T g = sigmoid_of(gate.data[c]), kept = std::sqrt(1 - g), root = std::sqrt(g);
      T by_kept = 0, by_root = 0;
      for (std::size_t s = 0; s < x.rows(); ++s) {
        const T* d = dy + s * y.width();
        for (std::size_t i = c * realizations; i < (c + 1) * realizations; ++i) {
          by_kept += d[i] * x.row(s)[i];
          by_root += d[i] * noise[i];
          if (dx != nullptr) dx[s * x.width() + i] += kept * d[i];
        }
      }
      // The derivatives of sqrt(1 - g) and sqrt(g) by the gate are -g sqrt(1 - g) / 2 and (1 - g) sqrt(g) / 2.
      if (dgate != nullptr) dgate[c] += ((1 - g) * root * by_root - g * kept * by_kept) / 2;
    }
  });
  return y;
}

namespace {

// The products of one step and head: x [B, D] times its processes [D, R] gives y [B, R]; D is the width of a head.
template <class T>
struct StepOfHead {
  View<const T> x;
  View<const T> process;
  std::size_t step, head;
};

template <class T, class Visit>
void for_each_step_and_head(Tensor<T> x, Tensor<T> processes, std::size_t heads, const Visit& visit) {
  const std::size_t each = x.width() / heads, steps = processes.rows(), realizations = processes.width() / x.width();
  for (std::size_t s = 0; s < steps; ++s) {
    for (std::size_t h = 0; h < heads; ++h) {
      visit(StepOfHead<T>{{x.row(s) + h * each, x.rows() / steps, each, steps * x.stride},
                          {processes.row(s) + h * each * realizations, each, realizations, realizations},
                          s,
                          h});
    }
  }
}

template <class T>
void weigh_processes_backward(Tape<T>& tape, Tensor<T> x, Tensor<T> processes, std::size_t heads, Tensor<T> y) {
  const std::size_t each = x.width() / heads, steps = processes.rows(), realizations = processes.width() / x.width(),
                    batch = x.rows() / steps;
  T* dy = tape.gradient_of(y);
  const ScratchScope scope(tape.scratch());
  T* packed = tape.scratch().template take<T>(
      std::max(engine::packed_size<T>(realizations, each), engine::packed_size<T>(batch, realizations)));
  const auto of_y = [&](const StepOfHead<T>& at) {
    return View<const T>{dy + at.step * y.width() + at.head * realizations, batch, realizations, steps * y.width()};
  };
  if (tape.wants(x)) {
    const engine::Gradient<T> to = tape.gradient(x);
    for_each_step_and_head(x, processes, heads, [&](const StepOfHead<T>& at) {
      const View<T> dx{to.row(at.step) + at.head * each, batch, each, steps * to.stride};
      engine::gemm<T>(of_y(at), Form::kPlain, at.process, Form::kTransposed, dx, packed, {.add = to.add});
    });
  }
  if (!tape.wants(processes)) return;
  T* to = tape.gradient_to_add(processes);
  for_each_step_and_head(x, processes, heads, [&](const StepOfHead<T>& at) {
    const View<T> own{to + at.step * processes.width() + at.head * each * realizations, each, realizations,
                      realizations};
    engine::gemm<T>(at.x, Form::kTransposed, of_y(at), Form::kPlain, own, packed, {.add = true});
  });
}

}  // namespace

template <class T>
Tensor<T> weigh_processes(Tape<T>& tape, Tensor<T> x, Tensor<T> processes, std::size_t heads) {
  const auto timing = tape.time("weigh_processes");
  const std::size_t steps = processes.rows(), realizations = processes.width() / x.width();
  const Tensor<T> y = tape.make(x.shape.with_width(heads * realizations));
  {
    const ScratchScope scope(tape.scratch());
    T* packed = tape.scratch().template take<T>(engine::packed_size<T>(x.width() / heads, realizations));
    for_each_step_and_head(x, processes, heads, [&](const StepOfHead<T>& at) {
      const View<T> own{y.row(at.step) + at.head * realizations, at.x.rows, realizations, steps * y.width()};
      engine::gemm<T>(at.x, Form::kPlain, at.process, Form::kPlain, own, packed);
    });
  }
  tape.record("weigh_processes", y,
              [&tape, x, processes, heads, y] { weigh_processes_backward(tape, x, processes, heads, y); });
  return y;
}

template Tensor<float> sine_processes(Tape<float>&, Tensor<float>, Tensor<float>, Tensor<float>, std::span<const float>,
                                      std::size_t, std::size_t);
template Tensor<double> sine_processes(Tape<double>&, Tensor<double>, Tensor<double>, Tensor<double>,
                                       std::span<const double>, std::size_t, std::size_t);
template Tensor<float> filtered_processes(Tape<float>&, Tensor<float>, std::span<const float>, std::size_t,
                                          std::size_t);
template Tensor<double> filtered_processes(Tape<double>&, Tensor<double>, std::span<const double>, std::size_t,
                                           std::size_t);
template Tensor<float> gated_processes(Tape<float>&, Tensor<float>, Tensor<float>, std::span<const float>);
template Tensor<double> gated_processes(Tape<double>&, Tensor<double>, Tensor<double>, std::span<const double>);
template Tensor<float> weigh_processes(Tape<float>&, Tensor<float>, Tensor<float>, std::size_t);
template Tensor<double> weigh_processes(Tape<double>&, Tensor<double>, Tensor<double>, std::size_t);

}  // namespace faithful
