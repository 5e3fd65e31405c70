#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"
#include "faithful/diagnose/alarms.h"
#include "faithful/diagnose/normal.h"
#include "faithful/diagnose/occlusion.h"
#include "faithful/diagnose/suspects.h"
#include "faithful/model/infer.h"
#include "faithful/window/windows.h"

// Which sensor, and when: what made a trained model raise an alarm, by three independent methods.
//
//   attention   where the model looked (attention_diagnosis.h). An ordinary encoder sees all sensors of a step at once:
//               its attention says when, by rollout, and nothing about sensors
//   occlusion   how much the logit falls where a sensor, or a span, is replaced by its normal (occlusion.h)
//   gradient    gradient x input: the sum of dlogit/dx (x - normal), with the mean gradient on the way from normal to x
//               (integrated gradients), so that the sums over all sensors, and over all steps, are the whole change
//
// and, as a baseline that needs no model, the deviation from normal.

namespace faithful {

// What one method says about an alarm. Larger weights are more suspect. Each method has its own units.
struct MethodAnswer {
  std::string method;                     // "attention", "occlusion", "gradient", "together", ...
  std::vector<double> sensors = {};       // [C]; empty: the method says nothing about sensors
  std::vector<double> times = {};         // [pieces]
  std::vector<SuspectedSpan> spans = {};  // that stand out in `times`, most suspect first
};

// Details of the window with the highest score of an alarm.
struct WindowDetails {
  Range span;               // of the series
  std::size_t step = 1;     // samples of a step
  Matrix<double> temporal;  // [S, S]: attention over steps (an encoder's last layer), mean over heads
  std::vector<Matrix<double>> temporal_heads;  // [H] of [S, S]
  Matrix<double> spatial;                      // [C, C]: attention over sensors; empty: the model has none
  std::vector<Matrix<double>> spatial_heads;   // [H] of [C, C]
  // The local versions, of what the attention points at; empty as above.
  std::size_t first_sensor = 0, first_step = 0;
  std::vector<double> steps_of_first;    // [S]: when, for that sensor alone
  std::vector<double> sensors_at_first;  // [C]: where, at that step alone
  OcclusionDiagnosis occlusion;
};

struct Diagnosis {
  Alarm alarm;
  std::vector<Range> pieces;            // of the series: the steps of the examined windows, in order of time
  std::vector<MethodAnswer> methods;    // attention, occlusion, gradient
  MethodAnswer together;                // attention and occlusion (see combined): what the advice says
  std::vector<MethodAnswer> baselines;  // "largest peak": max |z| of a sensor; "largest mean": mean |z|
  WindowDetails details;
};

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

// The sum over the samples of a step of gradient x (window - normal): [steps, C]. gradient, window: [length, C]; steps
// of `step` samples, the last may be shorter; samples from `samples` on are padding.
FAITHFUL_API Matrix<double> gradient_times_input(std::span<const float> gradient, std::span<const float> window,
                                                 std::size_t samples, std::size_t step, const Normal& normal);

// What the methods say together: the mean of their standard scores, (weight - mean) / standard deviation, so that each
// method counts the same, whatever its units and the spread of its weights. A method whose weights are all equal does
// not count.
FAITHFUL_API MethodAnswer combined(std::span<const MethodAnswer> methods, std::span<const Range> pieces,
                                   std::size_t most_spans);

// Whether each pair of methods agrees.
struct MethodAgreement {
  std::string first, second;
  std::optional<Agreement> sensors;  // none if one of them says nothing about sensors
  Agreement times;
};
FAITHFUL_API std::vector<MethodAgreement> agreements(const Diagnosis& diagnosis);

}  // namespace faithful
