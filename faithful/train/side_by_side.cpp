#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

#include "faithful/train/over_ranks_internal.h"
#include "faithful/train/side_by_side_internal.h"

namespace faithful::train {

namespace {

// What the trainings share while they run.
class Shared {
 public:
  Shared(std::span<const Training> trainings, const FitControl& control) : control_(control) {
    if (!control.progress || trainings.size() == 1 || !is_first(control.ranks)) return;
    std::size_t steps = 0;
    for (const Training& one : trainings) steps += schedule_steps(one.options, one.sets->train.size());
    bar_.emplace("train", steps, control.sink);
  }

  bool must_stop() {
    if (stopped_ || !control_.stop) return stopped_;
    const std::lock_guard lock(mutex_);
    if (control_.stop()) stopped_ = true;
    return stopped_;
  }
  void tell(const std::string& title, std::size_t epoch, const EpochRecord& record) {
    const std::lock_guard lock(mutex_);
    control_.on_epoch(title, epoch, record);
  }
  void stop() { stopped_ = true; }
  bool is_stopped() const { return stopped_; }
  Progress* bar() { return bar_ ? &*bar_ : nullptr; }
  std::mutex& log() { return log_; }

 private:
  const FitControl& control_;
  std::optional<Progress> bar_;
  std::mutex mutex_, log_;
  std::atomic<bool> stopped_ = false;  // all of them: the caller said so, or one has failed
};

TrainControl control_of(const Training& training, const FitControl& control, const Identity& identity,
                        Checkpoints& checkpoints, bool several, Shared& shared) {
  TrainControl made;
  made.stop = [&shared] { return shared.must_stop(); };
  made.checkpoints = &checkpoints;
  made.identity = identity;
  made.log = control.log;
  made.title = training.title;
  made.progress = control.progress;
  made.sink = control.sink;
  made.shared_bar = shared.bar();
  made.shared_log = &shared.log();
  made.keep_finished = several;
  made.keep_scores = training.keep_scores;
  made.ranks = control.ranks;
  if (control.on_epoch)
    made.on_epoch = [&shared, title = training.title](std::size_t epoch, const EpochRecord& record) {
      shared.tell(title, epoch, record);
    };
  return made;
}

}  // namespace

std::vector<Trained> train_side_by_side(std::span<const Training> trainings, const TrainingNumbers& numbers,
                                        const Identity& identity, const FitControl& control, ThreadPool& pool) {
  std::vector<Trained> trained;
  trained.reserve(trainings.size());
  for (const Training& one : trainings) trained.push_back({.model = Classifier<float>(*one.config)});
  Shared shared(trainings, control);
  const auto run = [&](std::size_t i) {
    if (shared.is_stopped()) {
      trained[i].result.reason = StopReason::kStopped;
      return;
    }
    try {
      CheckpointOptions options = control.checkpoints;
      options.path = checkpoint_path(options.path, numbers.first + i, numbers.all);
      Checkpoints checkpoints(options, control.ranks);
      const TrainControl own = control_of(trainings[i], control, identity, checkpoints, numbers.all > 1, shared);
      trained[i].result = train_classifier(trained[i].model, *trainings[i].sets, trainings[i].options, pool, own);
    } catch (...) {
      shared.stop();
      throw;
    }
  };
  if (several(control.ranks) != nullptr || trainings.size() == 1)
    for (std::size_t i = 0; i < trainings.size(); ++i) {
      run(i);  // with all threads
      if (trained[i].result.reason == StopReason::kStopped) shared.stop();
    }
  else
    pool.run(trainings.size(), run);
  return trained;
}

bool was_stopped(std::span<const Trained> trained) {
  return std::ranges::any_of(trained, [](const Trained& one) { return one.result.reason == StopReason::kStopped; });
}

}  // namespace faithful::train
