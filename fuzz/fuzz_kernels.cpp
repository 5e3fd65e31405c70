// Each kernel on each instruction set of the machine (AVX-512, AVX2, SSE4, scalar): the same bits where kernels.h
// promises them, else within the stated error of the naive twin in double. The first byte chooses the kernel.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "faithful/encoding/dft.h"
#include "faithful/engine/gemm.h"
#include "faithful/engine/kernels.h"
#include "fuzz/numbers.h"

namespace {

using namespace faithful;
using namespace faithful::engine;
using fuzz::doubled;
using fuzz::expect_bits;
using fuzz::expect_near;
using fuzz::Numbers;
using fuzz::on_each_instruction_set;

constexpr std::size_t kMost = 100;                                       // elements of a row
constexpr double kEpsilon = std::numeric_limits<float>::epsilon();       // twice the error of one rounding
constexpr double kTiny = 2 * double{std::numeric_limits<float>::min()};  // denormal numbers may be lost
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Numbers of the shortest vector that the instruction set may have.
double lanes() {
  return instruction_set() == "scalar" || instruction_set() == "ssse3" ? 1 : 4;  // no kernels are made for SSSE3
}

void try_exponential(Numbers& in) {
  std::vector<float> x = in.floats(in.size(kMost));
  for (float& at : x)
    if (std::isnan(at)) at = 0;
  on_each_instruction_set([&] {
    std::vector<float> y(x.size());
    exponential(x.data(), x.size(), y.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double exact = std::exp(double{x[i]});
      const double tolerance = x[i] < -87.3F ? kTiny : x[i] > 88.3F ? INFINITY : 2e-7 * exact;
      if (!std::isfinite(y[i]) || !(std::fabs(y[i] - exact) <= tolerance)) fuzz::fail("exponential", i, y[i], exact);
      if (x[i] > 88.3F && y[i] < 2e38F) fuzz::fail("exponential", i, y[i], exact);
    }
  });
}

void try_gelu(Numbers& in) {
  const std::vector<float> x = in.take<std::uint8_t>() % 2 == 0 ? in.floats(in.size(kMost)) : in.small(in.size(kMost));
  std::vector<double> exact = doubled(x), exact_slope(x.size());
  gelu(exact.data(), exact.size(), exact.data(), exact_slope.data());
  on_each_instruction_set([&] {
    std::vector<float> y(x.size()), slope(x.size()), alone(x.size());
    gelu(x.data(), x.size(), y.data(), slope.data());
    gelu(x.data(), x.size(), alone.data(), nullptr);
    expect_bits("gelu", alone, y);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!std::isfinite(x[i])) continue;
      const double square = x[i] < 0 ? 3e-8 * x[i] * x[i] : 0;  // the rounding of x²/2, far out
      if (!(std::fabs(y[i] - exact[i]) <= (5e-7 + square) * std::fabs(exact[i]) + 1e-36))
        fuzz::fail("gelu", i, y[i], exact[i]);
      if (!(std::fabs(slope[i] - exact_slope[i]) <= 3e-7)) fuzz::fail("gelu's slope", i, slope[i], exact_slope[i]);
    }
  });
}

void try_relu(Numbers& in) {
  const std::size_t n = in.size(kMost);
  const std::vector<float> x = in.floats(n), slopes = in.floats(n);
  std::vector<float> wanted(n), wanted_dy = slopes;
  reference::relu(x.data(), n, wanted.data());
  reference::relu_backward(wanted.data(), n, wanted_dy.data());
  on_each_instruction_set([&] {
    std::vector<float> y(n), dy = slopes;
    relu(x.data(), n, y.data());
    relu_backward(y.data(), n, dy.data());
    expect_bits("relu", y, wanted);
    expect_bits("relu backward", dy, wanted_dy);
  });
}

