#include "faithful/window/windows.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "faithful/base/error.h"
#include "faithful/data/times.h"
#include "faithful/window/proof_internal.h"

namespace faithful {

// The one maker of Windows.
class Cutter {
 public:
  Cutter(const Split& split, const Scaler& scaler) : split_(split), scaler_(std::make_shared<Scaler>(scaler)) {}

  Windows cut(const SplitPart& part) const {
    const Dataset& dataset = split_.dataset();
    const WindowOptions& options = split_.options().window;
    Windows windows;
    windows.dataset_ = &dataset;
    windows.length_ = split_.window_length();
    windows.classes_ = dataset.classes.size();
    windows.scaler_ = scaler_;
    for (const Series& series : dataset.series) windows.scales_.push_back(&scaler_->of(series.name));
    for (const Piece& piece : part.pieces()) {
      const std::size_t count = count_windows(piece.length(), options, windows.length_);
      for (std::size_t k = 0; k < count; ++k) {
        const std::size_t begin = piece.begin + k * options.stride;
        const std::size_t length = std::min(windows.length_, piece.end - begin);
        windows.windows_.push_back({static_cast<std::uint32_t>(piece.series), static_cast<std::uint32_t>(begin),
                                    static_cast<std::uint32_t>(length),
                                    split_.label_of(piece.series, begin, begin + length)});
      }
    }
    return windows;
  }

  static std::vector<Window>& list(Windows& windows) { return windows.windows_; }

 private:
  const Split& split_;
  std::shared_ptr<const Scaler> scaler_;
};

namespace {

void check_sizes(const Dataset& dataset, const Scaler& scaler) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (dataset.series.size() > kMost) throw Error("more series than windows can count");
  for (const Series& series : dataset.series) {
    if (series.length() > kMost) throw Error("a series longer than windows can count");
    if (scaler.of(series.name).shift.size() != dataset.channels.size())
      throw Error("the scaler has another number of channels than the data");
  }
}

// One window, scaled, into [S, C].
void fill_window(const Series& series, const Window& window, const ScalerRecord& record, const Scale& scale,
                 std::span<float> out) {
  const std::size_t channels = scale.shift.size(), size = window.length * channels;
  scale_window_into(record, scale, std::span(series.values.values).subspan(window.begin * channels, size),
                    out.first(size));
  std::ranges::fill(out.subspan(size), 0.0F);
}

// When its samples were taken, from the first on, into [S].
void fill_times(const Series& series, const Window& window, double time_step, std::span<float> out) {
  assert(!series.times.empty() && time_step > 0);
  const std::int64_t* times = series.times.data() + window.begin;
  for (std::size_t t = 0; t < window.length; ++t)
    out[t] = static_cast<float>(static_cast<double>(nanoseconds_between(times[0], times[t])) / time_step);
  std::fill(out.begin() + window.length, out.end(), 0.0F);
}

}  // namespace

std::vector<std::int32_t> Windows::labels() const {
  std::vector<std::int32_t> labels(windows_.size());
  std::transform(windows_.begin(), windows_.end(), labels.begin(), [](const Window& window) { return window.label; });
  return labels;
}

std::vector<std::size_t> Windows::class_counts() const {
  std::vector<std::size_t> counts(classes_, 0);
  for (const Window& window : windows_)
    if (window.label != kNoLabel) ++counts[static_cast<std::size_t>(window.label)];
  return counts;
}

std::vector<float> Windows::class_weights() const {
  const std::vector<std::size_t> counts = class_counts();
  double total = 0;
  for (const std::size_t count : counts) total += static_cast<double>(count);
  std::vector<float> weights;
  for (const std::size_t count : counts)
    weights.push_back(
        count == 0 ? 0.0F : static_cast<float>(total / (static_cast<double>(classes_) * static_cast<double>(count))));
  return weights;
}

std::size_t Windows::padded_count() const {
  return static_cast<std::size_t>(
      std::count_if(windows_.begin(), windows_.end(), [&](const Window& window) { return window.length < length_; }));
}

Windows Windows::only(std::span<const std::uint32_t> numbers) const {
  Windows chosen = *this;
  chosen.windows_.clear();
  for (const std::uint32_t number : numbers) chosen.windows_.push_back(windows_[number]);
  return chosen;
}

void Windows::fill_into(std::span<const std::uint32_t> numbers, const BatchBuffers& buffers, ThreadPool& pool) const {
  const std::size_t window_size = length_ * channels();
  assert(buffers.values.size() >= numbers.size() * window_size);
  assert(buffers.mask.empty() || buffers.mask.size() >= numbers.size() * length_);
  assert(buffers.times.empty() || buffers.times.size() >= numbers.size() * length_);
  assert(buffers.labels.empty() || buffers.labels.size() >= numbers.size());
  parallel_for(pool, numbers.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Window& window = windows_[numbers[i]];
      fill_window(dataset_->series[window.series], window, scaler_->record(), *scales_[window.series],
                  buffers.values.subspan(i * window_size, window_size));
      if (!buffers.mask.empty()) {
        std::uint8_t* mask = buffers.mask.data() + i * length_;
        std::fill(mask, mask + window.length, std::uint8_t{1});
        std::fill(mask + window.length, mask + length_, std::uint8_t{0});
      }
      if (!buffers.times.empty())
        fill_times(dataset_->series[window.series], window, buffers.time_step,
                   buffers.times.subspan(i * length_, length_));
      if (!buffers.labels.empty()) buffers.labels[i] = window.label;
    }
  });
}

WindowSets cut_windows(const Split& split, const Scaler& scaler) {
  if (scaler.split_id() != 0 && scaler.split_id() != split.id())
    throw Error("the scaler was fitted on the training part of another split");
  check_sizes(split.dataset(), scaler);
  const Cutter cutter(split, scaler);
  WindowSets sets{cutter.cut(split.train()), cutter.cut(split.validation()), cutter.cut(split.test()), {}};
  const WindowHashes hashes(split.dataset());
  if (split.options().kind != SplitKind::kRandom) {
    const std::span<const Window> test = Cutter::list(sets.test);
    sets.proof.dropped_windows += drop_repeats(hashes, Cutter::list(sets.validation), test);
    sets.proof.dropped_windows += drop_repeats(hashes, Cutter::list(sets.train), test);
    sets.proof.dropped_windows += drop_repeats(hashes, Cutter::list(sets.train), Cutter::list(sets.validation));
  }
  prove_disjoint(split.dataset(), hashes,
                 {Cutter::list(sets.train), Cutter::list(sets.validation), Cutter::list(sets.test)}, sets.proof);
  return sets;
}

}  // namespace faithful
