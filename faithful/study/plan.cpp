#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/sha256.h"
#include "faithful/encoding/catalog.h"
#include "faithful/study/study.h"

namespace faithful {

namespace {

// Raised when the same job would give another result than before: older runs are then not reused.
constexpr int kTrainingFormat = 1;

template <class Number>
std::string text_of(Number value) {
  return fmt::format("{}", value);
}

template <class T>
void add_bytes(Sha256& digest, const std::vector<T>& values) {
  digest.add({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
  digest.add(fmt::format("|{}|", values.size()));
}

// The arms that choose the learning rate of a level. For unit, matched and own they do not depend on what else is
// compared, so that all studies of a data set choose the same rate.
std::vector<Arm> choosers(const std::string& level, const std::vector<Arm>& arms) {
  if (level == "unit" || level == "matched") return {{"sinusoidal", level}, {"dft", level}};
  if (level == "own") return {{"learned"}};
  Arm first = arms.front();
  first.again = false;
  return {first};
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

StudySettings make_settings(const Dataset& dataset, const StudyOptions& options) {
  const FitOptions& fit = options.fit;
  StudySettings settings{dataset.name, to_string(fit.split.kind), {}};
  const auto add = [&](std::string name, std::string value) {
    settings.fields.emplace_back(std::move(name), std::move(value));
  };
  add("format", text_of(kTrainingFormat));
  add("data digest", digest_of(dataset).substr(0, 16));
  add("window", text_of(fit.split.window.length));
  add("stride", text_of(fit.split.window.stride));
  add("label rule", to_string(fit.split.window.label_rule));
  add("split.train", text_of(fit.split.train));
  add("split.validation", text_of(fit.split.validation));
  add("split.folds", text_of(fit.split.folds));
  add("scaler", to_string(fit.scaler));
  if (!is_former_scaling(fit.scaling, dataset, fit.split.kind)) add("scaling", to_string(fit.scaling));
  if (fit.split.unlabelled == Unlabelled::kNormal) add("unlabelled", "normal");  // else as earlier runs have it
  for (const auto& [name, value] : recorded_fields(fit.model)) {  // those of the data and of the arm come later
    if (name != "channels" && name != "length" && name != "classes" && name != "encoding" && name != "scale")
      add("model." + name, to_text(value));
  }
  for (const auto& [name, value] : recorded_fields(fit.train))
    if (name != "rate" && name != "seed") add(name, to_text(value));
  add("rates", fmt::format("{}", fmt::join(options.rates, ",")));
  add("prevalence", text_of(fit.prevalence));
  add("length test", text_of(options.length_factor));
  return settings;
}

// Before the training of the first seed, not hours into it.
void check_splits(const Dataset& dataset, const StudyOptions& options) {
  constexpr std::size_t kMost = 100;  // seeds: a split of a large set takes a while
  SplitOptions split = options.fit.split;
  apply_known_rules(dataset, split);
  split.labelled_only = true;
  for (split.seed = 1; split.seed <= std::min(options.seeds, kMost); ++split.seed) {
    try {
      check_signal(dataset, class_counts(Split(dataset, split)));
    } catch (const InputError& error) {
      throw InputError(fmt::format("seed {}: {}", split.seed, error.spelled_by(field_text)));
    }
  }
}

}  // namespace

void check_study_options(const StudyOptions& options) {
  if (options.seeds == 0) reject({{.field = "seeds"}, "at least 1", "0"});
  if (options.arms.empty()) reject({{.field = "encodings"}, "at least one encoding", "none"});
  if (options.rates.empty()) reject({{.field = "rates"}, "at least one learning rate", "none"});
  for (const double rate : options.rates)
    if (!(rate > 0) || std::isinf(rate))
      reject({{.field = "rates"}, "learning rates above 0", fmt::format("{}", rate)});
}

std::string digest_of(const Dataset& dataset) {
  Sha256 digest;
  for (const auto* names : {&dataset.channels, &dataset.classes})
    for (const std::string& name : *names) digest.add(name + "\n");
  for (const Series& series : dataset.series) {
    digest.add(fmt::format("{}|{}|{}|{}|", series.name, to_string(series.part), series.label, series.values.columns));
    add_bytes(digest, series.values.values);
    add_bytes(digest, series.times);
    add_bytes(digest, series.labels);
  }
  return digest.digest();
}

StudyPlan::StudyPlan(const Dataset& dataset, StudyOptions options) : dataset_(&dataset), options_(std::move(options)) {
  check_study_options(options_);
  if (options_.fit.scaling == Scaling::kAuto) {  // once for all arms and seeds, on a seed that is not reported
    FitOptions fit = options_.fit;
    fit.split.seed = kRateSeed;
    ThreadPool pool(1);
    options_.fit.scaling = choose_scaling(dataset, fit, pool).scaling;
  }
  check_splits(dataset, options_);
  settings_ = make_settings(dataset, options_);
  FitOptions& fit = options_.fit;
  fit.model.input.channels = dataset.channels.size();
  fit.model.input.classes = dataset.classes.size();
  std::size_t longest = 0;
  for (const Series& series : dataset.series) longest = std::max(longest, series.length());
  fit.model.input.length = fit.split.window.length == 0 ? longest : fit.split.window.length;
  for (const Arm& arm : options_.arms) {  // before the training, not hours into it
    ModelConfig config = with_arm(fit.model, arm);
    if (config.has_times()) {  // the rest depends on the times of a split
      if (!catalog_entry(arm.encoding).real_positions)
        reject({{.field = "encodings"}, "encodings of times, for " + field_text("positions", "time"), arm.encoding});
      continue;
    }
    settle(config);
    try {
      check_config(config);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", to_string(arm), error.spelled_by(field_text)));
    }
  }
  for (const Arm& arm : options_.arms) levels_[norm_level(fit.model, arm)].push_back(arm);
}

StudyJob StudyPlan::job(RunKind kind, const Arm& arm, std::uint64_t seed, double rate) const {
  // The gap probe is the same for all data sets.
  std::string text = kind == RunKind::kGap
                         ? fmt::format("{}\n{}", kTrainingFormat, to_text(gap_fit_options(arm, seed).model))
                         : settings_.digest();
  if (kind == RunKind::kGap) {
    for (const auto& [name, value] : recorded_fields(gap_fit_options(arm, seed).train))
      text += fmt::format("{}={}\n", name, to_text(value));
    text += fmt::format("{} {} {} {} {}", options_.gap.length, fmt::join(options_.gap.distances, ","),
                        options_.gap.train, options_.gap.test, options_.gap.noise);
  }
  text += fmt::format("\n{}\n{}\n{}\n{}\n{}\n{}", to_string(kind), key_name(arm.encoding), arm.scale, arm.again, seed,
                      rate);
  return {kind, arm, seed, rate, sha256(text).substr(0, 16)};
}

const std::string& StudyPlan::level_of(const Arm& arm) const {
  for (const auto& [name, arms] : levels_)
    if (std::find(arms.begin(), arms.end(), arm) != arms.end()) return name;
  throw Error("an arm that is not in the plan");
}

std::vector<StudyJob> StudyPlan::rate_jobs() const {
  std::vector<StudyJob> jobs;
  if (options_.rates.size() < 2) return jobs;
  for (const auto& [name, arms] : levels_)
    for (const Arm& arm : choosers(name, arms))
      for (const double rate : options_.rates) jobs.push_back(job(RunKind::kRate, arm, kRateSeed, rate));
  return jobs;
}

std::map<std::string, double> StudyPlan::choose_rates(const std::vector<StudyRun>& finished) const {
  std::map<std::string, double> chosen;
  for (const auto& [name, arms] : levels_) {
    std::pair<double, double> best = {-INFINITY, -INFINITY};  // where rates end alike, the one that learned faster
    std::vector<double> rates = options_.rates;
    std::sort(rates.begin(), rates.end());
    chosen[name] = rates.front();
    for (const double rate : rates) {
      std::pair<double, double> sum = {0, 0};
      for (const Arm& arm : choosers(name, arms)) {
        const StudyRun* run = find_run(finished, job(RunKind::kRate, arm, kRateSeed, rate).key);
        const bool has_value = run != nullptr && std::isfinite(run->validation);
        sum.first += has_value ? run->validation : -INFINITY;
        sum.second += has_value ? mean_of(run->validations) : -INFINITY;
      }
      if (sum > best) best = sum, chosen[name] = rate;
    }
  }
  return chosen;
}

double StudyPlan::rate_of(const Arm& arm, const std::map<std::string, double>& rates) const {
  return options_.rates.size() < 2 ? options_.rates.front() : rates.at(level_of(arm));
}

std::vector<StudyJob> StudyPlan::jobs(const std::map<std::string, double>& rates) const {
  std::vector<StudyJob> jobs;
  for (std::uint64_t seed = 1; seed <= options_.seeds; ++seed) {
    for (const Arm& arm : options_.arms) jobs.push_back(job(RunKind::kRun, arm, seed, rate_of(arm, rates)));
    jobs.push_back(job(RunKind::kBaselines, {"none"}, seed, 0));
    if (seed == 1 && options_.minirocket) jobs.push_back(job(RunKind::kMinirocket, {"none"}, seed, 0));
    if (seed <= options_.gap_seeds)
      for (const Arm& arm : options_.arms)
        if (!arm.again) jobs.push_back(job(RunKind::kGap, arm, seed, 0));
  }
  return jobs;
}

const StudyRun* find_run(const std::vector<StudyRun>& runs, const std::string& key) {
  const auto found = std::find_if(runs.begin(), runs.end(), [&](const StudyRun& run) { return run.key == key; });
  return found == runs.end() ? nullptr : &*found;
}

}  // namespace faithful
