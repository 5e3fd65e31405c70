#include "faithful/train/choose_encoding.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/number.h"
#include "faithful/base/sha256.h"
#include "faithful/encoding/catalog.h"
#include "faithful/metrics/decide.h"
#include "faithful/metrics/ranking.h"
#include "faithful/model/infer.h"
#include "faithful/train/candidate_internal.h"
#include "faithful/train/prepare_internal.h"
#include "faithful/train/side_by_side_internal.h"

namespace faithful {

namespace {

using Clock = std::chrono::steady_clock;

// The first is the one to beat.
std::vector<std::string> encodings_of(const ChooseOptions& options) {
  std::vector<std::string> names = {options.fit.model.position.encoding};
  std::vector<std::string> known;
  for (const CatalogEntry& entry : encoding_catalog()) known.push_back(entry.name);
  for (const std::string& said : options.encodings) {
    const std::string name = current_name(said);
    if (std::ranges::find(known, name) == known.end())
      reject({{.field = "encodings"}, "the name of an encoding", quote(said), suggest(said, known)});
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  if (names.size() < 2)
    reject({{.field = "encodings"}, "an encoding besides the default", fmt::format("only {}", names.front())});
  return names;
}

void check_choose_options(const ChooseOptions& options) {
  if (options.folds < 2) reject({{.field = "folds"}, "at least 2", fmt::format("{}", options.folds)});
  if (options.repeats < 1) reject({{.field = "repeats"}, "at least 1", "0"});
  if (!(options.minutes > 0)) reject({{.field = "minutes"}, "a positive number", fmt::format("{}", options.minutes)});
  if (options.fit.split.kind == SplitKind::kRandom)
    reject({{.field = "split"}, "parts that do not overlap, for folds", "random"});
}

Series cut_series(const Series& from, const Piece& piece) {
  Series made{.name = from.name, .part = DataPart::kTrain, .label = from.label};
  made.values = Matrix<float>(piece.length(), from.values.columns);
  for (std::size_t t = 0; t < piece.length(); ++t)
    std::ranges::copy(from.values.row(piece.begin + t), made.values.row(t).begin());
  const auto slice = [&](const auto& of, auto& to) {
    if (of.empty()) return;
    const auto begin = of.begin() + static_cast<std::ptrdiff_t>(piece.begin);
    to.assign(begin, begin + static_cast<std::ptrdiff_t>(piece.length()));
  };
  slice(from.times, made.times);
  slice(from.labels, made.labels);
  if (piece.length() < from.length()) made.name += fmt::format(" from {}", piece.begin);
  return made;
}

// What trains and validates, as a data set of its own whose series are all of its training part. `together` follows the
// pieces of its series.
Dataset training_data(const Dataset& dataset, SplitOptions& split) {
  const Split parts(dataset, split);
  Dataset made{.name = dataset.name,
               .channels = dataset.channels,
               .classes = dataset.classes,
               .rate = dataset.rate,
               .source = dataset.source,
               .format = dataset.format};
  std::map<std::string, std::vector<std::string>> pieces_of;
  for (const SplitPart* part : {static_cast<const SplitPart*>(&parts.train()), &parts.validation()}) {
    for (const Piece& piece : part->pieces()) {
      made.series.push_back(cut_series(dataset.series[piece.series], piece));
      pieces_of[dataset.series[piece.series].name].push_back(made.series.back().name);
    }
  }
  for (std::vector<std::string>& group : split.together) {
    std::vector<std::string> pieces;
    for (const std::string& name : group) pieces.insert(pieces.end(), pieces_of[name].begin(), pieces_of[name].end());
    group = std::move(pieces);
  }
  std::erase_if(split.together, [](const std::vector<std::string>& group) { return group.size() < 2; });
  split.kind = SplitKind::kGiven;
  split.refit = false;
  split.needs_test = false;
  split.window.length = parts.window_length();  // of the whole set: not shorter because the longest series is held out
  return made;
}

// Accuracy, or the area under the precision-recall curve; none where the fold has no anomalous window.
std::optional<double> value_of(const Classifier<float>& model, const Windows& held, bool by_area, ThreadPool& pool) {
  const Matrix<float> found = probabilities_of(Transformer::view_of(model), held, pool);
  const std::vector<std::int32_t> labels = held.labels();
  if (by_area) {
    const std::vector<std::uint8_t> truth = flags_of(labels);
    if (std::ranges::count(truth, 1) == 0) return std::nullopt;
    return RankedScores(scores_of(found), truth).average_precision();
  }
  const std::vector<std::int32_t> predicted = most_probable(found);
  double hits = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) hits += predicted[i] == labels[i] ? 1 : 0;
  return labels.empty() ? std::nullopt : std::optional(hits / static_cast<double>(labels.size()));
}

// One fold: every encoding is trained on the others and scored on this one.
class Fold {
 public:
  Fold(const Dataset& dataset, const ChooseOptions& options, const SplitOptions& split, Scaling scaling,
       const std::vector<std::string>& names, std::size_t repeat, std::size_t steps) {
    for (const std::string& name : names) {
      FitOptions fit = options.fit;
      fit.model.position.encoding = name;
      prepared_.push_back(train::prepare(dataset, fit, split, scaling));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      TrainOptions how = settled(options.fit.train, prepared_[i].sets.train.size());
      how.seed += repeat;
      how.select = Selection::kLast;
      how.patience = 0;
      if (steps > 0) how.steps = steps;
      plan_.push_back({.config = &prepared_[i].config, .sets = &prepared_[i].sets, .options = how, .title = names[i]});
    }
  }