void try_softmax(Numbers& in) {
  const std::size_t rows = in.size(20), n = in.size(kMost), stride = n + in.size(40) - 1;
  const float width = std::ldexp(1.0F, static_cast<int>(in.take<std::uint8_t>() % 8));  // scores within 2 of these
  std::vector<float> x = in.small(rows * stride);
  for (float& score : x) score = score == -2 ? -kInfinity : score * width;  // masked
  std::vector<double> exact = doubled(x);
  reference::softmax_rows(exact.data(), rows, n, stride);
  on_each_instruction_set([&] {
    const double vectors = std::ceil(static_cast<double>(n) / lanes());
    std::vector<float> p = x;
    softmax_rows(p.data(), rows, n, stride);
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (i % stride >= n) {
        if (p[i] != 0 && p[i] != x[i]) fuzz::fail("after a row of softmax", i, p[i], x[i]);
        continue;
      }
      const double tolerance = (1e-6 + 6e-8 * 4 * width + 6e-8 * vectors) * exact[i] + kTiny;
      if (!(std::fabs(p[i] - exact[i]) <= tolerance)) fuzz::fail("softmax", i, p[i], exact[i]);
    }
  });
}

void try_softmax_backward(Numbers& in) {
  const std::size_t rows = in.size(9), n = in.size(kMost), stride = n + in.size(8) - 1;
  std::vector<float> p = in.small(rows * stride);
  for (float& weight : p) weight = std::fabs(weight) / 2;
  const std::vector<float> d = in.small(rows * stride);
  const std::vector<double> exact_p = doubled(p);
  std::vector<double> exact = doubled(d);
  reference::softmax_backward(exact_p.data(), rows, n, stride, exact.data());
  on_each_instruction_set([&] {
    std::vector<float> g = d;
    softmax_backward(p.data(), rows, n, stride, g.data());
    // The mean is a sum of n products below 2 that is rounded n times.
    const double mean = kEpsilon * static_cast<double>(n) * 2 * static_cast<double>(n);
    expect_near("softmax backward", g, exact, [&](std::size_t i) { return p[i] * (mean + 8 * kEpsilon * 4); });
  });
}

// Layer norm and its gradients of one case, in float or double.
template <class T>
struct Normed {
  Normed(Numbers in, std::size_t rows, std::size_t n, bool with_residual) : scales(rows), dgain(n, 1), doffset(n, 2) {
    x = of(in.small(rows * (n + 3)));
    residual = of(in.small(rows * (n + 1)));
    gain = of(in.small(n));
    offset = of(in.small(n));
    dy = of(in.small(rows * n));
    unit = y = dy;
    dz.resize(rows * (n + 2));
    // A tenth as epsilon keeps rows of equal elements well conditioned.
    const Normalization<T> all{rows,
                               n,
                               x.data(),
                               n + 3,
                               with_residual ? residual.data() : nullptr,
                               n + 1,
                               static_cast<T>(0.1F),
                               gain.data(),
                               offset.data(),
                               unit.data(),
                               scales.data(),
                               y.data()};
    normalize(all);
    normalize_backward(all, static_cast<const T*>(dy.data()), 0, rows, dz.data(), n + 2, dgain.data(), doffset.data());
  }
  static std::vector<T> of(const std::vector<float>& values) { return {values.begin(), values.end()}; }
  std::vector<T> x, residual, gain, offset, dy, unit, scales, y, dz, dgain, doffset;
};

void try_normalize(Numbers& in) {
  const std::size_t rows = in.size(9), n = in.size(kMost);
  const bool with_residual = in.take<std::uint8_t>() % 2 == 0;
  const Normed<double> exact(in, rows, n, with_residual);
  // Sums of n numbers below 4 are rounded n times; 1 / sqrt(0.1) and the gain multiply what comes of it.
  const double sum = kEpsilon * (8 + static_cast<double>(n));
  on_each_instruction_set([&] {
    const Normed<float> ours(in, rows, n, with_residual);
    expect_near("scales", ours.scales, exact.scales, [&](std::size_t i) { return 20 * sum * exact.scales[i]; });
    expect_near("unit", ours.unit, exact.unit, [&](std::size_t) { return 50 * sum; });
    expect_near("norm", ours.y, exact.y, [&](std::size_t) { return 100 * sum; });
    expect_near("dz", ours.dz, exact.dz, [&](std::size_t) { return 1000 * sum; });
    expect_near("dgain", ours.dgain, exact.dgain, [&](std::size_t) { return 1000 * sum; });
    expect_near("doffset", ours.doffset, exact.doffset, [&](std::size_t) { return 100 * sum; });
  });
}

