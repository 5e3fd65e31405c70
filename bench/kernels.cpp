// The vector kernels and the small products of attention on one core: nanoseconds an element, GFLOP/s.

#include "faithful/engine/kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "bench/clock.h"
#include "bench/figure.h"
#include "faithful/engine/gemm.h"

namespace {

using namespace faithful;
using namespace faithful::engine;

// The fastest of some batches of calls: what the core can do when nobody disturbs it.
template <class Call>
double best_seconds(Call&& call) {
  constexpr int kBatches = 30, kCalls = 20;
  double best = 1e9;
  for (int batch = 0; batch < kBatches; ++batch) {
    best = std::min(best, bench::seconds([&] {
                      for (int i = 0; i < kCalls; ++i) call();
                    }));
  }
  return best / kCalls;
}

std::vector<float> waves(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = 2 * std::sin(0.37F * static_cast<float>(i));
  return values;
}

void measure_kernels() {
  constexpr std::size_t kCount = 25'600, kRows = 100, kColumns = 100, kStride = 112;
  const std::vector<float> x = waves(kCount);
  std::vector<float> y(kCount), slope(kCount);
  const auto say = [](const char* name, double seconds, std::size_t elements) {
    bench::print_figure(name, 1e9 * seconds / static_cast<double>(elements), "ns");
  };
  say("GELU, an element", best_seconds([&] { gelu(x.data(), kCount, y.data(), nullptr); }), kCount);
  say("GELU with its slope, an element", best_seconds([&] { gelu(x.data(), kCount, y.data(), slope.data()); }), kCount);
  // Scores are replaced by weights, so each call begins with a copy, which is measured apart.
  std::vector<float> scores(kRows * kStride);
  const auto copy = [&] { std::copy_n(x.data(), scores.size(), scores.data()); };
  const double copying = best_seconds(copy);
  const double both = best_seconds([&] {
    copy();
    softmax_rows(scores.data(), kRows, kColumns, kStride);
  });
  say("softmax of rows of 100, an element", both - copying, kRows * kColumns);
  constexpr std::size_t kWidth = 64;
  const std::vector<float> ones(kWidth, 1);
  std::vector<float> scales(kCount / kWidth);
  const Normalization<float> norm{kCount / kWidth, kWidth,      x.data(),    kWidth,       x.data(),      kWidth,
                                  1e-5F,           ones.data(), ones.data(), slope.data(), scales.data(), y.data()};
  say("layer norm of rows of 64, an element", best_seconds([&] { normalize(norm); }), kCount);
}

// [rows, depth] x [depth, columns], the second already packed.
void measure_product(std::size_t rows, std::size_t depth, std::size_t columns) {
  const std::vector<float> a = waves(rows * depth), b = waves(depth * columns);
  std::vector<float> c(rows * columns), packed(packed_size<float>(depth, columns) + 16);
  float* aligned = packed.data() + (64 - reinterpret_cast<std::uintptr_t>(packed.data()) % 64) % 64 / sizeof(float);
  pack<float>({b.data(), depth, columns, columns}, Form::kPlain, aligned);
  const double seconds = best_seconds([&] {
    gemm_packed<float>({a.data(), rows, depth, depth}, Form::kPlain, aligned, {c.data(), rows, columns, columns});
  });
  bench::print_figure(fmt::format("product {} x {} x {}", rows, depth, columns),
                      2e-9 * static_cast<double>(rows * depth * columns) / seconds, "GFLOP/s");
}

// A depthwise convolution of five taps over [rows, 63] reads and writes as many bytes as a copy does, which is its peer.
void measure_depthwise(const char* where, std::size_t rows, int calls) {
  constexpr std::size_t kWidth = 63, kKernel = 5;
  const std::vector<float> x = waves(rows * kWidth), weights = waves(kKernel * kWidth);
  std::vector<float> y(x.size()), dweights(weights.size());
  const double bytes = 2 * sizeof(float) * static_cast<double>(x.size());
  const Depthwise of{rows, kWidth, kKernel, 4};
  const auto gradient = [&] { depthwise_weights(of, x.data(), y.data(), dweights.data()); };
  std::vector<double> forward, weight, copy;
  for (int i = 0; i < 15; ++i) {  // in turns
    const auto time = [&](const auto& call) {
      return bench::seconds([&] {
               for (int c = 0; c < calls; ++c) call();
             }) /
             calls;
    };
    copy.push_back(time([&] { std::memcpy(y.data(), x.data(), x.size() * sizeof(float)); }));
    forward.push_back(time([&] { depthwise(of, x.data(), weights.data(), false, y.data()); }));
    weight.push_back(time(gradient));
  }
  const auto say = [&](const char* what, const std::vector<double>& times) {
    bench::print_figure(fmt::format("depthwise convolution, {}, {}", what, where), 1e-9 * bytes / bench::median(times),
                        "GB/s", "memcpy", bench::median(copy) / bench::median(times));
  };
  say("forward", forward);
  say("gradient of weights", weight);
}

}  // namespace

int main() {
  measure_kernels();
  measure_product(100, 16, 112);  // scores of a head at d = 64, with its padding
  measure_product(100, 100, 16);  // its weighted values
  measure_product(400, 256, 1024);
  measure_depthwise("first-level cache", 50, 1000);
  measure_depthwise("second-level cache", 608, 100);  // a shard of 8 windows of 76 rows
  measure_depthwise("memory", 400'000, 1);
}
