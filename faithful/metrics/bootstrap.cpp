#include "faithful/metrics/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/random.h"
#include "faithful/metrics/checks_internal.h"

namespace faithful {

namespace {

// How often each sample is in resample number `resample`; a stream of its own, so that threads do not matter.
void draw_into(std::span<const std::size_t> group_of, std::size_t groups, std::uint64_t seed, std::size_t resample,
               std::vector<double>& group_counts, std::span<double> counts) {
  Random random(seed, resample);
  group_counts.assign(groups, 0);
  for (std::size_t draw = 0; draw < groups; ++draw) group_counts[random.below(groups)] += 1;
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = group_counts[group_of[i]];
}

// Every number below the largest must occur: a hole would be an empty group that is drawn for nothing.
std::size_t count_groups(std::span<const std::size_t> group_of) {
  if (group_of.empty()) reject({{"bootstrap"}, "at least one sample", "none"});
  std::vector<std::size_t> numbers(group_of.begin(), group_of.end());
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  if (numbers.back() != numbers.size() - 1) {
    reject(
        {{"groups"}, fmt::format("the numbers from 0 to {}", numbers.size() - 1), fmt::format("{}", numbers.back())});
  }
  return numbers.size();
}

}  // namespace

Bootstrap bootstrap_groups(std::span<const std::size_t> group_of, const Statistic& statistic,
                           const BootstrapOptions& options) {
  metrics::check_share("level", options.level);
  const std::size_t groups = count_groups(group_of);
  std::vector<double> values(options.resamples);
  const auto fill = [&](std::size_t begin, std::size_t end) {
    std::vector<double> group_counts, counts(group_of.size());
    for (std::size_t r = begin; r < end; ++r) {
      draw_into(group_of, groups, options.seed, r, group_counts, counts);
      values[r] = statistic(counts);
    }
  };
  parallel_for(*PoolOrOwn(options.pool), options.resamples, 1, fill);
  std::erase_if(values, [](double value) { return std::isnan(value); });
  return {statistic(std::vector<double>(group_of.size(), 1)),
          {quantile(values, (1 - options.level) / 2), quantile(values, (1 + options.level) / 2)},
          summarize(values).deviation,
          options.resamples - values.size()};
}

Bootstrap bootstrap(std::size_t samples, const Statistic& statistic, const BootstrapOptions& options) {
  std::vector<std::size_t> each(samples);
  std::iota(each.begin(), each.end(), std::size_t{0});
  return bootstrap_groups(each, statistic, options);
}

}  // namespace faithful
