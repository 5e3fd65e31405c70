#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"
#include "faithful/evaluate/baselines.h"
#include "faithful/window/windows.h"

// A strong classifier without any encoding, written from the description of MiniRocket (Dempster, Schmidt and Webb
// 2021): the 84 kernels of length 9 with three weights 2 and six weights -1, at dilations that grow to the length of
// the window, each over a random choice of channels; of each product the share of positive values (PPV) after
// subtracting a bias, which is a quantile of the product on a training window. Then ridge regression on the classes.
// "Style", because our features are fewer (about 1,700 instead of 10,000) and their random choices are our own.

namespace faithful {

struct MinirocketOptions {
  std::size_t features = 1'700;    // about so many
  std::size_t most_train = 8'192;  // training windows that are used at most, evenly spread
  std::vector<double> penalties = {1,   10,  100,
                                   1e3, 1e4, 1e5};  // of ridge, as a multiple of the mean of the diagonal / 1e4
  std::uint64_t seed = 1;
};

// The kernels with their dilations, channels and biases, learned from training windows.
class FAITHFUL_API MinirocketFeatures {
 public:
  MinirocketFeatures(const Windows& train, const MinirocketOptions& options, ThreadPool& pool);
  std::size_t count() const { return count_; }  // F

  // Of one window's scaled values [length, C] into [F], each a share from 0 to 1.
  void features_into(std::span<const float> values, std::size_t length, std::span<float> out) const;

 private:
  struct Combination {
    std::size_t kernel, dilation;
    bool padded;                        // zeros beyond the ends count, or only places where the kernel fits
    std::vector<std::size_t> channels;  // that are added up
    std::vector<float> biases;
  };
  void product_into(const Combination& one, std::span<const float> values, std::size_t length, std::vector<float>& sum,
                    std::vector<float>& out) const;

  std::size_t channels_ = 0, count_ = 0;
  std::vector<Combination> combinations_;
};

// Fits features and ridge on sets.train, chooses penalty and (two classes) threshold on sets.validation, and scores
// sets.test. If there is no validation part (a given split), `fold` has parts of train to choose with.
FAITHFUL_API Baseline score_minirocket(const WindowSets& sets, const WindowSets* fold, const MinirocketOptions& options,
                                       const ScoreOptions& scoring, ThreadPool& pool);

}  // namespace faithful
