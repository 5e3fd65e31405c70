#include "faithful/data/suspicions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <span>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/number.h"

namespace faithful {

namespace {

constexpr std::size_t kFewestRows = 100;

// The least and the greatest value of a channel; NaN counts as absent.
struct Extent {
  float low = std::numeric_limits<float>::infinity(), high = -low;
};

std::vector<Extent> extents_of(const Dataset& dataset) {
  std::vector<Extent> extents(dataset.channels.size());
  for (const Series& series : dataset.series)
    for (std::size_t t = 0; t < series.length(); ++t) {
      const std::span<const float> row = series.values.row(t);
      for (std::size_t c = 0; c < extents.size(); ++c) {  // comparisons with NaN are false
        extents[c].low = row[c] < extents[c].low ? row[c] : extents[c].low;
        extents[c].high = row[c] > extents[c].high ? row[c] : extents[c].high;
      }
    }
  return extents;
}

// ---- times

bool never_decreases(const Dataset& dataset, std::size_t channel) {
  for (const Series& series : dataset.series)
    for (std::size_t t = 1; t < series.length(); ++t)
      if (!(series.values(t, channel) >= series.values(t - 1, channel))) return false;
  return true;
}

// The unit in which the values lie from 2001 to 2065.
const char* unit_of_times(const Extent& extent) {
  double first = 1e9, last = 3e9;
  for (const char* unit : {"s", "ms", "us", "ns"}) {
    if (extent.low >= first && extent.high <= last && extent.high > extent.low) return unit;
    first *= 1e3, last *= 1e3;
  }
  return nullptr;
}

std::string times_text(const Dataset& dataset, std::size_t channel, const Extent& extent) {
  const char* unit = unit_of_times(extent);
  if (unit == nullptr || !never_decreases(dataset, channel)) return "";
  const std::string& name = dataset.channels[channel];
  return fmt::format(
      "column {} looks like times in {} since 1970, and is taken as a sensor (as the time: {}; to leave it out: {})",
      quote(name), unit, field_text("time", name), field_text("ignore", name));
}

// ---- marks of missing values

bool is_mark(float value) {
  constexpr float kMarks[] = {-99, -999, -9999, -99999, 999, 9999, 99999, 999999, -32768, 32767, 65535, -1e30F, 1e30F};
  return std::ranges::find(kMarks, value) != std::end(kMarks);
}

// The least or greatest value, if it is such a mark and as far from the others as all of these lie apart, three times.
std::string mark_text(const Dataset& dataset, std::size_t channel, const Extent& extent) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float mark : {extent.low, extent.high}) {
    if (!is_mark(mark)) continue;
    std::size_t count = 0;
    double least = kInfinity, most = -kInfinity;
    for (const Series& series : dataset.series)
      for (std::size_t t = 0; t < series.length(); ++t) {
        const float value = series.values(t, channel);
        if (value == mark)
          ++count;
        else if (!std::isnan(value))
          least = std::min<double>(least, value), most = std::max<double>(most, value);
      }
    const double distance = mark < least ? least - mark : mark - most;
    if (!(least <= most) || !(distance > 3 * (most - least)) || distance < 10) continue;
    return fmt::format(
        "{} is {:g} in {}, and {:g} to {:g} in all others: if it marks missing values, leave these cells empty",
        quote(dataset.channels[channel]), mark, counted(count, "row"), least, most);
  }
  return "";
}

// ---- several series in one table

// The values of a channel at one time.
std::set<float> values_at(const Series& series, std::size_t channel, std::size_t begin, std::size_t end) {
  std::set<float> values;
  for (std::size_t t = begin; t < end; ++t) values.insert(series.values(t, channel));
  return values;
}

bool tells_series_apart(const Series& series, std::size_t channel) {
  std::optional<std::set<float>> usual;
  for (std::size_t begin = 0; begin < series.length();) {
    std::size_t end = begin + 1;
    while (end < series.length() && series.times[end] == series.times[begin]) ++end;
    for (std::size_t t = begin; t < end; ++t)
      if (std::isnan(series.values(t, channel))) return false;  // they have no order
    std::set<float> values = values_at(series, channel, begin, end);
    if (values.size() < 2 || values.size() != end - begin || (usual && values != *usual)) return false;
    usual = std::move(values);
    begin = end;
  }
  return usual.has_value();
}

std::string series_text(const Dataset& dataset, std::size_t channel) {
  if (dataset.series.size() != 1 || dataset.series[0].times.empty()) return "";
  if (!tells_series_apart(dataset.series[0], channel)) return "";
  const std::string& name = dataset.channels[channel];
  return fmt::format(
      "column {} has each of its values once at each time: if it tells machines apart, {} makes a series of each",
      quote(name), field_text("series", name));
}

}  // namespace

std::vector<std::string> suspicions(const Dataset& dataset) {
  std::vector<std::string> found;
  if (dataset.rows() < kFewestRows) return found;
  const std::vector<Extent> extents = extents_of(dataset);
  for (std::size_t c = 0; c < extents.size(); ++c)
    for (const std::string& text :
         {times_text(dataset, c, extents[c]), mark_text(dataset, c, extents[c]), series_text(dataset, c)})
      if (!text.empty()) found.push_back(text);
  return found;
}

}  // namespace faithful
