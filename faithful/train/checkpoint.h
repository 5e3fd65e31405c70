#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/train/record.h"

// A checkpoint is a safetensors file:
//
//   weights, first_moments, second_moments  F32 [n], laid out as the model's parameters; best_weights, where there is
//                                           a best epoch
//   counters                                I64 [4]: complete epochs, steps of the next one, all steps, 0 (before
//                                           version 0.2: trainings of the same job that were complete)
//   sums                                    F64 [2], over the steps of the epoch begun: loss * windows, gradient norm
//   now.history, now.seconds, ...           the TrainRecord
//
// and in its metadata `format`, the fields of its identity and the `digest` of all of it.

namespace faithful {

class Ranks;  // faithful/ranks/ranks.h

// What makes two trainings the same, as names and values, in the order in which differences are reported.
using Identity = std::vector<std::pair<std::string, std::string>>;

// A training between two steps.
struct TrainState {
  std::size_t epoch = 0;  // complete ones
  std::size_t batch = 0;  // steps of the next one that are done
  std::size_t step = 0;   // all steps that are done
  double loss_sum = 0;    // over the steps of the epoch begun: loss * windows
  double norm_sum = 0;    // likewise, of the gradients
  TrainRecord record = {};
  std::vector<float> best_weights = {};  // [n]; empty before the first validation
};

// What a checkpoint file holds.
struct Checkpoint {
  Identity identity = {};
  TrainState state = {};
  std::vector<float> weights = {}, first_moments = {}, second_moments = {};  // [n] each
};

// Weights and moments as they stand in the model and its optimiser.
struct WeightsView {
  std::span<const float> weights, first_moments, second_moments;  // [n] each
};

// Reads and checks a whole checkpoint: InputError where it is none, or damaged.
FAITHFUL_API Checkpoint load_checkpoint(const std::string& path);
FAITHFUL_API Checkpoint parse_checkpoint(std::string bytes, const std::string& place);

// Writes one as a whole or not at all.
FAITHFUL_API void save_checkpoint(const std::string& path, const Identity& identity, const TrainState& state,
                                  const WeightsView& weights);
FAITHFUL_API std::string checkpoint_bytes(const Checkpoint& checkpoint);

// The field of an identity that names the instruction set: the last digits of a training depend on it. Checkpoints of
// earlier versions have none; they are resumed on any.
inline constexpr const char* kInstructionSetField = "instruction_set";

// InputError that names the first wanted field which the checkpoint has otherwise.
FAITHFUL_API void check_identity(const Identity& wanted, const Checkpoint& found, const std::string& path);

// The file of training `number` (from 0) of a job of so many: the path itself if it is alone, else with the number
// before its extension, such as m.safetensors.2.checkpoint. Empty stays empty.
FAITHFUL_API std::string checkpoint_path(const std::string& path, std::size_t number, std::size_t trainings);

// The files of this job that are there, by name.
FAITHFUL_API std::vector<std::string> checkpoint_files(const std::string& path);

// The checkpoints of one training.
class FAITHFUL_API Checkpoints {
 public:
  // Reads the file where it shall go on from it. With ranks rank 0 does, and hands it to the others.
  explicit Checkpoints(CheckpointOptions options = {}, Ranks* ranks = nullptr);

  // What there is to go on from; the training takes it.
  const std::optional<Checkpoint>& found() const { return found_; }
  std::optional<Checkpoint> take() { return std::exchange(found_, std::nullopt); }

  bool wanted() const { return !options_.path.empty(); }
  bool due() const;  // is it time to save?
  void save(const Identity& identity, const TrainState& state, const WeightsView& weights);
  const std::string& path() const { return options_.path; }

 private:
  CheckpointOptions options_;
  std::optional<Checkpoint> found_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace faithful
