#include "faithful/diagnose/occlusion.h"

#include <algorithm>
#include <cassert>

#include "faithful/diagnose/suspects.h"

namespace faithful {

namespace {

// The window with what is occluded replaced: out [length, C]
void occlude_into(std::span<const float> window, const Normal& normal, const Occlusion& what, std::span<float> out) {
  std::ranges::copy(window, out.begin());
  const std::size_t channels = normal.mean.columns;
  const std::size_t first = what.sensor == kAllSensors ? 0 : what.sensor;
  const std::size_t last = what.sensor == kAllSensors ? channels : what.sensor + 1;
  for (std::size_t t = what.samples.begin; t < what.samples.end; ++t)
    for (std::size_t c = first; c < last; ++c) out[t * channels + c] = normal.mean_at(t, c);
}

// Spans of whole steps, as long as each other but the last.
std::vector<Range> cut_spans(std::size_t samples, std::size_t step, std::size_t most) {
  const std::size_t steps = (samples + step - 1) / step, each = (steps + most - 1) / most * step;
  std::vector<Range> spans;
  for (std::size_t begin = 0; begin < samples; begin += each) spans.push_back({begin, std::min(begin + each, samples)});
  return spans;
}

}  // namespace

std::vector<double> occlusion_changes(const WindowLogit& logit, std::span<const float> window, const Normal& normal,
                                      std::span<const Occlusion> occlusions, std::size_t batch, ThreadPool& pool) {
  assert(batch > 0);
  std::vector<double> changes(occlusions.size());
  double whole = 0;
  logit(window, {&whole, 1});
  pool.run((occlusions.size() + batch - 1) / batch, [&](std::size_t task) {
    const std::size_t begin = task * batch, count = std::min(batch, occlusions.size() - begin);
    std::vector<float> values(count * window.size());
    for (std::size_t i = 0; i < count; ++i)
      occlude_into(window, normal, occlusions[begin + i], std::span(values).subspan(i * window.size(), window.size()));
    const std::span<double> out = std::span(changes).subspan(begin, count);
    logit(values, out);
    for (double& change : out) change = whole - change;
  });
  return changes;
}

OcclusionDiagnosis diagnose_occlusion(const WindowLogit& logit, std::span<const float> window, std::size_t samples,
                                      std::size_t step, const Normal& normal, const OcclusionOptions& options,
                                      ThreadPool& pool) {
  const std::size_t channels = normal.mean.columns;
  OcclusionDiagnosis found;
  found.spans = cut_spans(samples, step, options.most_spans);
  std::vector<Occlusion> simple;
  for (std::size_t c = 0; c < channels; ++c) simple.push_back({c, {0, samples}});
  for (const Range& span : found.spans) simple.push_back({kAllSensors, span});
  const std::vector<double> changes = occlusion_changes(logit, window, normal, simple, options.batch, pool);
  const auto middle = changes.begin() + static_cast<std::ptrdiff_t>(channels);
  found.sensors.assign(changes.begin(), middle);
  found.changes.assign(middle, changes.end());

  found.detailed_sensors = order_of(found.sensors);
  found.detailed_sensors.resize(std::min(options.detailed, channels));
  std::vector<Occlusion> both;
  for (const std::size_t sensor : found.detailed_sensors)
    for (const Range& span : found.spans) both.push_back({sensor, span});
  found.detailed = Matrix<double>(found.detailed_sensors.size(), found.spans.size(),
                                  occlusion_changes(logit, window, normal, both, options.batch, pool));
  return found;
}

}  // namespace faithful
