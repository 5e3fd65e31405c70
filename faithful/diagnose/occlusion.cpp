#include "faithful/diagnose/occlusion.h"

#include <algorithm>
#include <cassert>

#include "faithful/diagnose/suspects.h"

namespace faithful {

namespace {

// `from` with this part of `other`: out [length, C]
void exchange_into(std::span<const float> from, std::span<const float> other, std::size_t channels,
                   const Occlusion& what, std::span<float> out) {
  std::ranges::copy(from, out.begin());
  const std::size_t first = what.sensor == kAllSensors ? 0 : what.sensor;
  const std::size_t last = what.sensor == kAllSensors ? channels : what.sensor + 1;
  for (std::size_t t = what.samples.begin; t < what.samples.end; ++t)
    for (std::size_t c = first; c < last; ++c) out[t * channels + c] = other[t * channels + c];
}

// Spans of whole steps, as long as each other but the last.
std::vector<Range> cut_spans(std::size_t samples, std::size_t step, std::size_t most) {
  const std::size_t steps = (samples + step - 1) / step, each = (steps + most - 1) / most * step;
  std::vector<Range> spans;
  for (std::size_t begin = 0; begin < samples; begin += each) spans.push_back({begin, std::min(begin + each, samples)});
  return spans;
}

}  // namespace

std::vector<double> occlusion_changes(const WindowLogit& logit, std::span<const float> window,
                                      std::span<const float> normal, std::size_t channels,
                                      std::span<const Occlusion> occlusions, std::size_t batch, ThreadPool& pool) {
  assert(batch > 0 && window.size() == normal.size());
  double whole = 0, without = 0;
  logit(window, {&whole, 1});
  logit(normal, {&without, 1});
  // First all windows with a part replaced, then all normal versions with a part put in.
  const std::size_t count = occlusions.size();
  std::vector<double> logits(2 * count);
  pool.run((2 * count + batch - 1) / batch, [&](std::size_t task) {
    const std::size_t begin = task * batch, size = std::min(batch, 2 * count - begin);
    std::vector<float> values(size * window.size());
    for (std::size_t i = 0; i < size; ++i) {
      const std::span<float> out = std::span(values).subspan(i * window.size(), window.size());
      const bool replaced = begin + i < count;
      exchange_into(replaced ? window : normal, replaced ? normal : window, channels, occlusions[(begin + i) % count],
                    out);
    }
    logit(values, std::span(logits).subspan(begin, size));
  });
  std::vector<double> changes(count);
  for (std::size_t i = 0; i < count; ++i) changes[i] = ((whole - logits[i]) + (logits[count + i] - without)) / 2;
  return changes;
}

OcclusionDiagnosis diagnose_occlusion(const WindowLogit& logit, std::span<const float> window,
                                      std::span<const float> normal, std::size_t channels, std::size_t samples,
                                      std::size_t step, const OcclusionOptions& options, ThreadPool& pool) {
  OcclusionDiagnosis found;
  found.spans = cut_spans(samples, step, options.most_spans);
  std::vector<Occlusion> simple;
  for (std::size_t c = 0; c < channels; ++c) simple.push_back({c, {0, samples}});
  for (const Range& span : found.spans) simple.push_back({kAllSensors, span});
  const std::vector<double> changes = occlusion_changes(logit, window, normal, channels, simple, options.batch, pool);
  const auto middle = changes.begin() + static_cast<std::ptrdiff_t>(channels);
  found.sensors.assign(changes.begin(), middle);
  found.changes.assign(middle, changes.end());

  found.detailed_sensors = order_of(found.sensors);
  found.detailed_sensors.resize(std::min(options.detailed, channels));
  std::vector<Occlusion> both;
  for (const std::size_t sensor : found.detailed_sensors)
    for (const Range& span : found.spans) both.push_back({sensor, span});
  found.detailed = Matrix<double>(found.detailed_sensors.size(), found.spans.size(),
                                  occlusion_changes(logit, window, normal, channels, both, options.batch, pool));
  return found;
}

}  // namespace faithful
