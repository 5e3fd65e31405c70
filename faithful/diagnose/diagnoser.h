#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "faithful/base/api.h"
#include "faithful/base/threads.h"
#include "faithful/diagnose/diagnosis.h"
#include "faithful/diagnose/occlusion.h"
#include "faithful/model/infer.h"
#include "faithful/window/windows.h"

namespace faithful {

struct DiagnosisOptions {
  std::size_t class_number = 1;  // whose logit is explained
  OcclusionOptions occlusion = {};
  std::size_t most_spans = 3;       // suspected spans of a method
  std::size_t gradient_points = 8;  // on the way from normal, at which the gradient is taken
};

// Diagnoses alarms of one model. The results are the same for any number of threads.
class FAITHFUL_API Diagnoser {
 public:
  // The model must outlive it. InputError where the attention maps of one window have more than 2^27 values: they grow
  // with the square of the steps.
  Diagnoser(const WindowModel& model, Normal normal, const DiagnosisOptions& options, ThreadPool& pool);
  ~Diagnoser();
  Diagnoser(const Diagnoser&) = delete;
  Diagnoser& operator=(const Diagnoser&) = delete;

  // The windows must be cut and scaled for the model (cut_for_model), the alarm found in them (find_alarms).
  Diagnosis diagnose(const Windows& windows, const Alarm& alarm);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The sum over the samples of a step of gradient x (window - normal): [steps, C]. gradient, window and its normal
// version: [length, C]; steps of `step` samples, the last may be shorter; samples from `samples` on are padding.
FAITHFUL_API Matrix<double> gradient_times_input(std::span<const float> gradient, std::span<const float> window,
                                                 std::span<const float> normal, std::size_t channels,
                                                 std::size_t samples, std::size_t step);

// What the methods say together: the mean of their standard scores, (weight - mean) / standard deviation, so that each
// method counts the same, whatever its units and the spread of its weights. A method whose weights are all equal does
// not count.
FAITHFUL_API MethodAnswer combined(std::span<const MethodAnswer> methods, std::span<const Range> pieces,
                                   std::size_t most_spans);

}  // namespace faithful
