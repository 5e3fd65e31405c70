#pragma once

// One thread's way from scaled windows to probabilities.

#include <cstdint>
#include <span>
#include <vector>

#include "faithful/engine/tape.h"
#include "faithful/model/classifier.h"
#include "faithful/window/windows.h"

namespace faithful::predict {

class WindowPass {
 public:
  WindowPass(const Classifier<float>& classifier, std::size_t most_batch);

  // Windows of these numbers; out [numbers, K].
  void run(const Windows& windows, std::span<const std::uint32_t> numbers, ThreadPool& pool, std::span<float> out);

  // Windows that lie in values() already, none padded.
  std::span<float> values() { return values_; }  // [most_batch, length, C]
  void run(std::size_t count, std::span<float> out);

 private:
  void forward(const Samples<float>& samples, std::span<float> out);

  const Classifier<float>& classifier_;
  engine::Tape<float> tape_;
  std::vector<float> values_;        // [most_batch, length, C]
  std::vector<std::uint8_t> valid_;  // [most_batch, length]
  std::vector<float> times_;         // [most_batch, length], where positions are times
};

}  // namespace faithful::predict
