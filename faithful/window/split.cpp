#include "faithful/window/split.h"

#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/number.h"
#include "faithful/base/random.h"
#include "faithful/window/units_internal.h"

namespace faithful {

namespace {

const std::vector<std::string> kSplitNames = {"blocked", "series", "given", "random"};
const std::vector<std::string> kRuleNames = {"any", "last", "majority"};
const std::vector<std::string> kUnlabelledNames = {"leave-out", "normal"};

std::size_t index_of(std::string_view name, const std::vector<std::string>& names, const Place& place,
                     const char* what) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) reject({place, what, quote(name), suggest(name, names)});
  return static_cast<std::size_t>(found - names.begin());
}

void check(SplitOptions options) {
  check_settings(settings(options));
  const auto require = [](bool holds, const char* field, const std::string& wanted, auto found) {
    if (!holds) reject({{.field = field}, wanted, fmt::format("{}", found)});
  };
  require(options.train + options.validation <= 1 + 1e-9, "validation", "a share that train leaves room for",
          options.validation);
  require(options.fold < std::max<std::size_t>(options.folds, 1), "fold",
          fmt::format("a number below {}", options.folds), options.fold);
}

std::size_t longest_series(const Dataset& dataset) {
  std::size_t longest = 0;
  for (const Series& series : dataset.series) longest = std::max(longest, series.length());
  return longest;
}

std::uint64_t digest(const SplitPart& part, std::uint64_t hash) {
  const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15, hash ^= hash >> 29; };
  mix(part.pieces().size());
  for (const Piece& piece : part.pieces()) mix(piece.series), mix(piece.begin), mix(piece.end);
  return hash;
}

// Of timelines with point labels, those that share a clock together.
struct TimelineCounts {
  std::size_t all = 0, anomalous = 0;
  bool anomalous_have_normal = true;  // each with an anomaly also has a window's length without one
  bool are_few() const { return anomalous < 3; }
  bool can_hold_out() const { return !are_few() && (anomalous_have_normal || all - anomalous >= 3); }
};

bool has_normal_window(const std::vector<std::uint8_t>& anomalous, std::size_t length) {
  std::size_t run = 0;
  return std::ranges::any_of(anomalous, [&](std::uint8_t flag) {
    run = flag == 0 ? run + 1 : 0;
    return run >= length;
  });
}

TimelineCounts count_timelines(const Dataset& dataset, SplitOptions options) {
  apply_known_rules(dataset, options);
  options.labelled_only = true;
  TimelineCounts counts;
  for (const SharedTimeline& timeline : make_timelines(dataset, options)) {
    ++counts.all;
    if (std::ranges::find(timeline.anomalous, 1) == timeline.anomalous.end()) continue;
    ++counts.anomalous;
    counts.anomalous_have_normal =
        counts.anomalous_have_normal && has_normal_window(timeline.anomalous, options.window.length);
  }
  return counts;
}

}  // namespace

std::vector<Setting> settings(SplitOptions& options) {
  constexpr FieldGroup kGroup = FieldGroup::kWindows;
  return {
      {{"window", "S", "samples of a window; 0: whole series", {.group = kGroup, .common = true}},
       &options.window.length},
      {{"stride", "N", "samples from one window to the next", {.least = 1, .group = kGroup, .common = true}},
       &options.window.stride},
      {{"label_rule",
        "RULE",
        "which anomalous points make a window anomalous: any, the last, or the majority of its points",
        {.choices = kRuleNames, .group = kGroup}},
       choice_of(options.window.label_rule)},
      {{"split",
        "KIND",
        "blocked: blocks of each timeline, no leak; series: whole series; given: the data's own; random: leaks",
        {.choices = kSplitNames, .group = kGroup, .common = true}},
       choice_of(options.kind)},
      {{"unlabelled",
        "WHAT",
        "series without labels in the data's own training part: leave them out, or take them as normal to train on",
        {.choices = kUnlabelledNames, .group = kGroup}},
       choice_of(options.unlabelled)},
      {{"folds",
        "N",
        "folds of the cross-validation for a given split; 1: a share of the training part validates; 0: nothing does",
        {.least = 0, .group = kGroup}},
       &options.folds},
      {{"train", "X", "share of the training part", {.above = 0, .most = 1}}, &options.train},
      {{"validation", "X", "share of the validation part", {.least = 0, .most = 1}}, &options.validation},
      {{"seed", "N", "seed of the split"}, &options.seed},
      {{"block_windows", "N", "windows of the shortest block", {.least = 5, .applies_to = "blocked"}},
       &options.block_windows},
      {{"fold", "N", "the fold that validates", {.applies_to = "given"}}, &options.fold},
      {{"refit", "", "all of the training part trains, nothing validates", {.applies_to = "given"}}, &options.refit},
      {{"needs_test", "", "a test part is needed", {.applies_to = "given"}}, &options.needs_test}};
}

