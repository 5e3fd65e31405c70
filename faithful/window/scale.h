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
  std::map<std::string, Scale> by_series = {};  // names of series -> of their training samples
  bool operator==(const ScalerRecord&) const = default;
};

// Samples one after the other, [n, C] -> [n, C]; a missing value (NaN) becomes 0, the middle of its channel.
FAITHFUL_API void scale_into(const Scale& scale, std::span<const float> samples, std::span<float> out);

class FAITHFUL_API Scaler {
 public:
  explicit Scaler(ScalerRecord record) : record_(std::move(record)) {}  // as it was learnt before

  // The scale of a series: its own, or the common one where it has none.
  const Scale& of(const std::string& series_name) const;
  const ScalerRecord& record() const { return record_; }
  std::uint64_t split_id() const { return split_id_; }  // that it was fitted on; 0: from a record

 private:
  friend FAITHFUL_API Scaler fit_scaler(const TrainingPart& part, ScalerKind kind);
  ScalerRecord record_;
  std::uint64_t split_id_ = 0;
};

// Learns the statistics of each channel from the training part, and from nothing else. A channel that is constant there
// takes the spread of all series together, or 1 where that is constant too. NaN counts as absent. Each timeline has its
// own statistics where the split divides timelines (blocked, random). All series share them where whole series are held
// out (series, given, or series with one label each), for those have no training samples of their own.
FAITHFUL_API Scaler fit_scaler(const TrainingPart& part, ScalerKind kind = ScalerKind::kStandard);

}  // namespace faithful
