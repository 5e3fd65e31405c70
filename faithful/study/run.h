#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/evaluate/scores.h"
#include "faithful/io/json.h"
#include "faithful/study/arm.h"

namespace faithful {

// Values by name, in order. A measure without a value is left out.
struct FAITHFUL_API Measures {
  std::vector<std::pair<std::string, double>> values = {};

  void add(std::string name, const std::optional<double>& value);  // not where it is absent or not finite
  std::optional<double> get(std::string_view name) const;
  bool empty() const { return values.empty(); }
  bool operator==(const Measures&) const = default;
};

// f1, precision, recall, auc_pr, auc_roc, event_f1 for two classes; accuracy and macro_f1 for more.
FAITHFUL_API Measures measures_of(const Scores& scores);

enum class RunKind {
  kRun,         // an arm on a seed
  kRate,        // an arm on the seed that is not reported, with one learning rate: only its validation value counts
  kBaselines,   // trivial baselines and the linear model on the split of a seed
  kMinirocket,  // MiniRocket-style features with a linear model, on the split of a seed
  kGap,         // an arm on the gap probe
};
FAITHFUL_API std::string to_string(RunKind kind);  // run, rate, baselines, minirocket, gap

// What is kept of one finished job: one line of runs.jsonl. Empty or NaN: does not apply.
struct FAITHFUL_API StudyRun {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  std::string key = {};       // digest of everything that decides the result
  std::string settings = {};  // digest of what it shares with the runs it may be compared with
  RunKind kind = RunKind::kRun;
  std::string data = {}, split = {};
  Arm arm = {};
  std::uint64_t seed = 0;
  double rate = kNone;                      // the highest learning rate
  std::size_t weights = 0;                  // of the model
  double norm_ratio = kNone;                // RMS norm of the codes / of what they are added to, before training
  std::array<std::size_t, 3> windows = {};  // to train, validate, test
  bool leaks = false;                       // the parts share samples
  double threshold = kNone;
  std::size_t epochs = 0;              // after which the weights were taken
  double validation = kNone;           // the value that chose that epoch
  Measures scores = {};                // of the test part, at the validation threshold; gap: accuracy by distance
  Measures shuffled = {};              // of the same model, the samples of every window in random order
  Measures longer = {};                // of the same model on longer windows
  std::string longer_note = {};        // why it has none
  Measures start = {}, trained = {};   // faithfulness of the projected codes before and after the training
  std::vector<double> precision = {};  // at kRecalls equally spaced recalls from 0 to 1
  std::vector<double> losses = {}, validations = {};          // by epoch
  std::vector<std::pair<std::string, Measures>> others = {};  // of the baselines, by name

  // What may differ between two equal runs.
  double seconds = 0;
  std::string program = {};  // version, commit and instruction set

  // f1, or accuracy where there is none.
  std::optional<double> headline() const;
};
inline constexpr std::size_t kRecalls = 51;

FAITHFUL_API Json to_json(const Measures& measures);
FAITHFUL_API Json to_json(const StudyRun& run);
FAITHFUL_API StudyRun parse_run(const Json& json, const std::string& place);  // InputError where it is not a run

// The largest precision at each of kRecalls recalls or beyond it: curves of several runs can be averaged.
FAITHFUL_API std::vector<double> precision_at_recalls(const Matrix<float>& probabilities,
                                                      const std::vector<std::int32_t>& labels, double prevalence);

}  // namespace faithful
