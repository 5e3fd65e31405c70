#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/window/split.h"

namespace faithful {

enum class ScalerKind : std::uint8_t {
  kNone,      // as it is
  kStandard,  // (x - mean) / standard deviation
  kMinMax,    // (x - min) / (max - min)
  kRobust,    // (x - median) / (third - first quartile)
};
FAITHFUL_API const std::vector<std::string>& scaler_names();  // of the kinds, in their order
FAITHFUL_API std::string to_string(ScalerKind kind);
FAITHFUL_API ScalerKind parse_scaler_kind(std::string_view name);  // InputError for an unknown name
FAITHFUL_API Setting scaler_setting(ScalerKind& kind);             // which is set by name

// Whose statistics scale a window.
enum class Scaling : std::uint8_t {
  kAuto,    // the training chooses (choose_scaling); elsewhere kCommon
  kCommon,  // those of all training samples
  kSeries,  // those of the window's own series. Only series of the training have them: new data is scaled by kCommon
  kWindow,  // those of the window itself: each channel less its mean, over its deviation
};
FAITHFUL_API const std::vector<std::string>& scaling_names();  // in their order
FAITHFUL_API std::string to_string(Scaling scaling);
FAITHFUL_API Setting scaling_setting(Scaling& scaling);  // which is set by name

// y = (x - shift) * factor, per channel.
struct Scale {
  std::vector<float> shift;   // [C]
  std::vector<float> factor;  // [C]
  bool operator==(const Scale&) const = default;
};

// All that a scaler has learnt: what a model file keeps.
struct ScalerRecord {
  ScalerKind kind = ScalerKind::kStandard;
  Scale common = {};                            // of all training samples
  std::map<std::string, Scale> by_series = {};  // kSeries: names of series -> of their training samples
  Scaling scaling = Scaling::kCommon;           // never kAuto
  bool operator==(const ScalerRecord&) const = default;
};

// Samples one after the other, [n, C] -> [n, C]; a missing value (NaN) becomes 0, the middle of its channel.
FAITHFUL_API void scale_into(const Scale& scale, std::span<const float> samples, std::span<float> out);

// The scale of one window [n, C] by its own mean and deviation per channel; missing values do not count. The deviation
// is at least 0.01 of the training data's, so that a constant channel becomes 0 and its noise stays small.
FAITHFUL_API Scale window_scale(const Scale& common, std::span<const float> window);

// One window [n, C] -> [n, C], by its series' scale or by itself, as the record says. Allocates nothing.
FAITHFUL_API void scale_window_into(const ScalerRecord& record, const Scale& of_series, std::span<const float> window,
                                    std::span<float> out);

class FAITHFUL_API Scaler {
 public:
  explicit Scaler(ScalerRecord record) : record_(std::move(record)) {}  // as it was learnt before

  // The scale of a series: its own, or the common one where it has none.
  const Scale& of(const std::string& series_name) const;
  const ScalerRecord& record() const { return record_; }
  std::uint64_t split_id() const { return split_id_; }  // that it was fitted on; 0: from a record

 private:
  friend FAITHFUL_API Scaler fit_scaler(const TrainingPart& part, ScalerKind kind, Scaling scaling);
  ScalerRecord record_;
  std::uint64_t split_id_ = 0;
};

// Whether series can have statistics of their own: the split divides timelines (blocked, random). Where it holds out
// whole series (series, given, series with one label each), those have no training samples.
FAITHFUL_API bool has_own_statistics(const Dataset& dataset, SplitKind kind);

// What scaled a training before version 0.2: kSeries where series have statistics of their own, else kCommon. Digests of
// settings leave it out, so that runs and checkpoints of that time are still found.
FAITHFUL_API bool is_former_scaling(Scaling scaling, const Dataset& dataset, SplitKind kind);

// Learns the statistics of each channel from the training part, and from nothing else. A channel that is constant there
// takes the spread of all series together, or 1 where that is constant too. NaN counts as absent. InputError for kSeries
// where series have no statistics of their own, and for kWindow with another kind than kStandard.
FAITHFUL_API Scaler fit_scaler(const TrainingPart& part, ScalerKind kind = ScalerKind::kStandard,
                               Scaling scaling = Scaling::kCommon);

}  // namespace faithful