  Fold(Fold&&) = default;  // not copied: the plan points to what is prepared
  Fold(const Fold&) = delete;

  std::size_t steps() const { return schedule_steps(plan_[0].options, prepared_[0].sets.train.size()); }

  // Of windows, model and training: everything that decides its values.
  std::string digest() const {
    const DisjointnessProof& proof = prepared_[0].sets.proof;
    std::string text =
        fmt::format("{:016x}\n{:016x}\n{}", proof.train_digest, proof.validation_digest, to_text(prepared_[0].config));
    for (const auto& [name, value] : recorded_fields(plan_[0].options))
      text += fmt::format("{}={}\n", name, to_text(value));
    return sha256(text).substr(0, 16);
  }

  bool has_signal() const {
    const std::vector<std::size_t> counts = prepared_[0].sets.train.class_counts();
    return std::ranges::count_if(counts, [](std::size_t count) { return count > 0; }) > 1 &&
           prepared_[0].sets.validation.size() > 0;
  }

  // Empty where it was stopped, or where the measure is not defined on this fold.
  std::vector<double> run(bool by_area, const FitControl& control, ThreadPool& pool) const {
    const std::vector<train::Trained> trained = train::train_side_by_side(plan_, {0, plan_.size()}, {}, control, pool);
    if (train::was_stopped(trained)) return {};
    std::vector<double> values;
    for (std::size_t i = 0; i < trained.size(); ++i) {
      const std::optional<double> value = value_of(trained[i].model, prepared_[i].sets.validation, by_area, pool);
      if (!value) return {};
      values.push_back(*value);
    }
    return values;
  }

 private:
  std::vector<train::Prepared> prepared_;  // of each encoding
  std::vector<train::Training> plan_;
};

// How many steps there is time for: a short training of every encoding shows how long they take. 0: for all.
std::size_t affordable_steps(const std::function<Fold(std::size_t steps)>& first_fold, const FitControl& control,
                             double seconds, std::size_t folds, ThreadPool& pool) {
  constexpr std::size_t kProbe = 20, kFewest = 50;
  constexpr double kShare = 0.9;  // of the time; the rest is for scores
  const std::size_t all = first_fold(0).steps();
  if (all <= kFewest) return 0;
  FitControl quiet = control;
  quiet.progress = false;
  const auto start = Clock::now();
  const std::vector<double> ignored = first_fold(kProbe).run(false, quiet, pool);
  const double each = std::chrono::duration<double>(Clock::now() - start).count() / kProbe;
  const double steps = kShare * seconds / (each * static_cast<double>(folds));
  return steps >= static_cast<double>(all) ? 0 : std::max(kFewest, static_cast<std::size_t>(steps));
}

// Trainings of folds that several processes share. A task is a fold with one encoding; its result is the value, empty
// where it has none.
class SharedFolds {
 public:
  using MakeFold = std::function<Fold(std::size_t job, std::size_t steps, const std::vector<std::string>& names)>;

  SharedFolds(Crew& crew, const ChooseOptions& options, std::vector<std::string> names, MakeFold make, bool by_area,
              std::function<bool()> stop)
      : crew_(crew),
        options_(options),
        names_(std::move(names)),
        make_(std::move(make)),
        by_area_(by_area),
        stop_(std::move(stop)),
        digest_(sha256(fmt::format("{} {}", make_(0, 0, {names_[0]}).digest(), options.folds)).substr(0, 16)) {}