std::string to_string(SplitKind kind) {
  return kSplitNames[static_cast<std::size_t>(kind)];
}
std::string to_string(LabelRule rule) {
  return kRuleNames[static_cast<std::size_t>(rule)];
}
SplitKind parse_split_kind(std::string_view name) {
  return static_cast<SplitKind>(index_of(name, kSplitNames, {.field = "split"}, "the name of a split"));
}
LabelRule parse_label_rule(std::string_view name) {
  return static_cast<LabelRule>(index_of(name, kRuleNames, {.field = "label_rule"}, "the name of a label rule"));
}

SplitOptions suggested_split(const Dataset& dataset, SplitOptions options, bool keep_window) {
  const bool by_series = dataset.has_series_labels() && !dataset.has_point_labels();
  const auto has_labelled = [&](DataPart part) {
    return std::ranges::any_of(dataset.series, [&](const Series& series) {
      return series.part == part && (series.label != kNoLabel || !series.labels.empty());
    });
  };
  if (!keep_window) options.window.length = by_series ? 0 : 100;
  if (has_labelled(DataPart::kTrain) && has_labelled(DataPart::kTest)) {
    options.kind = SplitKind::kGiven;
  } else {
    const bool whole = by_series || count_timelines(dataset, options).can_hold_out();
    options.kind = whole ? SplitKind::kSeries : SplitKind::kBlocked;
  }
  return options;
}

void close_gaps(WindowOptions& window) {
  if (window.length > 0) window.stride = std::min(window.stride, window.length);
}

std::string reason_of_split(const Dataset& dataset, const SplitOptions& options) {
  const bool may_differ = options.kind == SplitKind::kSeries || options.kind == SplitKind::kBlocked;
  if (!may_differ || !dataset.has_point_labels() || suggested_split(dataset, options, true).kind != options.kind)
    return "";
  const TimelineCounts counts = count_timelines(dataset, options);
  if (counts.all < 2) return "";
  const std::string found = fmt::format("{} of {} series have anomalies", counts.anomalous, counts.all);
  if (options.kind == SplitKind::kSeries) return found + ", so whole series are held out";
  const std::string why = counts.are_few()
                              ? "too few to hold out whole series"
                              : fmt::format("and not all of these have {} samples without one", options.window.length);
  return fmt::format("{}, {}, so blocks of each are held out", found, why);
}

void apply_known_rules(const Dataset& dataset, SplitOptions& options) {
  if (dataset.format != "telemanom" && dataset.name != "MSL") return;
  const auto is_of_msl = [](const Series& series) { return series.name == "P-14"; };  // SMAP has no such channel
  if (std::ranges::none_of(dataset.series, is_of_msl)) return;
  options.leave_out.emplace_back("P-14");
  options.together.push_back({"M-1", "M-2"});
  options.together.push_back({"T-12", "T-13"});
}

std::size_t count_windows(std::size_t piece_length, const WindowOptions& window, std::size_t window_length) {
  if (piece_length == 0) return 0;
  return piece_length <= window_length ? 1 : (piece_length - window_length) / window.stride + 1;
}

std::int32_t window_label(const Series& series, std::size_t begin, std::size_t end, LabelRule rule) {
  if (series.labels.empty()) return series.label;
  if (rule == LabelRule::kLast) return series.labels[end - 1];
  std::size_t anomalous = 0;
  for (std::size_t t = begin; t < end; ++t) anomalous += series.labels[t];
  return rule == LabelRule::kAny ? anomalous > 0 : 2 * anomalous > end - begin;
}

Split::Split(const Dataset& dataset, SplitOptions options) : dataset_(&dataset), options_(std::move(options)) {
  check(options_);
  window_length_ = options_.window.length == 0 ? longest_series(dataset) : options_.window.length;

  const bool given = options_.kind == SplitKind::kGiven;
  const auto timelines = make_timelines(dataset, options_, given ? std::optional(DataPart::kTrain) : std::nullopt);
  std::vector<Unit> units;
  switch (options_.kind) {
    case SplitKind::kBlocked:
    case SplitKind::kGiven:
      units = make_blocks(dataset, timelines, options_);
      break;
    case SplitKind::kSeries:
      units = make_whole(dataset, timelines);
      break;
    case SplitKind::kRandom:
      units = make_single_windows(dataset, timelines, options_, window_length_);
      break;
  }
  if (!given)
    deal_by_shares(units, options_.train, options_.validation, options_.seed);
  else if (!options_.refit && options_.folds == 1)
    deal_by_shares(units, 1 - options_.validation, options_.validation, options_.seed);
  else if (!options_.refit && options_.folds > 1)
    deal_by_folds(units, options_);

  const auto pieces = [&](PartIndex part) {
    return options_.kind == SplitKind::kRandom ? single_pieces(dataset, timelines, units, part)
                                               : joined_pieces(dataset, timelines, units, part, window_length_);
  };
  train_.pieces_ = pieces(kTrainIndex);
  validation_.pieces_ = pieces(kValidationIndex);
  test_.pieces_ = pieces(kTestIndex);
  if (given) {
    const auto held = make_timelines(dataset, options_, DataPart::kTest);
    test_.pieces_ = joined_pieces(dataset, held, make_whole(dataset, held), kTrainIndex, window_length_);
    check_classes(dataset);
  }
  add_normal_series();
  finish();
  const bool has_both = !train_.pieces().empty() && !test_.pieces().empty();
  const bool wants_test = given ? options_.needs_test : options_.train + options_.validation < 1 - 1e-9;
  if (!has_both && (wants_test || train_.pieces().empty()))
    reject(
        {{dataset.place()},
         given ? "series of its own train and test parts" : "enough series or samples for a training and a test part",
         fmt::format("{} pieces to train and {} to test", train_.pieces().size(), test_.pieces().size()),
         given ? fmt::format("another {}", field_text("split"))
               : fmt::format("more data, or a shorter {}", field_text("window"))});
}

