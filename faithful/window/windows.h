#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/threads.h"
#include "faithful/window/scale.h"
#include "faithful/window/split.h"

namespace faithful {

// Samples begin .. begin+length-1 of a series; length is below S where the series is shorter and the rest is padding.
struct Window {
  std::uint32_t series = 0;
  std::uint32_t begin = 0;
  std::uint32_t length = 0;
  std::int32_t label = kNoLabel;
  bool operator==(const Window&) const = default;
};

// Where a batch of B windows goes; the caller's memory.
struct BatchBuffers {
  std::span<float> values;              // [B, S, C], scaled; 0 where padded or missing
  std::span<std::uint8_t> mask = {};    // [B, S], 1: a sample, 0: padding; may be empty
  std::span<std::int32_t> labels = {};  // [B]; may be empty
  std::span<float> times = {};          // [B, S], (t - t of the window's first sample) / time_step, 0 where padded;
                                        // may be empty, else every series has timestamps
  double time_step = 1;                 // ns
};

// The windows of one part. They are places in the data set, not copies of it: the data set must outlive them.
class FAITHFUL_API Windows {
 public:
  std::size_t size() const { return windows_.size(); }
  std::size_t length() const { return length_; }                      // S
  std::size_t channels() const { return dataset_->channels.size(); }  // C
  std::size_t classes() const { return classes_; }                    // K
  const Window& operator[](std::size_t i) const { return windows_[i]; }
  const Dataset& dataset() const { return *dataset_; }

  std::vector<std::int32_t> labels() const;       // [n]; kNoLabel where there is none
  std::vector<std::size_t> class_counts() const;  // [K]; windows without a label count for none

  // [K], n / (K * n_k): every class weighs the same in a weighted loss; 0 for a class without windows.
  std::vector<float> class_weights() const;

  // How many are shorter than S, and hence padded.
  std::size_t padded_count() const;

  // Those of these numbers alone, in this order.
  Windows only(std::span<const std::uint32_t> numbers) const;

  // Writes the windows of these numbers, scaled (scale_window_into), in this order. Allocates nothing.
  void fill_into(std::span<const std::uint32_t> numbers, const BatchBuffers& buffers, ThreadPool& pool) const;

 private:
  friend struct WindowSets;
  friend class Cutter;
  Windows() = default;
  const Dataset* dataset_ = nullptr;
  std::size_t length_ = 0;
  std::size_t classes_ = 0;
  std::vector<Window> windows_;
  std::vector<const Scale*> scales_;  // of each series; into *record_
  std::shared_ptr<const Scaler> scaler_;
};

// That no window is in two parts, by the numbers: computed from the windows themselves, not from how they were made.
struct DisjointnessProof {
  std::size_t train_windows = 0, validation_windows = 0, test_windows = 0;
  std::size_t train_samples = 0, validation_samples = 0, test_samples = 0;  // covered by them, each counted once
  std::size_t shared_samples = 0;   // by index: (series, time) in windows of more than one part
  std::size_t shared_windows = 0;   // by content: windows whose values are those of a window of another part
  std::size_t dropped_windows = 0;  // training and validation windows dropped because their content is held out too
  double copied_share = 0;          // of the test part that stands in the training part, too, where a fit looked for it
  std::uint64_t train_digest = 0, validation_digest = 0, test_digest = 0;  // of all contents: equal for paired runs

  bool holds() const { return shared_samples == 0 && shared_windows == 0 && copied_share == 0; }
};
FAITHFUL_API std::string to_json(const DisjointnessProof& proof);  // one object, on one line

struct FAITHFUL_API WindowSets {
  Windows train, validation, test;
  DisjointnessProof proof;
};

// Cuts the windows of every part. Idle machines repeat themselves to the bit: training windows whose content is also
// held out, and validation windows whose content is in test, are dropped (not in a random split, whose leaks are its
// point). Error where the scaler was fitted on another split.
FAITHFUL_API WindowSets cut_windows(const Split& split, const Scaler& scaler);

}  // namespace faithful
