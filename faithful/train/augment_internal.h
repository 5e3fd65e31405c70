#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "faithful/base/random.h"
#include "faithful/base/threads.h"
#include "faithful/model/classifier.h"
#include "faithful/train/options.h"

namespace faithful::train {

// One window x [n, channels], changed at random, into y of the same size.
void augment_into(const Augmentation& options, Random& random, std::span<const float> x, std::size_t channels,
                  std::span<float> y);

// Augments the batches of a training. What it draws depends on the seed, the step and the place in the batch alone, so
// that the bits are the same for any number of threads. Padding stays padding. Times stay, too: the signal moves along
// them.
class Augmenter {
 public:
  Augmenter(const Augmentation& options, std::uint64_t seed) : options_(options), seed_(seed) {}

  // The samples as they are if no option is set; else changed ones, valid until the next call. `first`: the place of the
  // first one in its batch.
  Samples<float> changed(const Samples<float>& samples, std::size_t channels, std::size_t step, ThreadPool& pool,
                         std::size_t first = 0);

 private:
  Augmentation options_;
  std::uint64_t seed_;
  std::vector<float> values_;
};

}  // namespace faithful::train