bool counts_as_normal(const Dataset& dataset, const SplitOptions& options, const Series& series) {
  return options.unlabelled == Unlabelled::kNormal && series.part == DataPart::kTrain && series.labels.empty() &&
         series.label == kNoLabel && dataset.has_point_labels();
}

std::int32_t Split::label_of(std::size_t series, std::size_t begin, std::size_t end) const {
  const Series& one = dataset_->series[series];
  if (counts_as_normal(*dataset_, options_, one)) return 0;
  return window_label(one, begin, end, options_.window.label_rule);
}

// After the others are dealt out: what is held out does not depend on them.
void Split::add_normal_series() {
  const std::vector<SharedTimeline> timelines = make_normal_timelines(*dataset_, options_, {validation_, test_});
  const std::vector<Piece> more =
      options_.kind == SplitKind::kRandom
          ? single_pieces(*dataset_, timelines, make_single_windows(*dataset_, timelines, options_, window_length_),
                          kTrainIndex)
          : joined_pieces(*dataset_, timelines, make_whole(*dataset_, timelines), kTrainIndex, window_length_);
  train_.pieces_.insert(train_.pieces_.end(), more.begin(), more.end());
  std::ranges::stable_sort(train_.pieces_, {}, &Piece::series);
}

std::vector<std::size_t> class_counts(const Split& split, const SplitPart& part) {
  std::vector<std::size_t> counts(split.dataset().classes.size(), 0);
  const WindowOptions& options = split.options().window;
  for (const Piece& piece : part.pieces()) {
    const std::size_t windows = count_windows(piece.length(), options, split.window_length());
    for (std::size_t k = 0; k < windows; ++k) {
      const std::size_t begin = piece.begin + k * options.stride;
      const std::size_t end = std::min(piece.end, begin + split.window_length());
      const std::int32_t label = split.label_of(piece.series, begin, end);
      if (label != kNoLabel) ++counts[static_cast<std::size_t>(label)];
    }
  }
  return counts;
}

PartCounts class_counts(const Split& split) {
  return {class_counts(split, split.train()), class_counts(split, split.validation()),
          class_counts(split, split.test())};
}

namespace {

std::string advice_on_events(const Dataset& dataset) {
  constexpr std::size_t kParts = 3;
  std::size_t events = 0;
  for (const Series& series : dataset.series) events += spans_of(series.labels).size();
  if (events < kParts)
    return fmt::format("the data has {}: training, validation and test need one each", counted(events, "event"));
  return fmt::format("more data with events, a shorter {}, or another {}", field_text("window"), field_text("seed"));
}

}  // namespace

void check_signal(const Dataset& dataset, const PartCounts& counts) {
  const auto check = [&](const char* part, const std::vector<std::size_t>& of) {
    const auto classes = std::ranges::count_if(of, [](std::size_t count) { return count > 0; });
    if (classes != 1) return;
    std::string found;
    for (std::size_t k = 0; k < of.size(); ++k)
      if (of.size() == 2 || of[k] > 0)
        found += fmt::format("{}{} {}", found.empty() ? "" : ", ", of[k], dataset.classes[k]);
    reject({{dataset.place()},
            fmt::format("windows of {} in the {} part", of.size() == 2 ? "both classes" : "several classes", part),
            found,
            dataset.has_point_labels() ? advice_on_events(dataset)
                                       : fmt::format("more series of each class, or another {}", field_text("seed"))});
  };
  check("training", counts.train);
  if (dataset.has_point_labels()) check("validation", counts.validation);
  check("test", counts.test);
}

Split::Split(HoldOut, const Dataset& dataset, const WindowOptions& window) : dataset_(&dataset) {
  options_.window = window;
  check(options_);
  window_length_ = window.length == 0 ? longest_series(dataset) : window.length;
  for (std::size_t i = 0; i < dataset.series.size(); ++i)
    if (dataset.series[i].length() > 0) test_.pieces_.push_back({{0, dataset.series[i].length()}, i});
  finish();
}

Split Split::hold_out_all(const Dataset& dataset, const WindowOptions& window) {
  return Split(HoldOut{}, dataset, window);
}

void Split::finish() {
  train_.dataset_ = dataset_;
  train_.options_ = &options_;
  train_.split_id_ = digest(test_, digest(validation_, digest(train_, window_length_)));
}

}  // namespace faithful
