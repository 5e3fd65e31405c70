#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/field.h"
#include "faithful/data/dataset.h"

// Split -> scale -> cut -> batch, in that order and in no other: a scaler is fitted on a TrainingPart, which only a
// Split has; windows are cut from a Split with a Scaler; batches are taken from Windows.

namespace faithful {

enum class SplitKind : std::uint8_t {
  kBlocked,  // contiguous blocks of each timeline, a gap between blocks of different parts: no leak
  kSeries,   // whole series
  kGiven,    // the data set's own train and test parts; validation is one fold of train
  kRandom,   // windows, shuffled, as published work does: overlapping windows leak
};
FAITHFUL_API std::string to_string(SplitKind kind);              // "blocked"
FAITHFUL_API SplitKind parse_split_kind(std::string_view name);  // InputError for an unknown name

// The label of a window whose points have labels.
enum class LabelRule : std::uint8_t { kAny, kLast, kMajority };  // kMajority: more than half of its points
FAITHFUL_API std::string to_string(LabelRule rule);              // "any"
FAITHFUL_API LabelRule parse_label_rule(std::string_view name);  // InputError for an unknown name

// What becomes of series without labels in the set's own training part, where points of other series have labels.
enum class Unlabelled : std::uint8_t {
  kLeaveOut,
  kNormal,  // they hold no anomaly, as the training halves of MSL and SMAP: they train, and do nothing else
};

struct WindowOptions {
  std::size_t length = 100;  // S; 0: every series whole, padded to the longest
  std::size_t stride = 50;   // between the beginnings of windows
  LabelRule label_rule = LabelRule::kAny;
};

struct SplitOptions {
  SplitKind kind = SplitKind::kBlocked;
  WindowOptions window = {};
  double train = 0.70;  // shares of the parts; test has the rest
  double validation = 0.15;
  std::uint64_t seed = 1;         // the same seed: the same split, for every model
  std::size_t block_windows = 5;  // kBlocked: the shortest block, in windows
  std::size_t folds = 5;          // kGiven: parts of train (1: the validation share), of which ...
  std::size_t fold = 0;           // ... this one validates
  bool refit = false;             // kGiven: all of train trains, nothing validates
  bool needs_test = true;         // kGiven: InputError without test series
  std::vector<std::vector<std::string>> together = {};  // names of series that share a recording: always in one part
  std::vector<std::string> leave_out = {};              // names of series in no part
  bool labelled_only = false;                           // series without labels are in no part, but for ...
  Unlabelled unlabelled = Unlabelled::kLeaveOut;        // ... those of the set's own training part
};

// The fields that are set by name: the one table that describes them.
FAITHFUL_API std::vector<Setting> settings(SplitOptions& options);

// The split that a data set suggests, everything else as in `options`: whole series where each has one label, windows of
// 100 samples where points have, unless `keep_window` says that the window of `options` is wanted; the set's own test
// part where it has one, else `series` or `blocked`. Timelines are held out
// whole where every part can have anomalous and normal windows: at least 3 of them have an anomaly, and at least 3 have
// none or those with an anomaly have normal windows too. Else blocks of each are held out.
FAITHFUL_API SplitOptions suggested_split(const Dataset& dataset, SplitOptions options = {}, bool keep_window = false);

// A stride longer than the windows would leave samples between them: it becomes their length.
FAITHFUL_API void close_gaps(WindowOptions& window);

// Why timelines are split so, in words: "9 of 12 series have anomalies, so whole series are held out". Empty for one
// timeline, for series with one label and where the data or the user has another split.
FAITHFUL_API std::string reason_of_split(const Dataset& dataset, const SplitOptions& options);

// What is known about published data sets: of MSL, P-14 is P-10 again, and M-1/M-2 and T-12/T-13 share their commands.
FAITHFUL_API void apply_known_rules(const Dataset& dataset, SplitOptions& options);

// One part of a split. In a random split a piece is a window, and pieces overlap; else they do not touch.
class FAITHFUL_API SplitPart {
 public:
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  friend class Split;
  friend class TrainingPart;
  SplitPart() = default;
  std::vector<Piece> pieces_;  // by series and begin
};

// The part that scalers learn from.
class FAITHFUL_API TrainingPart : public SplitPart {
 public:
  const Dataset& dataset() const { return *dataset_; }
  const SplitOptions& options() const { return *options_; }
  std::uint64_t split_id() const { return split_id_; }

 private:
  friend class Split;
  TrainingPart() = default;
  const Dataset* dataset_ = nullptr;
  const SplitOptions* options_ = nullptr;
  std::uint64_t split_id_ = 0;
};

// Who is in which part. It refers to the data set, which must outlive it.
class FAITHFUL_API Split {
 public:
  // InputError where the data cannot be split so: no train and test parts (kGiven), a class only in test, too few
  // series.
  Split(const Dataset& dataset, SplitOptions options);
  Split(Dataset&&, SplitOptions) = delete;
  Split(const Split&) = delete;  // its parts point into it
  Split& operator=(const Split&) = delete;

  // Everything is held out, for predictions: train and validation are empty.
  static Split hold_out_all(const Dataset& dataset, const WindowOptions& window);

  const TrainingPart& train() const { return train_; }
  const SplitPart& validation() const { return validation_; }
  const SplitPart& test() const { return test_; }
  const Dataset& dataset() const { return *dataset_; }
  const SplitOptions& options() const { return options_; }
  std::size_t window_length() const { return window_length_; }  // S
  // The label of a window (window_label), and 0 for one of a series that counts as normal.
  std::int32_t label_of(std::size_t series, std::size_t begin, std::size_t end) const;
  std::uint64_t id() const { return train_.split_id_; }  // the same for the same parts

 private:
  struct HoldOut {};
  Split(HoldOut, const Dataset& dataset, const WindowOptions& window);
  void add_normal_series();
  void finish();

  const Dataset* dataset_;
  SplitOptions options_;
  std::size_t window_length_ = 0;
  TrainingPart train_;
  SplitPart validation_;
  SplitPart test_;
};

// Whether the options take a series without labels as normal. In a split of whole series it must not stand in for one that
// is held out: it then trains only where no series of its name, or of those together with it, is held out.
FAITHFUL_API bool counts_as_normal(const Dataset& dataset, const SplitOptions& options, const Series& series);

// [K], windows of each class in a part; windows without a label count for none.
FAITHFUL_API std::vector<std::size_t> class_counts(const Split& split, const SplitPart& part);

// Windows of each class in the parts of a split.
struct PartCounts {
  std::vector<std::size_t> train, validation, test;  // [K]
};
FAITHFUL_API PartCounts class_counts(const Split& split);

// InputError where a part has windows, but of one class only: nothing can be learned, chosen or scored there. Of series
// with one label, the validation part may be so.
FAITHFUL_API void check_signal(const Dataset& dataset, const PartCounts& counts);

// Where windows of a piece begin: at 0, stride, ... as long as they fit; a shorter piece has one, to be padded.
FAITHFUL_API std::size_t count_windows(std::size_t piece_length, const WindowOptions& window,
                                       std::size_t window_length);

// The label of samples begin .. end-1: by the rule where points have labels, else that of the series.
FAITHFUL_API std::int32_t window_label(const Series& series, std::size_t begin, std::size_t end, LabelRule rule);

}  // namespace faithful
