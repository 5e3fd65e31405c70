#include "faithful/train/train.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "faithful/base/cpu.h"
#include "faithful/base/error.h"
#include "faithful/base/sha256.h"
#include "faithful/engine/schedule.h"
#include "faithful/engine/shards.h"
#include "faithful/io/file.h"
#include "faithful/io/json.h"
#include "faithful/model/infer.h"
#include "faithful/train/augment_internal.h"
#include "faithful/train/memory_internal.h"
#include "faithful/train/over_ranks_internal.h"
#include "faithful/train/prepare_internal.h"
#include "faithful/train/validation_internal.h"
#include "faithful/window/batches.h"

namespace faithful {

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Adds the seconds of its scope to a sum.
class Timed {
 public:
  explicit Timed(double& sum) : sum_(sum), start_(now()) {}
  ~Timed() { sum_ += now() - start_; }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  double& sum_;
  double start_;
};

void check_windows(const Classifier<float>& model, const WindowSets& sets) {
  const ModelConfig& config = model.config();
  const Dataset& dataset = sets.train.dataset();
  const std::string place = dataset.source.empty() ? dataset.name : dataset.source;
  train::check_training_part(sets);
  for (const Windows* part : {&sets.train, &sets.validation}) {
    if (config.input.channels != part->channels() || config.input.length != part->length() ||
        config.input.classes != part->classes())
      throw Error("the model and the windows differ in channels, length or classes");
    for (std::size_t i = 0; i < part->size(); ++i) {
      const Series& series = dataset.series[(*part)[i].series];
      if ((*part)[i].label == kNoLabel)
        reject({{place}, "a label for every window", fmt::format("none for series {}", quote(series.name))});
      if (config.has_times() && series.times.empty())
        reject({{place},
                "timestamps, for positions that are times",
                fmt::format("none in {}", quote(series.name)),
                field_text("positions", "index")});
    }
  }
}

// [series], or empty where all are 1.
std::vector<float> series_weights_of(const Dataset& dataset) {
  std::vector<float> weights;
  for (const Series& series : dataset.series) weights.push_back(series.weight);
  const bool all_one = std::ranges::all_of(weights, [](float weight) { return weight == 1; });
  return all_one ? std::vector<float>{} : weights;
}

Identity identity_of(const ModelConfig& config, const WindowSets& sets, const TrainOptions& options,
                     const Identity& further) {
  Identity identity = further;
  for (const auto& [name, value] : recorded_fields(options)) identity.emplace_back("train." + name, to_text(value));
  for (const auto& [name, value] : recorded_fields(config)) identity.emplace_back("model." + name, to_text(value));
  identity.emplace_back("data.train", fmt::format("{:016x}", sets.proof.train_digest));
  identity.emplace_back("data.validation", fmt::format("{:016x}", sets.proof.validation_digest));
  if (const std::vector<float> weights = series_weights_of(sets.train.dataset()); !weights.empty())
    identity.emplace_back("data.weights",
                          sha256({reinterpret_cast<const char*>(weights.data()), weights.size() * sizeof(float)}));
  identity.emplace_back(kInstructionSetField, instruction_set());
  return identity;
}

// The statistics of a stem's batch norms are those of a shard: few shards, so that each has enough windows.
std::size_t shards_of(const ModelConfig& config, const TrainOptions& options) {
  return options.shards > 0 ? options.shards : config.input.branches > 0 ? 2 : 8;
}

// One training, from the first step to the last.
class Trainer {
 public:
  Trainer(Classifier<float>& model, const WindowSets& sets, const TrainOptions& options, ThreadPool& pool,
          const TrainControl& control);
  TrainResult run();

 private:
  std::size_t steps_of_epoch() const { return batches_.count(); }
  std::size_t schedule_steps() const { return faithful::schedule_steps(options_, sets_.train.size()); }
  std::size_t schedule_epochs() const { return (schedule_steps() + steps_of_epoch() - 1) / steps_of_epoch(); }
  std::size_t last_epoch() const { return options_.stop_after == 0 ? schedule_epochs() : options_.stop_after; }
  bool validates_after(std::size_t epochs) const {  // complete ones
    return !held_labels_.empty() && (options_.select != Selection::kLast || epochs == last_epoch());
  }

  void resume();
  bool run_epoch();  // the rest of it; false: stopped
  void step(std::span<const std::uint32_t> numbers);
  void end_epoch();
  void validate_into_record(EpochRecord& record);
  bool is_hopeless() const;
  void save();
  void show();
  void write_log(const EpochRecord& record);
  void restore_best();

