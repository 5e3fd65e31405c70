#pragma once

// What the engine's benchmarks share: the work in a step of DESIGN's model, and oneDNN's sgemm to set it against.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tests/engine/oracle_blas.h"
#include "tests/engine/reference_model.h"

namespace faithful::engine::bench {

inline testing::ReferenceConfig case_of(std::size_t width, std::size_t positions = 100) {
  return {.width = width, .heads = width > 128 ? std::size_t{8} : std::size_t{4}, .positions = positions};
}

// Floating-point operations of the products of one pass forwards, per sample; backwards takes twice that, less the
// gradient of the input, which nobody needs.
inline double flops_forward(const testing::ReferenceConfig& c) {
  const double s = static_cast<double>(c.positions), d = static_cast<double>(c.width);
  const double layer = s * 12 * d * d + 2 * s * s * d;
  return 2 * (s * d * static_cast<double>(c.channels) + static_cast<double>(c.layers) * layer);
}
inline double flops_step(const testing::ReferenceConfig& c) {
  return 3 * flops_forward(c) -
         2 * static_cast<double>(c.positions) * static_cast<double>(c.width) * static_cast<double>(c.channels);
}

// oneDNN's product of two matrices of 1024 x 1024 on one core; OpenBLAS's where there is no oneDNN.
class SgemmPeer {
 public:
  static constexpr double kFlops = 2.0 * 1024 * 1024 * 1024;
  static bool exists() { return !oracle_sgemms().empty(); }
  void run() { oracle_sgemms()[0].second(kSize, kSize, kSize, a_.data(), b_.data(), c_.data()); }

 private:
  static constexpr std::size_t kSize = 1024;
  std::vector<float> a_ = std::vector<float>(kSize * kSize, 0.5F), b_ = a_, c_ = a_;
};

// The forward pass of a batch, recording off, in shards on the threads of a pool.
class ForwardPass {
 public:
  ForwardPass(const testing::ReferenceModel<float>& model, const testing::ReferenceConfig& config, ThreadPool& pool,
              std::size_t shards)
      : model_(model), config_(config), pool_(pool), tapes_(shards) {}

  // x [count, S, C] -> logits [count, classes]
  void run(const float* x, std::size_t count, float* logits) {
    const std::size_t shards = std::min(tapes_.size(), count);
    pool_.run(shards, [&](std::size_t shard) {
      const FlushDenormals flush;
      const std::size_t begin = count * shard / shards, size = count * (shard + 1) / shards - begin;
      tapes_[shard].begin(model_.parameters, {});
      const Tensor<float> z = model_.logits(tapes_[shard], x + begin * config_.positions * config_.channels, size);
      std::copy_n(z.data, size * config_.classes, logits + begin * config_.classes);
    });
  }

 private:
  const testing::ReferenceModel<float>& model_;
  testing::ReferenceConfig config_;
  ThreadPool& pool_;
  std::vector<Tape<float>> tapes_;
};

inline double lower_quartile(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 4];
}

}  // namespace faithful::engine::bench
