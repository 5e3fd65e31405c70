#include <algorithm>
#include <array>
#include <cmath>

#include "faithful/train/augment_internal.h"

namespace faithful::train {

namespace {

constexpr std::size_t kKnots = 6;          // of the speed
constexpr std::size_t kMostPartners = 16;  // channels that one channel is mixed with, so that many channels cost little

// Where in the window, from 0 to 1, the signal of each sample comes from: the integral of a speed whose logarithm is
// drawn at knots.
class Places {
 public:
  Places(const Augmentation& options, Random& random, std::size_t count) : count_(count) {
    if (options.warp > 0) {
      for (double& knot : log_speed_) knot = options.warp * random.normal();
    }
    for (std::size_t i = 0; i + 1 < count; ++i) all_ += speed(i);
    if (options.crop == 0) return;
    length_ = random.uniform(1 - options.crop, 1 + options.crop);
    start_ = (1 - length_) * random.uniform();
  }

  // Calls visit(sample, where it comes from in samples, from 0 to count - 1), in order.
  template <class Visit>
  void for_each(const Visit& visit) const {
    double passed = 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const double share = all_ > 0 ? passed / all_ : 0;
      visit(i, std::clamp(start_ + length_ * share, 0.0, 1.0) * static_cast<double>(count_ - 1));
      passed += speed(i);
    }
  }

 private:
  double speed(std::size_t i) const {  // between samples i and i + 1
    const double at = (static_cast<double>(i) + 0.5) / static_cast<double>(count_) * (kKnots - 1);
    const auto knot = std::min(static_cast<std::size_t>(at), kKnots - 2);
    const double share = at - static_cast<double>(knot);
    return std::exp((1 - share) * log_speed_[knot] + share * log_speed_[knot + 1]);
  }

  std::array<double, kKnots> log_speed_ = {};
  std::size_t count_;
  double all_ = 0, start_ = 0, length_ = 1;
};

void move_along_time(const Augmentation& options, Random& random, std::span<const float> x, std::size_t channels,
                     std::span<float> y) {
  const std::size_t count = x.size() / channels;
  if (options.warp == 0 && options.crop == 0) {
    std::ranges::copy(x, y.begin());
    return;
  }
  Places(options, random, count).for_each([&](std::size_t i, double from) {
    const auto before = std::min(static_cast<std::size_t>(from), count - 1), after = std::min(before + 1, count - 1);
    const auto share = static_cast<float>(from - static_cast<double>(before));
    for (std::size_t c = 0; c < channels; ++c) {
      y[i * channels + c] = (1 - share) * x[before * channels + c] + share * x[after * channels + c];
    }
  });
}

// y = x (I + mix N / sqrt(partners)); with many channels each has partners that are drawn.
void mix_channels(double mix, Random& random, std::size_t channels, std::span<float> y) {
  const std::size_t partners = std::min(channels, kMostPartners), count = y.size() / channels;
  std::vector<float> before(y.size()), mixed(count);  // [channels, count]: sums run along time, in whole vectors
  for (std::size_t t = 0; t < count; ++t) {
    for (std::size_t c = 0; c < channels; ++c) before[c * count + t] = y[t * channels + c];
  }
  for (std::size_t c = 0; c < channels; ++c) {
    std::copy_n(&before[c * count], count, mixed.begin());
    for (std::size_t p = 0; p < partners; ++p) {
      const float* from = &before[count * (channels <= kMostPartners ? p : random.below(channels))];
      const auto weight = static_cast<float>(mix * random.normal() / std::sqrt(static_cast<double>(partners)));
      for (std::size_t t = 0; t < count; ++t) mixed[t] += weight * from[t];
    }
    for (std::size_t t = 0; t < count; ++t) y[t * channels + c] = mixed[t];
  }
}

void scale_channels(double gain, Random& random, std::size_t channels, std::span<float> y) {
  std::vector<float> factor(channels);
  for (float& each : factor) each = static_cast<float>(1 + gain * random.normal());
  for (std::size_t i = 0; i < y.size(); i += channels) {
    for (std::size_t c = 0; c < channels; ++c) y[i + c] *= factor[c];
  }
}

void cut_out(double cutout, Random& random, std::size_t channels, std::span<float> y) {
  const std::size_t count = y.size() / channels;
  const auto length = static_cast<std::size_t>(random.uniform(0, cutout) * static_cast<double>(count));
  const std::size_t first = random.below(count - length + 1);
  std::fill_n(y.begin() + static_cast<std::ptrdiff_t>(first * channels), length * channels, 0.0F);
}

std::size_t valid_count(std::span<const std::uint8_t> valid, std::size_t length) {
  if (valid.empty()) return length;
  return static_cast<std::size_t>(std::count(valid.begin(), valid.end(), std::uint8_t{1}));
}

}  // namespace

void augment_into(const Augmentation& options, Random& random, std::span<const float> x, std::size_t channels,
                  std::span<float> y) {
  move_along_time(options, random, x, channels, y);
  if (options.mix > 0) mix_channels(options.mix, random, channels, y);
  if (options.gain > 0) scale_channels(options.gain, random, channels, y);
  if (options.jitter > 0) {
    for (float& value : y) value += static_cast<float>(options.jitter * random.normal());
  }
  if (options.cutout > 0) cut_out(options.cutout, random, channels, y);
}

Samples<float> Augmenter::changed(const Samples<float>& samples, std::size_t channels, std::size_t step,
                                  ThreadPool& pool, std::size_t first) {
  if (options_ == Augmentation{} || samples.count == 0) return samples;
  values_.resize(std::max(values_.size(), samples.values.size()));
  const std::size_t each = samples.values.size() / samples.count;
  pool.run(samples.count, [&](std::size_t i) {
    const Samples<float> one = samples.part(i, i + 1);
    const std::size_t there = valid_count(one.valid, each / channels) * channels;  // padding comes last
    const std::span<float> to = std::span(values_).subspan(i * each, each);
    Random random(seed_, stream_of("augmentation") + (static_cast<std::uint64_t>(step) << 32) + first + i);
    augment_into(options_, random, one.values.first(there), channels, to.first(there));
    std::ranges::fill(to.subspan(there), 0.0F);
  });
  Samples<float> result = samples;
  result.values = std::span<const float>(values_).first(samples.values.size());
  return result;
}

}  // namespace faithful::train