  Classifier<float>& model_;
  const WindowSets& sets_;
  const TrainOptions& options_;
  ThreadPool& pool_;
  const TrainControl& control_;
  Ranks* ranks_;  // where there are several
  Identity identity_;
  std::vector<float> class_weights_;       // [K]; empty: 1
  std::vector<float> series_weights_;      // of the series of the data set; empty: 1
  std::vector<float> sample_weights_;      // of the windows of a batch, [B]; empty: 1
  std::vector<std::int32_t> held_labels_;  // of the validation windows, [n]
  std::vector<float> held_logits_;         // [n, outputs]
  Matrix<float> held_probabilities_;       // [n, K]
  Transformer inference_;
  engine::Shards<float> shards_;
  Batches batches_;
  WindowBuffer loader_;
  train::Augmenter augmenter_;
  TrainState state_;
  TrainResult result_;
  std::optional<Progress> progress_;
  std::optional<AppendedFile> log_;
  double started_ = now(), epoch_started_ = now(), last_note_ = 0;
};

Trainer::Trainer(Classifier<float>& model, const WindowSets& sets, const TrainOptions& options, ThreadPool& pool,
                 const TrainControl& control)
    : model_((model.initialize(options.seed), model)),
      sets_(sets),
      options_(options),
      pool_(pool),
      control_(control),
      ranks_(train::several(control.ranks)),
      identity_(identity_of(model.config(), sets, options, control.identity)),
      held_labels_(sets.validation.labels()),
      held_logits_(sets.validation.size() * model.config().outputs()),
      held_probabilities_(sets.validation.size(), model.config().input.classes),
      inference_(Transformer::view_of(model)),
      shards_(model.parameters(), pool,
              {.shards = shards_of(model.config(), options),
               .at_once = engine::samples_at_once(model.config().body.width, model.config().steps()),
               .seed = options.seed,
               .ranks = ranks_}),
      batches_(sets.train, {.size = options.batch, .seed = options.seed}),
      loader_(inference_.shape(), std::min(options.batch, sets.train.size())),
      augmenter_(options.augmentation, options.seed) {
  if (options.class_weights == ClassWeights::kAuto) class_weights_ = sets.train.class_weights();
  series_weights_ = series_weights_of(sets.train.dataset());
  if (!series_weights_.empty()) sample_weights_.resize(std::min(options.batch, sets.train.size()));
  if (control.keep_scores && model.config().input.classes == 2) {
    state_.record.validation_labels = held_labels_;
    state_.record.validation_scores.columns = held_labels_.size();
  }
  constexpr std::size_t kAhead = 1000;  // a number somebody typed; validation may end the training long before
  state_.record.history.reserve(std::min(schedule_epochs(), kAhead));
  if (!control.log.empty() && train::is_first(ranks_)) log_.emplace(control.log);
}

void Trainer::resume() {
  if (control_.checkpoints == nullptr || !control_.checkpoints->found()) return;
  const std::string& path = control_.checkpoints->path();
  check_identity(identity_, *control_.checkpoints->found(), path);
  Checkpoint found = *control_.checkpoints->take();
  const std::span<float> weights = model_.parameters().mutable_values();
  const TrainState& state = found.state;
  const std::size_t validated = state.epoch == 0 || !validates_after(state.epoch) ? 0
                                : options_.select == Selection::kLast             ? 1
                                                                                  : state.epoch;
  const bool fits = found.weights.size() == weights.size() && state.batch <= steps_of_epoch() &&
                    state.epoch <= last_epoch() &&
                    state.step == std::min(state.epoch * steps_of_epoch() + state.batch, schedule_steps()) &&
                    state.record.validation_labels == state_.record.validation_labels &&
                    state.record.validation_scores.columns == state_.record.validation_scores.columns &&
                    state.record.validation_scores.rows == (state_.record.validation_labels.empty() ? 0 : validated) &&
                    (validated == 0) == (state.record.best_epoch == 0);
  if (!fits)
    reject({{path},
            "a checkpoint of the same run",
            "one of other sizes",
            fmt::format("without {} it begins anew", field_text("resume"))});
  std::copy(found.weights.begin(), found.weights.end(), weights.begin());
  std::copy(found.first_moments.begin(), found.first_moments.end(), shards_.first_moments().begin());
  std::copy(found.second_moments.begin(), found.second_moments.end(), shards_.second_moments().begin());
  model_.parameters().pack(pool_);
  shards_.set_step(static_cast<std::uint32_t>(state.step));
  state_ = std::move(found.state);
}

TrainResult Trainer::run() {
  resume();
  if (control_.shared_bar != nullptr)
    control_.shared_bar->advance(state_.step);
  else if (control_.progress && train::is_first(ranks_))
    progress_.emplace(control_.title, std::min(last_epoch() * steps_of_epoch(), schedule_steps()) - state_.step,
                      control_.sink);
  while (state_.epoch < last_epoch() && !is_hopeless()) {
    if (!run_epoch()) {
      result_.reason = StopReason::kStopped;
      save();
      if (ranks_ != nullptr) ranks_->barrier();  // it is saved before any of them ends
      break;
    }
    end_epoch();
  }
  if (result_.reason != StopReason::kStopped) {
    if (state_.epoch < last_epoch()) result_.reason = StopReason::kNoBetter;
    if (control_.keep_finished) save();
    restore_best();
  }
  result_.steps = state_.step;
  result_.activation_bytes = shards_.peak_bytes();
  result_.record = std::move(state_.record);
  return std::move(result_);
}

bool Trainer::run_epoch() {
  batches_.start_epoch(state_.epoch);
  epoch_started_ = now();
  while (state_.batch < steps_of_epoch() && state_.step < schedule_steps()) {
    const std::span<const std::uint32_t> numbers = batches_[state_.batch];
    if (ranks_ != nullptr) shards_.raise_flag(control_.stop && control_.stop());
    step(numbers);
    ++state_.batch;
    ++state_.step;
    show();
    // All ranks stop after the same step, whichever was asked to.
    if (ranks_ != nullptr ? shards_.is_flag_raised() : control_.stop && control_.stop()) return false;
    if (control_.checkpoints != nullptr && control_.checkpoints->due()) save();
  }
  return true;
}

void Trainer::step(std::span<const std::uint32_t> numbers) {
  TrainSeconds& seconds = state_.record.seconds;
  const auto count = static_cast<double>(numbers.size());
  const auto own = shards_.own_samples(numbers.size());
  const std::span<const std::uint32_t> own_numbers = numbers.subspan(own.begin, own.end - own.begin);
  Samples<float> samples;
  {
    const Timed timed(seconds.data);
    samples = loader_.load(sets_.train, own_numbers, pool_, are_padded(sets_.train, numbers));
    samples = augmenter_.changed(samples, sets_.train.channels(), state_.step, pool_, own.begin);
  }
  for (std::size_t i = 0; i < own_numbers.size() && !sample_weights_.empty(); ++i)
    sample_weights_[i] = series_weights_[sets_.train[own_numbers[i]].series];
  const std::span<const float> weights =
      std::span(sample_weights_).first(sample_weights_.empty() ? 0 : own_numbers.size());
  double loss = 0;
  {
    const Timed timed(seconds.forward_backward);
    loss = shards_.accumulate(numbers.size(), [&](engine::Tape<float>& tape, std::size_t first, std::size_t last) {
      const std::size_t begin = first - own.begin, end = last - own.begin;
      return model_.loss(tape, samples.part(begin, end), loader_.labels().subspan(begin, end - begin),
                         {.class_weights = class_weights_,
                          .scale = 1 / count,
                          .smoothing = options_.smoothing,
                          .sample_weights = weights.empty() ? weights : weights.subspan(begin, end - begin)});
    });
  }
  const Timed timed(seconds.update);
  const double norm = shards_.gradient_norm();
  if (!std::isfinite(loss) || !std::isfinite(norm))
    throw Error(fmt::format("the loss is no longer a number at step {} (epoch {}): a lower {} may help",
                            state_.step + 1, state_.epoch + 1, field_text("learning_rate")));
  const ScheduleOptions schedule{options_.learning_rate, options_.warm_up, options_.floor};
  shards_.update({.rate = rate_at(state_.step + 1, schedule_steps(), schedule), .decay = options_.decay},
                 clip_factor(norm, options_.clip_norm));
  state_.loss_sum += loss * count;
  state_.norm_sum += norm;
  result_.windows += numbers.size();
}

void Trainer::end_epoch() {
  EpochRecord record;
  record.loss = state_.loss_sum / static_cast<double>(std::min(state_.batch * options_.batch, sets_.train.size()));
  record.gradient_norm = state_.norm_sum / static_cast<double>(state_.batch);
  record.rate = rate_at(state_.step, schedule_steps(), {options_.learning_rate, options_.warm_up, options_.floor});
  if (validates_after(state_.epoch + 1)) validate_into_record(record);
  record.seconds = now() - epoch_started_;

  TrainRecord& all = state_.record;
  all.history.push_back(record);
  state_.epoch += 1;
  state_.batch = 0;
  state_.loss_sum = state_.norm_sum = 0;
  if (ranks_ != nullptr) train::check_same_weights(*ranks_, std::as_const(model_).parameters().values(), state_.epoch);
  const bool is_best = validates_after(state_.epoch) &&
                       (all.best_epoch == 0 || is_better(record, all.history[all.best_epoch - 1], options_.select));
  if (is_best) {
    all.best_epoch = state_.epoch;
    const std::span<const float> weights = std::as_const(model_).parameters().values();
    state_.best_weights.assign(weights.begin(), weights.end());
  }
  write_log(record);
  if (control_.on_epoch && train::is_first(ranks_)) control_.on_epoch(state_.epoch, record);
  if (control_.checkpoints != nullptr && control_.checkpoints->due()) save();
}

void Trainer::validate_into_record(EpochRecord& record) {
  const Timed timed(state_.record.seconds.validation);
  train::logits_over_ranks_into(ranks_, inference_, sets_.validation, pool_, held_logits_);
  probabilities_into<float>(held_logits_, model_.config().input.classes, held_probabilities_.values);
  validate_into(held_logits_, held_probabilities_, held_labels_, class_weights_, record);
  if (state_.record.validation_labels.empty()) return;
  Matrix<float>& kept = state_.record.validation_scores;
  for (std::size_t i = 0; i < held_labels_.size(); ++i) kept.values.push_back(held_probabilities_(i, 1));
  ++kept.rows;
}

bool Trainer::is_hopeless() const {
  return options_.patience > 0 && state_.record.best_epoch > 0 &&
         state_.epoch - state_.record.best_epoch >= options_.patience;
}

void Trainer::restore_best() {
  if (state_.record.best_epoch == 0) return;
  const std::span<float> weights = model_.parameters().mutable_values();
  std::copy(state_.best_weights.begin(), state_.best_weights.end(), weights.begin());
  model_.parameters().pack(pool_);
  const EpochRecord& best = state_.record.history[state_.record.best_epoch - 1];
  if (std::isnan(best.threshold)) return;
  result_.threshold = best.threshold;
  result_.threshold_from = "best F1 on validation";
}

void Trainer::save() {
  if (control_.checkpoints == nullptr || !train::is_first(ranks_)) return;
  const Timed timed(state_.record.seconds.checkpoints);
  control_.checkpoints->save(
      identity_, state_,
      {std::as_const(model_).parameters().values(), shards_.first_moments(), shards_.second_moments()});
}

// The bar's note is made anew only when it will be drawn: a step allocates nothing.
void Trainer::show() {
  Progress* bar = control_.shared_bar != nullptr ? control_.shared_bar : progress_ ? &*progress_ : nullptr;
  if (bar == nullptr) return;
  if (const double time = now(); time - last_note_ > 0.1) {
    last_note_ = time;
    const double loss =
        state_.loss_sum / static_cast<double>(std::min(state_.batch * options_.batch, sets_.train.size()));
    std::string note = control_.shared_bar != nullptr ? control_.title + ": " : "";
    note += fmt::format("epoch {}/{}  loss {:.4f}", state_.epoch + 1, last_epoch(), loss);
    if (state_.record.best_epoch > 0)
      note += fmt::format("  best F1 {:.3f}", state_.record.history[state_.record.best_epoch - 1].f1);
    note += fmt::format("  {:.0f} windows/s", static_cast<double>(result_.windows) / std::max(1e-9, time - started_));
    bar->set_note(note);
  }
  bar->advance();
}

void Trainer::write_log(const EpochRecord& record) {
  if (!log_) return;
  Json line = Json::object();
  line.set("training", control_.title).set("epoch", state_.epoch).set("epochs", schedule_epochs());
  visit_epoch_fields(record, [&](const char* name, const double& value) { line.set(name, value); });
  line.set("windows_per_second", static_cast<double>(result_.windows) / std::max(1e-9, now() - started_));
  std::unique_lock<std::mutex> lock;
  if (control_.shared_log != nullptr) lock = std::unique_lock(*control_.shared_log);
  log_->append(dump_json(line) + "\n");
}

}  // namespace

std::string to_string(StopReason reason) {
  if (reason == StopReason::kNoBetter) return "no better validation value";
  return reason == StopReason::kStopped ? "stopped" : "all epochs done";
}

std::size_t schedule_steps(const TrainOptions& options, std::size_t windows) {
  return options.steps > 0 ? options.steps : options.epochs * ((windows + options.batch - 1) / options.batch);
}

TrainResult train_classifier(Classifier<float>& model, const WindowSets& sets, const TrainOptions& options,
                             ThreadPool& pool, const TrainControl& control) {
  check_train_options(options);
  check_windows(model, sets);
  const TrainOptions made = settled(options, sets.train.size());
  train::check_step(model.config(), made.batch, sets.train.size(), schedule_steps(made, sets.train.size()));
  if (Ranks* ranks = train::several(control.ranks))
    train::check_same_training(*ranks, identity_of(model.config(), sets, made, control.identity),
                               shards_of(model.config(), made), made.batch);
  return Trainer(model, sets, made, pool, control).run();
}

}  // namespace faithful
