#include "faithful/train/score.h"

#include <atomic>
#include <cassert>
#include <memory>
#include <vector>

#include "faithful/engine/denormals.h"
#include "faithful/train/loader_internal.h"

namespace faithful {

BatchLoader::BatchLoader(const ModelConfig& config, std::size_t batch)
    : time_step_(config.positions == "time" ? config.time_step : 0),
      values_(batch * config.length * config.channels),
      valid_(batch * config.length),
      times_(time_step_ > 0 ? batch * config.length : 0),
      labels_(batch) {}

Samples<float> BatchLoader::load(const Windows& windows, std::span<const std::uint32_t> numbers, bool padded,
                                 ThreadPool& pool) {
  count_ = numbers.size();
  const std::size_t samples = count_ * windows.length();
  assert(count_ <= batch() && samples * windows.channels() <= values_.size());
  const std::span<std::uint8_t> valid(valid_.data(), padded ? samples : 0);
  const std::span<float> values(values_.data(), samples * windows.channels());
  const std::span<float> times(times_.data(), times_.empty() ? 0 : samples);
  windows.fill_into(numbers,
                    {.values = values,
                     .mask = valid,
                     .labels = std::span(labels_).first(count_),
                     .times = times,
                     .time_step = time_step_},
                    pool);
  return {count_, values, valid, times};
}

Matrix<float> score_windows(const Classifier<float>& model, const Windows& windows, ThreadPool& pool,
                            std::size_t batch) {
  const ModelConfig& config = model.config();
  std::vector<std::unique_ptr<engine::Tape<float>>> tapes;  // one per thread
  for (std::size_t i = 0; i < pool.size(); ++i) tapes.push_back(std::make_unique<engine::Tape<float>>());
  const auto infer = [&](std::size_t count, auto&& body) {
    const std::size_t shards = std::min(kShards, count);
    std::atomic<std::size_t> next{0};
    pool.run(std::min(tapes.size(), shards), [&](std::size_t worker) {
      const engine::FlushDenormals flush;
      for (std::size_t shard = next++; shard < shards; shard = next++) {
        tapes[worker]->begin(model.parameters(), {});
        body(*tapes[worker], count * shard / shards, count * (shard + 1) / shards);
      }
    });
  };
  BatchLoader loader(config, batch);
  std::vector<float> logits(windows.size() * config.outputs());
  logits_into(model, windows, loader, pool, logits, infer);
  Matrix<float> probabilities(windows.size(), config.classes);
  probabilities_into<float>(logits, config.classes, probabilities.values);
  return probabilities;
}

}  // namespace faithful
