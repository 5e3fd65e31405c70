#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "faithful/io/json.h"
#include "faithful/io/safetensors.h"
#include "faithful/kernels/kernel_model.h"
#include "faithful/model/infer.h"

// The predictor in a model file: one key of the metadata that names its kind, and arrays.

namespace faithful::trained {

// The keys, one for each kind: config (a Transformer), kernels, linear, ensemble.
const std::vector<std::string>& predictor_keys();

// The key of this predictor, and what the arrays do not hold.
std::pair<std::string, Json> predictor_json(const WindowModel& model);

// Its arrays, which borrow from this object and the model. Those of member 2 of an ensemble begin with "members.2.".
class PredictorArrays {
 public:
  explicit PredictorArrays(const WindowModel& model);
  const std::vector<SafetensorsEntry>& entries() const { return entries_; }

 private:
  void add(const WindowModel& model, const std::string& prefix);

  std::deque<KernelArrays> kernels_;
  std::deque<std::vector<std::int64_t>> shapes_;
  std::vector<SafetensorsEntry> entries_;
};

// The predictor of such a key, with no other arrays than these. InputError where they contradict each other.
std::shared_ptr<const WindowModel> read_predictor(const Safetensors& arrays, const std::string& key, const Json& about,
                                                  const std::string& place);

}  // namespace faithful::trained
