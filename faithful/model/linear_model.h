#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"
#include "faithful/model/infer.h"
#include "faithful/window/windows.h"

namespace faithful {

struct LinearModelOptions {
  std::uint64_t seed = 1;
  std::size_t steps = 400;    // each uses all training windows
  double rate = 0.05;         // the highest learning rate; warm-up and cosine as in every training
  double decay = 0.01;        // of the weights, by AdamW
  bool weigh_classes = true;  // every class has the same total weight in the loss
  bool bounded = false;       // a feature beyond its training values counts as the nearest of them
};

// What the model's predictions are made of.
struct LinearModelParts {
  std::size_t channels = 1, length = 1, classes = 2;  // C, samples of the longest window, K
  std::vector<float> shift = {}, factor = {};         // [5 C]: a feature is standardized as (x - shift) * factor
  std::vector<float> least = {}, greatest = {};       // [5 C]: bounds of the standardized features; empty: none
  Matrix<float> weights = {};                         // [outputs, 5 C + 1], the offset last
};

// mean, standard deviation, least, greatest and last value of each channel of every window, as the scaler left them:
// [n, 5 C], the five of a channel side by side. Padding does not count.
FAITHFUL_API Matrix<float> summary_features(const Windows& windows, ThreadPool& pool);

// Logistic regression (multinomial for more than two classes) on summary_features, as a model of windows.
class FAITHFUL_API LinearModel final : public WindowModel {
 public:
  // InputError where the parts do not fit each other; `place` is used in the message.
  explicit LinearModel(LinearModelParts parts, const std::string& place = "linear model");

  const LinearModelParts& parts() const { return parts_; }

  WindowShape shape() const override { return {parts_.channels, parts_.length, parts_.classes}; }
  std::size_t weight_count() const override { return parts_.weights.values.size(); }
  std::size_t batch() const override { return 64; }
  void logits_into(const Samples<float>& samples, std::span<float> logits) const override;

 private:
  LinearModelParts parts_;
};

// AdamW minimizes the mean cross-entropy over all windows in each step, from zero weights. Nothing is random. The
// features are standardized by those of the training windows.
FAITHFUL_API LinearModel fit_linear_model(const Windows& train, const LinearModelOptions& options, ThreadPool& pool);

}  // namespace faithful
