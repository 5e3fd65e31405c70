#include <algorithm>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/limits.h"
#include "faithful/train/memory_internal.h"

namespace faithful::train {

double bytes_of_window(const ModelConfig& config) {
  const auto number = [](std::size_t count) { return static_cast<double>(count); };
  const double values = number(config.input.length) * number(config.input.channels);
  if (config.input.branches == 0) return values * sizeof(float);  // few windows are passed at once
  // A layer records about 30 numbers for each of the width and position (samples_at_once), a block of convolutions
  // about 4. Half of the batch is one shard, which is passed as a whole.
  const double positions = number(config.steps()) * number(config.body.width);
  const double recorded = positions * (30 * number(config.body.layers) + 4 * number(config.input.blocks + 1));
  return (values + recorded / 2) * sizeof(float);
}

void check_step(const ModelConfig& config, std::size_t batch, std::size_t windows, std::size_t steps) {
  constexpr std::size_t kMostSteps = std::numeric_limits<std::uint32_t>::max();
  if (steps > kMostSteps)
    reject({{.field = "steps"}, fmt::format("at most {} steps in all", kMostSteps), fmt::format("{}", steps)});
  const double each = bytes_of_window(config), all = each * static_cast<double>(std::min(batch, windows));
  const auto most = static_cast<double>(limits().training_bytes);
  if (all <= most) return;
  constexpr double kGigabyte = 1e9;
  reject({{.field = "batch"},
          fmt::format("at most {:.0f} windows, which fit into the memory of {:.1f} GB",
                      std::max(1.0, most / each - 0.5), most / kGigabyte),
          fmt::format("{}, which take about {:.1f} GB", std::min(batch, windows), all / kGigabyte),
          limits_hint()});
}

}  // namespace faithful::train
