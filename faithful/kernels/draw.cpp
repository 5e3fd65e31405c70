#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "faithful/base/random.h"
#include "faithful/kernels/kernel_features.h"
#include "faithful/kernels/lanes_internal.h"

// How the kernels are chosen from training windows.

namespace faithful {

namespace {

using kernels::kCompeting;
using kernels::kHalf;
using kernels::kTaps;

constexpr std::size_t kKernels = 84;        // choices of three places out of nine
constexpr std::size_t kMostDilations = 32;  // of a kernel of MultiRocket
constexpr std::size_t kMostRocketChannels = 9, kMostHydraChannels = 8;
constexpr double kGolden = 0.6180339887498949;  // its multiples, modulo 1, are spread evenly

std::vector<std::array<std::uint32_t, 3>> rocket_places() {
  std::vector<std::array<std::uint32_t, 3>> places;
  for (std::uint32_t a = 0; a < kTaps; ++a)
    for (std::uint32_t b = a + 1; b < kTaps; ++b)
      for (std::uint32_t c = b + 1; c < kTaps; ++c) places.push_back({a, b, c});
  return places;
}

// Longer than 19 of 20 windows: dilations are chosen for it. Where lengths differ, the long ones need more dilations than
// the short ones lose by them (JapaneseVowels, folds of the training part: .960 with it, .942 with the median).
std::size_t typical_length(const Windows& windows) {
  std::vector<std::size_t> lengths(windows.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = windows[i].length;
  const auto place = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() * 19 / 20);
  std::nth_element(lengths.begin(), place, lengths.end());
  return *place;
}

// The greatest dilation with which a kernel fits into so many samples; at least 1.
double greatest_dilation(std::size_t length) {
  return length <= kTaps ? 1.0 : static_cast<double>(length - 1) / (kTaps - 1);
}

struct Dilation {
  std::uint32_t size;
  std::size_t biases;
};

// Dilations from 1 to the greatest, evenly on a logarithmic scale; those that fall together share their biases.
std::vector<Dilation> rocket_dilations(std::size_t length, std::size_t biases) {
  const double most = std::log2(greatest_dilation(length));
  const std::size_t steps = std::min(biases, kMostDilations);
  std::vector<Dilation> dilations;
  for (std::size_t b = 0; b < biases; ++b) {
    const std::size_t step = b * steps / biases;
    const double exponent = steps == 1 ? 0.0 : most * static_cast<double>(step) / static_cast<double>(steps - 1);
    const auto size = static_cast<std::uint32_t>(std::exp2(exponent) + 1e-9);
    if (dilations.empty() || dilations.back().size != size) dilations.push_back({size, 0});
    ++dilations.back().biases;
  }
  return dilations;
}

// `wanted` of 0 .. all - 1, ascending.
std::vector<std::uint32_t> draw_channels(std::size_t wanted, std::size_t all, Random& random) {
  std::vector<std::uint32_t> order(all);
  std::iota(order.begin(), order.end(), 0U);
  random.shuffle(std::span(order));
  order.resize(std::clamp<std::size_t>(wanted, 1, all));
  std::ranges::sort(order);
  return order;
}

// The products of one window [length, C] where they count, ascending. In the order of additions of lanes.cpp, so that a
// product that is equal to a bias is equal there, too.
std::vector<float> sorted_products(const RocketKernel& kernel, std::span<const float> values, std::size_t length,
                                   std::size_t channels) {
  const std::size_t samples = kernel.differences ? length - 1 : length, reach = kHalf * kernel.dilation;
  std::vector<float> sum(samples + 2 * reach);
  for (std::size_t t = 0; t < samples; ++t) {
    for (std::size_t i = 0; i < kernel.channels.size(); ++i) {
      const float* at = values.data() + t * channels + kernel.channels[i];
      const float value = kernel.differences ? at[channels] - at[0] : at[0];
      sum[reach + t] = i == 0 ? value : sum[reach + t] + value;
    }
  }
  const std::size_t cut = kernel.padded || samples <= 2 * reach ? 0 : reach;
  std::vector<float> products;
  for (std::size_t t = cut; t < samples - cut; ++t) {
    const auto tap = [&](std::size_t i) { return sum[t + i * kernel.dilation]; };
    float all = tap(0);
    for (std::size_t i = 1; i < kTaps; ++i) all += tap(i);
    const auto [a, b, c] = kernel.places;
    products.push_back(3.0F * (tap(a) + tap(b) + tap(c)) - all);
  }
  std::ranges::sort(products);
  return products;
}

// Between the two nearest of ascending numbers.
float quantile_of(std::span<const float> sorted, double share) {
  if (sorted.empty()) return 0;
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const float low = sorted[below], high = sorted[std::min(below + 1, sorted.size() - 1)];
  return low + static_cast<float>(place - static_cast<double>(below)) * (high - low);
}

void fit_biases(const Windows& train, std::size_t first, std::size_t count, Random& random, ThreadPool& pool,
                RocketKernel& kernel) {
  const std::uint32_t number[] = {static_cast<std::uint32_t>(random.below(train.size()))};
  std::vector<float> values(train.length() * train.channels()), products;
  train.fill_into(number, {.values = values}, pool);
  products = sorted_products(kernel, values, train[number[0]].length, train.channels());
  for (std::size_t i = 0; i < count; ++i)
    kernel.biases.push_back(quantile_of(products, std::fmod(static_cast<double>(first + i + 1) * kGolden, 1.0)));
}

void draw_rocket(const Windows& train, bool differences, const KernelOptions& options, ThreadPool& pool,
                 std::vector<RocketKernel>& out) {
  const std::size_t length = typical_length(train) - (differences ? 1 : 0);
  const std::vector<std::array<std::uint32_t, 3>> places = rocket_places();
  const std::vector<Dilation> dilations = rocket_dilations(length, std::max<std::size_t>(1, options.biases / kKernels));
  const double most = std::log2(static_cast<double>(std::min(kMostRocketChannels, train.channels())) + 1);
  const std::size_t begin = out.size();
  std::vector<std::size_t> first(dilations.size());  // bias of the first kernel
  for (std::size_t i = 1; i < first.size(); ++i) first[i] = first[i - 1] + kKernels * dilations[i - 1].biases;
  out.resize(begin + kKernels * dilations.size());
  pool.run(kKernels * dilations.size(), [&](std::size_t i) {
    const std::size_t k = i % kKernels, number = i / kKernels;
    Random random(options.seed, stream_of("kernels.rocket") + 2 * i + (differences ? 1 : 0));
    RocketKernel& kernel = out[begin + i];
    kernel.places = places[k];
    kernel.dilation = dilations[number].size;
    kernel.differences = differences;
    kernel.padded = (number + k) % 2 == 0;
    kernel.channels =
        draw_channels(static_cast<std::size_t>(std::exp2(random.uniform(0, most))), train.channels(), random);
    const std::size_t biases = dilations[number].biases;
    fit_biases(train, first[number] + k * biases, biases, random, pool, kernel);
  });
}

// Weights of mean 0 whose absolute values add up to 1.
void draw_weights(Random& random, std::span<float> out) {
  std::array<double, kTaps> weights{};
  for (double& weight : weights) weight = random.normal();
  const double mean = std::accumulate(weights.begin(), weights.end(), 0.0) / kTaps;
  double size = 0;
  for (double& weight : weights) size += std::abs(weight -= mean);
  for (std::size_t i = 0; i < kTaps; ++i) out[i] = static_cast<float>(weights[i] / size);
}

// `draws` of 0 .. all - 1, each once however often it is drawn: so some groups have few channels, and some a single one.
std::vector<std::uint32_t> draw_with_return(std::size_t draws, std::size_t all, Random& random) {
  std::set<std::uint32_t> drawn;
  for (std::size_t i = 0; i < draws; ++i) drawn.insert(static_cast<std::uint32_t>(random.below(all)));
  return {drawn.begin(), drawn.end()};
}

void draw_hydra(const Windows& train, bool differences, const KernelOptions& options, std::vector<HydraGroup>& out) {
  const std::size_t length = typical_length(train) - (differences ? 1 : 0);
  const std::size_t groups = differences ? options.groups / 2 : options.groups - options.groups / 2;
  const std::size_t wanted = std::clamp<std::size_t>(train.channels() / 2, 2, kMostHydraChannels);
  Random random(options.seed, stream_of(differences ? "kernels.hydra.differences" : "kernels.hydra.series"));
  for (std::uint32_t dilation = 1; dilation <= greatest_dilation(length); dilation *= 2) {
    for (std::size_t g = 0; g < groups; ++g) {
      HydraGroup group{dilation, differences, draw_with_return(wanted, train.channels(), random), {}};
      for (std::size_t k = 0; k < kCompeting; ++k)
        draw_weights(random, std::span(group.weights).subspan(k * kTaps, kTaps));
      out.push_back(std::move(group));
    }
  }
}

}  // namespace

KernelFeatures KernelFeatures::fit(const Windows& train, const KernelOptions& options, ThreadPool& pool) {
  KernelTable table{train.channels(), train.length(), {}, {}};
  // Where most windows have one sample there are no differences to speak of.
  const std::size_t representations = typical_length(train) > 1 ? 2 : 1;
  for (std::size_t i = 0; i < representations; ++i) {
    if (options.biases > 0) draw_rocket(train, i == 1, options, pool, table.rocket);
    draw_hydra(train, i == 1, options, table.hydra);
  }
  return KernelFeatures(std::move(table));
}

}  // namespace faithful
