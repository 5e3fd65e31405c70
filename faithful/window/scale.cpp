#include "faithful/window/scale.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"

namespace faithful {

namespace {

// Where a channel lies and how wide it is; width 0: constant.
struct Extent {
  double shift = 0;
  double width = 0;
};

// The q-quantile of the values, linear between order statistics; reorders them.
double quantile(std::vector<float>& values, double q) {
  const double place = q * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), values.begin() + low, values.end());
  const double at = values[static_cast<std::size_t>(low)];
  if (static_cast<std::size_t>(low) + 1 == values.size()) return at;
  const double next = *std::min_element(values.begin() + low + 1, values.end());
  return at + (place - static_cast<double>(low)) * (next - at);
}

Extent standard_extent(const std::vector<float>& values) {
  double mean = 0, square = 0;
  for (const float value : values) mean += value;
  mean /= static_cast<double>(values.size());
  for (const float value : values) square += (value - mean) * (value - mean);
  return {mean, std::sqrt(square / static_cast<double>(values.size()))};
}

Extent measure(ScalerKind kind, std::vector<float>& values) {
  if (values.empty() || kind == ScalerKind::kNone) return {0, kind == ScalerKind::kNone ? 1.0 : 0.0};
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  const double low = *lowest, high = *highest;
  // Rounding alone may spread a constant: float has 7 digits.
  const bool constant = high - low <= 1e-6 * std::max(std::abs(low), std::abs(high));
  Extent extent = standard_extent(values);
  if (kind == ScalerKind::kMinMax) extent = {low, high - low};
  if (kind == ScalerKind::kRobust) {
    const double quartiles = quantile(values, 0.75) - quantile(values, 0.25);
    extent = {quantile(values, 0.5), quartiles > 0 ? quartiles : extent.width};  // mostly constant: its deviation
  }
  if (constant) extent.width = 0;
  return extent;
}

void gather(const Dataset& dataset, std::span<const Piece> pieces, std::size_t channel, std::vector<float>& values) {
  values.clear();
  for (const Piece& piece : pieces)
    for (std::size_t t = piece.begin; t < piece.end; ++t) {
      const float value = dataset.series[piece.series].values(t, channel);
      if (!std::isnan(value)) values.push_back(value);
    }
}

std::vector<Extent> measure_channels(const Dataset& dataset, std::span<const Piece> pieces, ScalerKind kind) {
  std::vector<Extent> extents;
  std::vector<float> values;
  for (std::size_t c = 0; c < dataset.channels.size(); ++c) {
    gather(dataset, pieces, c, values);
    extents.push_back(measure(kind, values));
  }
  return extents;
}

Scale make_scale(const std::vector<Extent>& extents, const std::vector<Extent>& fallback) {
  Scale scale;
  for (std::size_t c = 0; c < extents.size(); ++c) {
    const double width = extents[c].width > 0 ? extents[c].width : fallback[c].width > 0 ? fallback[c].width : 1;
    scale.shift.push_back(static_cast<float>(extents[c].shift));
    scale.factor.push_back(static_cast<float>(1 / width));
  }
  return scale;
}

// Mean and deviation of one channel of a window; its values are `stride` apart.
Extent window_extent(const float* values, std::size_t length, std::size_t stride) {
  double mean = 0, square = 0;
  std::size_t count = 0;
  for (std::size_t t = 0; t < length; ++t) {
    const float value = values[t * stride];
    if (!std::isnan(value)) mean += static_cast<double>(value), ++count;
  }
  if (count == 0) return {0, 0};
  mean /= static_cast<double>(count);
  for (std::size_t t = 0; t < length; ++t) {
    const double off = static_cast<double>(values[t * stride]) - mean;
    if (!std::isnan(off)) square += off * off;
  }
  return {mean, std::sqrt(square / static_cast<double>(count))};
}

// {shift, factor} of one channel of a window.
std::pair<float, float> channel_scale(const Scale& common, std::span<const float> window, std::size_t channel) {
  constexpr double kLeast = 0.01;  // of the training data's deviation
  const std::size_t channels = common.shift.size();
  const Extent own = window_extent(window.data() + channel, window.size() / channels, channels);
  const double floor = kLeast / static_cast<double>(common.factor[channel]);
  return {static_cast<float>(own.shift), static_cast<float>(1 / std::max(own.width, floor))};
}

void check_scaling(const TrainingPart& part, ScalerKind kind, Scaling scaling) {
  if (scaling == Scaling::kSeries && !has_own_statistics(part.dataset(), part.options().kind))
    reject({{.field = "scaling"},
            "common or window, because whole series are held out, and they have no statistics of their own",
            "\"series\""});
  if (scaling == Scaling::kWindow && kind != ScalerKind::kStandard)
    reject({{.field = "scaler"},
            fmt::format("standard, because {} takes mean and deviation", field_text("scaling", "window")),
            quote(to_string(kind))});
}

}  // namespace