  // As affordable_steps(), by one process, for all. None: stopped.
  std::optional<std::size_t> affordable() const {
    std::optional<std::size_t> found;
    Tasks tasks;
    tasks.list.push_back({.name = fmt::format("{}-steps-for-{:g}-minutes", digest_, options_.minutes)});
    std::ranges::replace(tasks.list[0].name, '.', '_');  // of file names' characters
    tasks.stop = stop_;
    tasks.run = [&](std::size_t, const std::function<bool()>& stop) -> std::optional<std::string> {
      ThreadPool pool(1);
      const double seconds = 60 * options_.minutes * static_cast<double>(crew_.size());
      const std::size_t steps = affordable_steps([&](std::size_t of) { return make_(0, of, names_); }, {.stop = stop},
                                                 seconds, options_.folds, pool);
      return stop() ? std::nullopt : std::optional(fmt::format("{}", steps));
    };
    tasks.take = [&](std::size_t, const std::string& text) { found = parse_number<std::size_t>(text); };
    crew_.run(tasks);
    return found;
  }

  // Adds the values of one repeat. False: stopped.
  bool run(std::size_t repeat, std::size_t steps, EncodingChoice& choice) const {
    std::vector<std::optional<std::string>> results(options_.folds * names_.size());  // [folds, encodings]
    Tasks tasks;
    for (std::size_t i = 0; i < results.size(); ++i) {
      tasks.list.push_back({.name = fmt::format("{}-steps-{}-repeat-{}-fold-{}-{}", digest_, steps, repeat,
                                                i / names_.size(), names_[i % names_.size()]),
                            .known = {}});
      tasks.list.back().known = crew_.find_finished(tasks.list.back().name);
    }
    tasks.stop = stop_;
    tasks.run = [&](std::size_t i, const std::function<bool()>& stop) {
      return value(repeat * options_.folds + i / names_.size(), steps, names_[i % names_.size()], stop);
    };
    tasks.take = [&](std::size_t i, const std::string& text) { results[i] = text; };
    const bool complete = crew_.run(tasks);
    for (std::size_t fold = 0; fold < options_.folds; ++fold) {
      const auto begin = results.begin() + static_cast<std::ptrdiff_t>(fold * names_.size());
      const std::span of_fold(begin, names_.size());
      if (!std::ranges::all_of(of_fold, [](const auto& text) { return text && !text->empty(); })) continue;
      for (std::size_t i = 0; i < names_.size(); ++i)
        choice.scores[i].values.push_back(parse_number<double>(*of_fold[i]).value());
      ++choice.folds;
    }
    return complete;
  }

 private:
  std::optional<std::string> value(std::size_t job, std::size_t steps, const std::string& name,
                                   const std::function<bool()>& stop) const {
    const Fold fold = make_(job, steps, {name});
    if (!fold.has_signal()) return "";
    ThreadPool pool(1);
    const std::vector<double> found = fold.run(by_area_, {.stop = stop}, pool);
    if (found.empty() && stop()) return std::nullopt;
    return found.empty() ? "" : fmt::format("{}", found[0]);
  }

  Crew& crew_;
  const ChooseOptions& options_;
  std::vector<std::string> names_;
  MakeFold make_;
  bool by_area_;
  std::function<bool()> stop_;
  std::string digest_;
};

void judge_scores(EncodingChoice& choice, const ChooseOptions& options) {
  EncodingScore& first = choice.scores.front();
  std::vector<double> p_values;
  for (EncodingScore& one : choice.scores) {
    std::vector<double> differences;
    for (std::size_t i = 0; i < one.values.size(); ++i) differences.push_back(one.values[i] - first.values[i]);
    one.mean = summarize(one.values).mean;
    if (&one == &first) continue;
    one.difference = resampled_t(differences, 1 / static_cast<double>(options.folds - 1), options.level);
    p_values.push_back(one.difference.p);
  }
  const std::vector<double> corrected = holm(p_values);
  choice.encoding = first.name;
  double most = 0;
  for (std::size_t i = 1; i < choice.scores.size(); ++i) {
    EncodingScore& one = choice.scores[i];
    one.p = corrected[i - 1];
    one.better = one.p < 1 - options.level && one.difference.summary.mean > 0;
    if (one.better && one.difference.summary.mean > most) {
      most = one.difference.summary.mean;
      choice.encoding = one.name;
    }
  }
}

}  // namespace

EncodingChoice choose_encoding(const Dataset& dataset, const ChooseOptions& options, ThreadPool& pool,
                               const FitControl& control, Crew* crew) {
  check_choose_options(options);
  check_train_options(options.fit.train);
  const std::vector<std::string> names = encodings_of(options);
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(60 * std::min(options.minutes, 1e6)));
  std::atomic<bool> asked = false;
  FitControl own = control;
  own.checkpoints = {};
  own.stop = [&] {
    if (control.stop && control.stop()) asked = true;
    return asked || Clock::now() >= end;  // asked by all threads
  };

