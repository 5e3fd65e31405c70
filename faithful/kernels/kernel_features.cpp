#include "faithful/kernels/kernel_features.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/kernels/lanes_internal.h"

namespace faithful {

namespace {

using kernels::kHalf;
using kernels::kTaps;
using kernels::Lanes;

void check_places(const RocketKernel& kernel, const std::string& place) {
  const auto [a, b, c] = kernel.places;
  if (a >= b || b >= c || c >= kTaps)
    reject({{place}, "three ascending places from 0 to 8", fmt::format("{}, {}, {}", a, b, c)});
  for (const float bias : kernel.biases)
    if (!std::isfinite(bias)) reject({{place}, "finite biases", fmt::format("{}", bias)});
}

// Of a RocketKernel or a HydraGroup.
template <class Kernel>
void check_kernel(const Kernel& kernel, const KernelTable& table, const std::string& place) {
  if (kernel.dilation < 1 || kernel.dilation > table.length)
    reject({{place}, fmt::format("a dilation from 1 to {}", table.length), fmt::format("{}", kernel.dilation)});
  if (kernel.channels.empty()) reject({{place}, "at least one channel", "none"});
  for (const std::uint32_t channel : kernel.channels)
    if (channel >= table.channels)
      reject({{place}, fmt::format("channels below {}", table.channels), fmt::format("{}", channel)});
}

Lanes make_lanes(const KernelTable& table, std::size_t reach) {
  const std::size_t side_by_side = kernels::lane_count(), samples = (table.length + 2 * reach) * side_by_side;
  Lanes lanes;
  lanes.length = table.length;
  lanes.reach = reach;
  lanes.series.resize(table.channels * samples);
  lanes.changes.resize(table.channels * samples);
  lanes.sum.resize(samples);
  lanes.product.resize(table.length * side_by_side);
  return lanes;
}

// Fills lane `lane` with a window [length, C]; no values: an empty window.
void put_window(std::span<const float> values, std::size_t length, std::size_t channels, std::size_t lane,
                Lanes& lanes) {
  const std::size_t stride = kernels::lane_count(), samples = lanes.sum.size();
  lanes.lengths[lane] = static_cast<float>(length);
  for (std::size_t c = 0; c < channels; ++c) {
    float* series = lanes.series.data() + c * samples + lanes.reach * stride + lane;
    float* changes = lanes.changes.data() + c * samples + lanes.reach * stride + lane;
    for (std::size_t t = 0; t < lanes.length; ++t) {
      series[t * stride] = t < length ? values[t * channels + c] : 0.0F;
      changes[t * stride] = t + 1 < length ? values[(t + 1) * channels + c] - values[t * channels + c] : 0.0F;
    }
  }
}

}  // namespace

KernelFeatures::KernelFeatures(KernelTable table, const std::string& place) : table_(std::move(table)) {
  if (table_.channels < 1 || table_.length < 1)
    reject({{place}, "channels and samples", fmt::format("{} and {}", table_.channels, table_.length)});
  for (const RocketKernel& kernel : table_.rocket) {
    check_kernel(kernel, table_, place);
    check_places(kernel, place);
    rocket_count_ += kPools * kernel.biases.size();
    reach_ = std::max(reach_, kHalf * kernel.dilation);
  }
  for (const HydraGroup& group : table_.hydra) {
    check_kernel(group, table_, place);
    for (const float weight : group.weights)
      if (!std::isfinite(weight)) reject({{place}, "finite weights", fmt::format("{}", weight)});
    reach_ = std::max(reach_, kHalf * group.dilation);
  }
}

void KernelFeatures::features_into(const WindowValues& windows, std::span<float> out) const {
  const std::size_t side_by_side = kernels::lane_count(), each = table_.length * table_.channels, features = count();
  assert(windows.values.size() == windows.lengths.size() * each);
  assert(out.size() == windows.lengths.size() * features);
  Lanes lanes = make_lanes(table_, reach_);
  std::vector<float> of_lanes(features * side_by_side);  // [F, N]
  for (std::size_t first = 0; first < windows.lengths.size(); first += side_by_side) {
    const std::size_t here = std::min(side_by_side, windows.lengths.size() - first);
    for (std::size_t i = 0; i < side_by_side; ++i) {
      const bool used = i < here;
      put_window(used ? windows.values.subspan((first + i) * each, each) : std::span<const float>(),
                 used ? windows.lengths[first + i] : 0, table_.channels, i, lanes);
    }
    kernels::features_of_lanes(table_, lanes, of_lanes.data());
    for (std::size_t i = 0; i < here; ++i)
      for (std::size_t f = 0; f < features; ++f) out[(first + i) * features + f] = of_lanes[f * side_by_side + i];
  }
}

Matrix<float> KernelFeatures::features_of(const Windows& windows, std::span<const std::uint32_t> numbers,
                                          ThreadPool& pool) const {
  const std::size_t at_once = kernels::lane_count(), each = table_.length * table_.channels;
  assert(windows.length() == table_.length && windows.channels() == table_.channels);
  Matrix<float> found(numbers.size(), count());
  pool.run((numbers.size() + at_once - 1) / at_once, [&](std::size_t batch) {
    const std::size_t first = batch * at_once, here = std::min(at_once, numbers.size() - first);
    std::vector<float> values(here * each);
    std::vector<std::uint32_t> lengths;
    for (const std::uint32_t number : numbers.subspan(first, here)) lengths.push_back(windows[number].length);
    windows.fill_into(numbers.subspan(first, here), {.values = values}, pool);
    features_into({values, lengths}, {found.row(first).data(), here * count()});
  });
  return found;
}

}  // namespace faithful