Setting scaler_setting(ScalerKind& kind) {
  return {{"scaler",
           "S",
           "how channels are scaled, by statistics of the training part",
           {.choices = scaler_names(), .group = FieldGroup::kWindows}},
          choice_of(kind)};
}

const std::vector<std::string>& scaler_names() {
  static const std::vector<std::string> names = {"none", "standard", "min-max", "robust"};
  return names;
}

std::string to_string(ScalerKind kind) {
  return scaler_names()[static_cast<std::size_t>(kind)];
}

ScalerKind parse_scaler_kind(std::string_view name) {
  const std::vector<std::string>& names = scaler_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) reject({{.field = "scaler"}, "the name of a scaler", quote(name), suggest(name, names)});
  return static_cast<ScalerKind>(found - names.begin());
}

void scale_into(const Scale& scale, std::span<const float> samples, std::span<float> out) {
  const std::size_t channels = scale.shift.size();
  assert(samples.size() == out.size() && samples.size() % channels == 0);
  const float *shift = scale.shift.data(), *factor = scale.factor.data(), *in = samples.data();
  float* to = out.data();
  for (const float* end = in + samples.size(); in != end; in += channels, to += channels)
    for (std::size_t c = 0; c < channels; ++c) {
      const float scaled = (in[c] - shift[c]) * factor[c];
      to[c] = std::isnan(scaled) ? 0.0F : scaled;
    }
}

const std::vector<std::string>& scaling_names() {
  static const std::vector<std::string> names = {"auto", "common", "series", "window"};
  return names;
}

std::string to_string(Scaling scaling) {
  return scaling_names()[static_cast<std::size_t>(scaling)];
}

Setting scaling_setting(Scaling& scaling) {
  return {{"scaling",
           "WHOSE",
           "statistics that scale a window: of all training data (common), of its series, of the window itself; auto: "
           "common or window, by validation",
           {.choices = scaling_names(), .group = FieldGroup::kWindows}},
          choice_of(scaling)};
}

Scale window_scale(const Scale& common, std::span<const float> window) {
  Scale scale;
  for (std::size_t c = 0; c < common.shift.size(); ++c) {
    const auto [shift, factor] = channel_scale(common, window, c);
    scale.shift.push_back(shift);
    scale.factor.push_back(factor);
  }
  return scale;
}

void scale_window_into(const ScalerRecord& record, const Scale& of_series, std::span<const float> window,
                       std::span<float> out) {
  if (record.scaling != Scaling::kWindow) return scale_into(of_series, window, out);
  const std::size_t channels = record.common.shift.size();
  for (std::size_t c = 0; c < channels; ++c) {
    const auto [shift, factor] = channel_scale(record.common, window, c);
    for (std::size_t i = c; i < window.size(); i += channels)
      out[i] = std::isnan(window[i]) ? 0.0F : (window[i] - shift) * factor;
  }
}

bool has_own_statistics(const Dataset& dataset, SplitKind kind) {
  return (kind == SplitKind::kBlocked || kind == SplitKind::kRandom) && !dataset.has_series_labels();
}

bool is_former_scaling(Scaling scaling, const Dataset& dataset, SplitKind kind) {
  const bool own = has_own_statistics(dataset, kind);
  if (scaling == Scaling::kSeries) return own;
  return scaling != Scaling::kWindow && (!own || dataset.series.size() == 1);  // of one series, own is common
}

const Scale& Scaler::of(const std::string& series_name) const {
  const auto own = record_.by_series.find(series_name);
  return own == record_.by_series.end() ? record_.common : own->second;
}

Scaler fit_scaler(const TrainingPart& part, ScalerKind kind, Scaling scaling) {
  check_scaling(part, kind, scaling);
  const Dataset& dataset = part.dataset();
  const std::vector<Piece> pieces = without_overlaps(part.pieces());  // those of a random split overlap
  const std::vector<Extent> common = measure_channels(dataset, pieces, kind);
  ScalerRecord record{kind, make_scale(common, common), {}, scaling == Scaling::kAuto ? Scaling::kCommon : scaling};
  if (scaling == Scaling::kSeries) {
    std::map<std::string, std::vector<Piece>> by_name;
    for (const Piece& piece : pieces) by_name[dataset.series[piece.series].name].push_back(piece);
    for (const auto& [name, own] : by_name)
      record.by_series[name] = make_scale(measure_channels(dataset, own, kind), common);
  }
  Scaler scaler(std::move(record));
  scaler.split_id_ = part.split_id();
  return scaler;
}

}  // namespace faithful