void try_sums(Numbers& in) {
  const std::size_t rows = in.size(5), n = in.size(kMost), stride = n + in.size(3) - 1;
  const float factor = in.take<float>();
  const std::vector<float> x = in.floats(rows * stride), y = in.floats(n);
  std::vector<float> sum = y, product = y, scaled = y, all = y;
  reference::add(x.data(), n, sum.data());
  reference::multiply(x.data(), n, product.data());
  reference::rescale(factor, n, scaled.data());
  reference::add_rows(x.data(), rows, n, stride, all.data());
  on_each_instruction_set([&] {
    std::vector<float> found = y;
    add(x.data(), n, found.data());
    expect_bits("add", found, sum);
    multiply(x.data(), n, (found = y).data());
    expect_bits("multiply", found, product);
    rescale(factor, n, (found = y).data());
    expect_bits("rescale", found, scaled);
    add_rows(x.data(), rows, n, stride, (found = y).data());
    expect_bits("add_rows", found, all);
  });
}

void try_dropout(Numbers& in) {
  const std::size_t n = in.size(255) * in.size(4);
  DropoutPlace place{};
  place.key = {in.take<std::uint32_t>(), in.take<std::uint32_t>()};
  place.operation = in.take<std::uint32_t>();
  place.sample = in.take<std::uint32_t>();
  place.step = in.take<std::uint32_t>();
  place.dropped = in.take<std::uint16_t>();
  std::vector<float> wanted(n);
  reference::dropout_factors(place, n, 2.5F, wanted.data());
  on_each_instruction_set([&] {
    std::vector<float> found(n);
    dropout_factors(place, n, 2.5F, found.data());
    expect_bits("dropout", found, wanted);
  });
}

template <class T>
struct Stepped {
  Stepped(Numbers in, std::size_t n, std::size_t shards, std::size_t t)
      : weights(of(in.small(n))), first(of(in.small(n))) {
    for (const float v : in.small(n)) second.push_back(std::fabs(v));
    for (std::size_t s = 0; s < shards; ++s) gradients.push_back(of(in.small(n)));
    before = first;
    std::vector<const T*> all;
    for (const std::vector<T>& one : gradients) all.push_back(one.data());
    const AdamWStep<T> step({.rate = 0.01, .decay = 0.1}, t, true);
    adamw(all.data(), shards, T(0.5), n, step, weights.data(), first.data(), second.data());
  }
  static std::vector<T> of(const std::vector<float>& values) { return {values.begin(), values.end()}; }
  std::vector<T> weights, first, second, before;
  std::vector<std::vector<T>> gradients;
};

void try_adamw(Numbers& in) {
  const std::size_t n = in.size(kMost), shards = in.size(4), t = in.size(200);
  const Stepped<double> exact(in, n, shards, t);
  const AdamWStep<double> step({.rate = 0.01, .decay = 0.1}, t, true);
  on_each_instruction_set([&] {
    const Stepped<float> ours(in, n, shards, t);
    const auto moment = [&](std::size_t i) {  // a sum of two that may cancel, each rounded twice
      double gradient = 0;
      for (const auto& one : exact.gradients) gradient += 0.5 * one[i];
      return 4 * kEpsilon * (std::fabs(exact.before[i]) + 0.1 * std::fabs(gradient));
    };
    expect_near("first moments", ours.first, exact.first, moment);
    expect_near("second moments", ours.second, exact.second,
                [&](std::size_t i) { return 1e-6 * exact.second[i] + kTiny; });
    expect_near("weights", ours.weights, exact.weights, [&](std::size_t i) {
      const double below = std::sqrt(exact.second[i]) * step.second_scale + step.epsilon;
      return step.rate * (moment(i) + 2e-6 * std::fabs(exact.first[i])) / below +
             4 * kEpsilon * (1 + std::fabs(exact.weights[i]));
    });
  });
}

// Exactly as many numbers as are asked for, on a border of 64 bytes: AddressSanitizer sees what goes beyond.
template <class T>
std::shared_ptr<T[]> aligned(std::size_t count) {
  T* all = static_cast<T*>(::operator new(count * sizeof(T) + 1, std::align_val_t(64)));
  return {all, [](T* memory) { ::operator delete(memory, std::align_val_t(64)); }};
}

