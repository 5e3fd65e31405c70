#include <algorithm>
#include <cassert>

#include "faithful/engine/denormals.h"
#include "faithful/predict/window_pass_internal.h"

namespace faithful::predict {

WindowPass::WindowPass(const Classifier<float>& classifier, std::size_t most_batch) : classifier_(classifier) {
  const ModelConfig& config = classifier.config();
  values_.resize(most_batch * config.length * config.channels);
  mask_.resize(most_batch * config.length);
  valid_.resize(mask_.size());
  if (config.positions == "time") times_.resize(mask_.size());
}

void WindowPass::run(const Windows& windows, std::span<const std::uint32_t> numbers, ThreadPool& pool,
                     std::span<float> out) {
  const std::size_t length = windows.length(), count = numbers.size();
  assert(length == classifier_.config().length);
  Samples<float> samples{.count = count};
  windows.fill_into(numbers, {.values = values_, .mask = mask_, .labels = {}}, pool);
  samples.values = std::span(values_).first(count * length * windows.channels());
  if (std::ranges::any_of(numbers, [&](std::uint32_t i) { return windows[i].length < length; })) {
    std::transform(mask_.begin(), mask_.begin() + static_cast<std::ptrdiff_t>(count * length), valid_.begin(),
                   [](float there) { return static_cast<std::uint8_t>(there != 0); });
    samples.valid = std::span(valid_).first(count * length);
  }
  if (!times_.empty()) {
    for (std::size_t i = 0; i < count; ++i) {
      const Window& window = windows[numbers[i]];
      window_times_into(windows.dataset().series[window.series], window, classifier_.config().time_step,
                        std::span(times_).subspan(i * length, length));
    }
    samples.times = std::span(times_).first(count * length);
  }
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

void window_times_into(const Series& series, const Window& window, double step, std::span<float> out) {
  const std::int64_t first = series.times[window.begin];
  for (std::size_t t = 0; t < out.size(); ++t) {
    const std::size_t at = window.begin + std::min<std::size_t>(t, window.length - 1);
    out[t] = static_cast<float>(static_cast<double>(series.times[at] - first) / step);
  }
}

}  // namespace faithful::predict
