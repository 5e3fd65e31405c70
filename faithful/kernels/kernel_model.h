#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"
#include "faithful/io/safetensors.h"
#include "faithful/kernels/feature_scale.h"
#include "faithful/kernels/kernel_features.h"
#include "faithful/model/infer.h"
#include "faithful/window/windows.h"

// Random-convolution features with a ridge classifier, as a model of windows.

namespace faithful {

struct KernelModelOptions {
  KernelOptions features = {};
  std::size_t most_windows = 4'096;  // training windows that are used at most, of every class alike, evenly spread
  std::size_t most_values = std::size_t{1} << 27;  // windows times features at most: for more there are fewer features
};

// What the model's predictions are made of.
struct KernelModelParts {
  KernelFeatures features;
  FeatureScale scale;
  std::size_t classes = 2;    // K
  Matrix<float> weights;      // [F, outputs]: logits = weights^T features + offset
  std::vector<float> offset;  // [outputs]
  double penalty = 0;         // of the ridge, as in RidgeOptions
  double temperature = 1;     // by which the ridge's scores were divided to give these logits
};

class FAITHFUL_API KernelModel final : public WindowModel {
 public:
  // InputError where the parts do not fit each other; `place` is used in the message.
  explicit KernelModel(KernelModelParts parts, const std::string& place = "kernels");

  const KernelModelParts& parts() const { return parts_; }

  WindowShape shape() const override;
  std::size_t weight_count() const override { return parts_.weights.values.size() + parts_.offset.size(); }
  std::size_t batch() const override { return 16; }
  void logits_into(const Samples<float>& samples, std::span<float> logits) const override;

 private:
  KernelModelParts parts_;
  std::shared_ptr<const float> packed_;  // the weights, as the matrix multiply takes them
};

// A fit, and what the model would have said about training windows that it had not seen.
struct KernelModelFit {
  KernelModel model;
  std::vector<std::uint32_t> windows;  // [n]: the training windows that were used
  Matrix<float> held_out;              // [n, K]: their probabilities by fits without them
  double log_loss = 0;                 // of these probabilities
};

// Fits to the labelled windows, of which there must be at least two. What is left out to choose the penalty and the
// temperature: a window alone where every series is one window, else a stretch of a series, because neighbours in
// time are alike. The same bits for any number of threads.
FAITHFUL_API KernelModelFit fit_kernel_model(const Windows& train, const KernelModelOptions& options, ThreadPool& pool);

// The model as arrays of a safetensors file, whose names all begin with this.
inline constexpr std::string_view kKernelArrays = "kernels.";
class FAITHFUL_API KernelArrays {
 public:
  explicit KernelArrays(const KernelModel& model);
  const std::vector<SafetensorsEntry>& entries() const { return entries_; }  // borrow from this object and the model

 private:
  std::vector<std::int64_t> shape_;     // [3]: C, S, K
  std::vector<std::int32_t> rocket_;    // [R, 8]: places, dilation, differences, padded, channels, biases
  std::vector<std::int32_t> hydra_;     // [G, 3]: dilation, differences, channels
  std::vector<std::int32_t> channels_;  // of all, in this order
  std::vector<float> biases_;           // of all
  std::vector<float> competing_;        // [G, 8, 9]
  std::vector<double> fit_;             // [2]: penalty, temperature
  std::vector<SafetensorsEntry> entries_;
};

// Whether a file has such arrays, and the model of such a file. InputError where they contradict each other.
FAITHFUL_API bool has_kernel_model(const Safetensors& file);
FAITHFUL_API KernelModel read_kernel_model(const Safetensors& file);

}  // namespace faithful