// Of whole numbers of 8 bits, whose products and sums are exact in any order: the same bits everywhere.
template <class T>
void try_gemm(Numbers in) {
  const std::size_t m = in.size(40), n = in.size(80), k = in.size(50), how = in.take<std::uint8_t>();
  const Form a_form = how & 1 ? Form::kTransposed : Form::kPlain, b_form = how & 2 ? Form::kTransposed : Form::kPlain;
  const auto [a_rows, a_columns] = how & 1 ? std::pair(k, m) : std::pair(m, k);
  const auto [b_rows, b_columns] = how & 2 ? std::pair(n, k) : std::pair(k, n);
  const std::size_t room = how >> 4;  // numbers after a row
  const auto numbers = [&](std::size_t count) {
    const std::vector<float> values = in.whole(count);
    return std::vector<T>(values.begin(), values.end());
  };
  const std::vector<T> a = numbers(a_rows * (a_columns + room)), b = numbers(b_rows * (b_columns + room));
  const std::vector<T> bias = numbers(n), old = numbers(m * (n + room));
  const View<const T> a_view{a.data(), a_rows, a_columns, a_columns + room};
  const View<const T> b_view{b.data(), b_rows, b_columns, b_columns + room};
  const Start<T> start{(how & 12) == 4, (how & 12) == 8 ? bias.data() : nullptr};
  std::vector<T> wanted = old;
  reference::gemm<T>(a_view, a_form, b_view, b_form, {wanted.data(), m, n, n + room}, start);
  on_each_instruction_set([&] {
    std::vector<T> found = old;
    const std::shared_ptr<T[]> scratch = aligned<T>(packed_size<T>(k, n));
    gemm<T>(a_view, a_form, b_view, b_form, {found.data(), m, n, n + room}, scratch.get(), start);
    for (T& value : found) value += 0;  // -0 is 0
    std::vector<T> same = wanted;
    for (T& value : same) value += 0;
    expect_bits("gemm", found, same);
  });
}

// In float with numbers that are rounded: k products, each rounded once, and k sums.
void try_rounded_gemm(Numbers& in) {
  const std::size_t m = in.size(20), n = in.size(40), k = in.size(60);
  const std::vector<float> a = in.small(m * k), b = in.small(k * n);
  const std::vector<double> wide_a = doubled(a), wide_b = doubled(b);
  std::vector<double> exact(m * n);
  reference::gemm<double>({wide_a.data(), m, k, k}, Form::kPlain, {wide_b.data(), k, n, n}, Form::kPlain,
                          {exact.data(), m, n, n});
  on_each_instruction_set([&] {
    std::vector<float> c(m * n);
    const std::shared_ptr<float[]> scratch = aligned<float>(packed_size<float>(k, n));
    gemm<float>({a.data(), m, k, k}, Form::kPlain, {b.data(), k, n, n}, Form::kPlain, {c.data(), m, n, n},
                scratch.get());
    expect_near("gemm", c, exact,
                [&](std::size_t) { return kEpsilon * static_cast<double>(k + 2) * static_cast<double>(k) * 4; });
  });
}

// The table of the DFT encoding: products and sums that are not fused have the same bits everywhere.
template <class T>
void try_dft(Numbers in) {
  static ThreadPool pool(1);
  DftShape shape;
  shape.dim = 1 + in.take<std::uint16_t>() % 1500;
  shape.period = in.take<std::uint8_t>() % 2 == 0 || shape.dim < 3 ? 0 : shape.dim + 2 + in.take<std::uint8_t>();
  shape.length = in.size(std::min<std::size_t>(shape.dim, 20));
  std::vector<T> first;
  on_each_instruction_set([&] {
    std::vector<T> table(shape.length * shape.dim);
    fill_dft_into<T>(table, shape, pool);
    if (first.empty()) first = table;
    expect_bits("dft", table, first);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Numbers in(data, size);
  switch (in.take<std::uint8_t>() % 14) {
    case 0:
      try_exponential(in);
      break;
    case 1:
      try_gelu(in);
      break;
    case 2:
      try_relu(in);
      break;
    case 3:
      try_softmax(in);
      break;
    case 4:
      try_softmax_backward(in);
      break;
    case 5:
      try_normalize(in);
      break;
    case 6:
      try_sums(in);
      break;
    case 7:
      try_dropout(in);
      break;
    case 8:
      try_adamw(in);
      break;
    case 9:
      try_gemm<float>(in);
      break;
    case 10:
      try_gemm<double>(in);
      break;
    case 11:
      try_rounded_gemm(in);
      break;
    case 12:
      try_dft<float>(in);
      break;
    default:
      try_dft<double>(in);
      break;
  }
  return 0;
}