  SplitOptions split = train::final_split(dataset, options.fit);
  const Scaling scaling = choose_scaling(dataset, options.fit, pool).scaling;
  const Dataset data = training_data(dataset, split);
  split.folds = options.folds;
  const bool by_area = data.has_point_labels();
  EncodingChoice choice{.measure = by_area ? "AUC-PR" : "accuracy"};
  for (const std::string& name : names) choice.scores.push_back({.name = name});
  const auto fold_of = [&](std::size_t job, std::size_t steps, const std::vector<std::string>& of) {
    SplitOptions parts = split;
    parts.fold = job % options.folds;
    parts.seed = options.fit.split.seed + job / options.folds;
    return Fold(data, options, parts, scaling, of, job / options.folds, steps);
  };
  std::optional<SharedFolds> shared;
  if (crew != nullptr) shared.emplace(*crew, options, names, fold_of, by_area, own.stop);
  const std::size_t steps = shared ? shared->affordable().value_or(0)
                                   : affordable_steps([&](std::size_t of) { return fold_of(0, of, names); }, own,
                                                      60 * options.minutes, options.folds, pool);
  choice.all_steps = fold_of(0, 0, {names[0]}).steps();
  choice.steps = steps > 0 ? steps : choice.all_steps;
  for (std::size_t repeat = 0; shared && repeat < options.repeats; ++repeat)
    if (!shared->run(repeat, steps, choice)) break;
  for (std::size_t job = 0; !shared && job < options.folds * options.repeats && !own.stop(); ++job) {
    const Fold fold = fold_of(job, steps, names);
    if (!fold.has_signal()) continue;
    const std::vector<double> values = fold.run(by_area, own, pool);
    for (std::size_t i = 0; i < values.size(); ++i) choice.scores[i].values.push_back(values[i]);
    choice.folds += values.empty() ? 0 : 1;
  }
  if (asked) throw Error("stopped");
  choice.ran_out_of_time = Clock::now() >= end;
  if (choice.folds < 2) {
    if (!choice.ran_out_of_time)
      reject({{dataset.place()},
              "folds with training windows of several classes and windows to score",
              fmt::format("{} of {}", choice.folds, options.folds)});
    throw Error(fmt::format("fewer than two folds ended within {:g} minutes: more {}, or fewer {}", options.minutes,
                            field_text("minutes"), field_text("encodings")));
  }
  judge_scores(choice, options);
  return choice;
}

std::string sentence_of(const EncodingChoice& choice) {
  const EncodingScore& first = choice.scores.front();
  const auto interval = [](const EncodingScore& one) {
    return fmt::format("{:+.3f}, {:+.3f} to {:+.3f}", one.difference.summary.mean, one.difference.interval.low,
                       one.difference.interval.high);
  };
  const auto kept = std::ranges::find(choice.scores, choice.encoding, &EncodingScore::name);
  if (kept != choice.scores.begin())
    return fmt::format("{} is better than {} on this data ({} {}, p = {:.2g} after Holm's correction).", kept->name,
                       first.name, choice.measure, interval(*kept), kept->p);
  const auto best = std::max_element(choice.scores.begin() + 1, choice.scores.end(),
                                     [](const EncodingScore& a, const EncodingScore& b) { return a.mean < b.mean; });
  return fmt::format("No encoding is shown to be better than {}, which is kept; the best of the others is {} ({} {}).",
                     first.name, best->name, choice.measure, interval(*best));
}

Json to_json(const EncodingChoice& choice) {
  Json rows = Json::array();
  for (const EncodingScore& one : choice.scores) {
    const bool first = &one == &choice.scores.front();
    Json values = Json::array();
    for (const double value : one.values) values.push_back(value);
    rows.push_back(Json::Object{{"encoding", one.name},
                                {"mean", one.mean},
                                {"values", values},
                                {"difference", first ? Json() : Json(one.difference.summary.mean)},
                                {"low", first ? Json() : Json(one.difference.interval.low)},
                                {"high", first ? Json() : Json(one.difference.interval.high)},
                                {"p", first ? Json() : Json(one.p)},
                                {"better", one.better}});
  }
  return Json::Object{{"encoding", choice.encoding},
                      {"measure", choice.measure},
                      {"folds", choice.folds},
                      {"steps", choice.steps},
                      {"all_steps", choice.all_steps},
                      {"ran_out_of_time", choice.ran_out_of_time},
                      {"scores", rows},
                      {"sentence", sentence_of(choice)}};
}

}  // namespace faithful
