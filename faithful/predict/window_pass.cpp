#include <algorithm>
#include <cassert>

#include "faithful/engine/denormals.h"
#include "faithful/predict/window_pass_internal.h"

namespace faithful::predict {

WindowPass::WindowPass(const Classifier<float>& classifier, std::size_t most_batch) : classifier_(classifier) {
  const ModelConfig& config = classifier.config();
  values_.resize(most_batch * config.length * config.channels);
  valid_.resize(most_batch * config.length);
  if (config.positions == "time") times_.resize(valid_.size());
}

void WindowPass::run(const Windows& windows, std::span<const std::uint32_t> numbers, ThreadPool& pool,
                     std::span<float> out) {
  const std::size_t length = windows.length(), count = numbers.size();
  assert(length == classifier_.config().length);
  windows.fill_into(
      numbers, {.values = values_, .mask = valid_, .times = times_, .time_step = classifier_.config().time_step}, pool);
  Samples<float> samples{count, std::span(values_).first(count * length * windows.channels()), {}, {}};
  if (std::ranges::any_of(numbers, [&](std::uint32_t i) { return windows[i].length < length; }))
    samples.valid = std::span(valid_).first(count * length);
  if (!times_.empty()) samples.times = std::span(times_).first(count * length);
  forward(samples, out);
}

void WindowPass::run(std::size_t count, std::span<float> out) {
  const ModelConfig& config = classifier_.config();
  forward({.count = count, .values = std::span(values_).first(count * config.length * config.channels)}, out);
}

void WindowPass::forward(const Samples<float>& samples, std::span<float> out) {
  const engine::FlushDenormals flush;
  tape_.begin(classifier_.parameters(), {});
  const engine::Tensor<float> logits = classifier_.logits(tape_, samples);
  const std::size_t outputs = classifier_.config().outputs();
  probabilities_into<float>({logits.data, samples.count * outputs}, classifier_.config().classes, out);
}

}  // namespace faithful::predict
