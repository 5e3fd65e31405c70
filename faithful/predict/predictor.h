#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"
#include "faithful/data/dataset.h"
#include "faithful/predict/model_file.h"
#include "faithful/window/windows.h"

namespace faithful {

// What a model says about windows, in their order.
struct Predictions {
  std::vector<Window> windows = {};        // [N]: series, begin, length, and the label where the data has one
  Matrix<float> probabilities = {};        // [N, K], each row sums to 1
  std::vector<std::int32_t> classes = {};  // [N], see class_of
};

// Of two classes the second where its probability is at least the threshold; of more the most probable.
FAITHFUL_API std::int32_t class_of(std::span<const float> probabilities, double threshold);

// All windows of a data set that fits the model (fit_to_model), cut as in training and scaled by its scaler. The data
// set must outlive them.
FAITHFUL_API Windows cut_for_model(const Dataset& dataset, const TrainedModel& model);

struct PredictorOptions {
  std::size_t threads = default_threads();
  std::size_t most_batch = 32;  // windows that go through the model together
};

// Scores whole data sets with a trained model. The result is the same, bit for bit, for any number of threads. Takes
// memory for a few batches besides the data and the result.
//
//   Predictor predictor(load_model("pump.safetensors"));
//   Dataset data = load_dataset("today.csv");
//   fit_to_model(data, predictor.model());
//   const Predictions found = predictor.predict(data);
class FAITHFUL_API Predictor {
 public:
  explicit Predictor(TrainedModel model, const PredictorOptions& options = {});
  ~Predictor();
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) noexcept;

  const TrainedModel& model() const;

  // Every window of every series, cut as in training: see WindowOptions; a series shorter than a window is padded, a
  // model of whole series takes each as one window. The data set must fit (fit_to_model).
  Predictions predict(const Dataset& dataset);

  // The same for windows that are cut already, of the model's length and scaled by its scaler: [windows, K].
  Matrix<float> probabilities(const Windows& windows);

  // The same in consecutive pieces, for data whose result is large.
  void predict(const Dataset& dataset, const std::function<void(const Predictions&)>& take);

  // Windows of the caller, one after the other, all of the model's length: values [B, length, C] as measured, scaled
  // here by the statistics of all training series; out [B, K]. On the caller's thread; allocates nothing once it has
  // seen a batch of that size.
  void probabilities_into(std::span<const float> values, std::span<float> out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace faithful
