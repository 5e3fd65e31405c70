#pragma once

// Batches in memory, and a model's answers to whole sets of windows.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "faithful/base/threads.h"
#include "faithful/engine/shards.h"
#include "faithful/model/classifier.h"
#include "faithful/window/windows.h"

namespace faithful {

inline constexpr std::size_t kShards = 8;  // into which every batch is cut: part of what a seed means

// The memory of a batch, as models take it.
class BatchLoader {
 public:
  BatchLoader(const ModelConfig& config, std::size_t batch);

  // The windows of these numbers, at most `batch`; `padded`: the set has windows that are padded. Valid until the next
  // load.
  Samples<float> load(const Windows& windows, std::span<const std::uint32_t> numbers, bool padded, ThreadPool& pool);
  std::span<const std::int32_t> labels() const { return {labels_.data(), count_}; }
  std::size_t batch() const { return labels_.size(); }

 private:
  double time_step_;                  // 0: positions are numbers
  std::vector<float> values_;         // [batch, S, C]
  std::vector<std::uint8_t> valid_;   // [batch, S]
  std::vector<float> times_;          // [batch, S]; empty where positions are numbers
  std::vector<std::int32_t> labels_;  // [batch]
  std::size_t count_ = 0;
};

// The logits of every window of a set, in order, into logits [n, outputs]; `infer(batch, body)` calls
// body(tape, begin, end) for pieces of the batch.
template <class Infer>
void logits_into(const Classifier<float>& model, const Windows& windows, BatchLoader& loader, ThreadPool& pool,
                 std::span<float> logits, Infer&& infer) {
  const std::size_t outputs = model.config().outputs();
  const bool padded = windows.padded_count() > 0;
  std::vector<std::uint32_t> numbers(loader.batch());
  for (std::size_t first = 0; first < windows.size(); first += loader.batch()) {
    const std::size_t count = std::min(loader.batch(), windows.size() - first);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::uint32_t>(first + i);
    const Samples<float> samples = loader.load(windows, std::span(numbers).first(count), padded, pool);
    infer(count, [&](engine::Tape<float>& tape, std::size_t begin, std::size_t end) {
      const engine::Tensor<float> z = model.logits(tape, samples.part(begin, end));
      for (std::size_t i = begin; i < end; ++i)
        std::copy_n(z.row(i - begin), outputs, logits.data() + (first + i) * outputs);
    });
  }
}

}  // namespace faithful
