#include "faithful/data/suspicions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/number.h"

namespace faithful {

namespace {

constexpr std::size_t kFewestRows = 100;

// Calls look(value) for all values of a channel that are there.
template <class Look>
void for_each_value(const Dataset& dataset, std::size_t channel, Look look) {
  for (const Series& series : dataset.series)
    for (std::size_t t = 0; t < series.length(); ++t)
      if (const float value = series.values(t, channel); !std::isnan(value)) look(value);
}

// ---- times

bool never_decreases(const Dataset& dataset, std::size_t channel) {
  for (const Series& series : dataset.series)
    for (std::size_t t = 1; t < series.length(); ++t)
      if (!(series.values(t, channel) >= series.values(t - 1, channel))) return false;
  return true;
}

// The unit in which the values lie from 2001 to 2065.
const char* unit_of_times(const Dataset& dataset, std::size_t channel) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for_each_value(dataset, channel, [&](double value) { low = std::min(low, value), high = std::max(high, value); });
  if (!(high > low) || !never_decreases(dataset, channel)) return nullptr;
  double first = 1e9, last = 3e9;
  for (const char* unit : {"s", "ms", "us", "ns"}) {
    if (low >= first && high <= last) return unit;
    first *= 1e3, last *= 1e3;
  }
  return nullptr;
}

std::string times_text(const Dataset& dataset, std::size_t channel) {
  const char* unit = unit_of_times(dataset, channel);
  if (unit == nullptr) return "";
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
std::string mark_text(const Dataset& dataset, std::size_t channel) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  float low = kInfinity, high = -kInfinity;
  for_each_value(dataset, channel, [&](float value) { low = std::min(low, value), high = std::max(high, value); });
  for (const float mark : {low, high}) {
    if (!is_mark(mark)) continue;
    std::size_t count = 0;
    double least = kInfinity, most = -kInfinity;
    for_each_value(dataset, channel, [&](float value) {
      if (value == mark)
        ++count;
      else
        least = std::min<double>(least, value), most = std::max<double>(most, value);
    });
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
  for (std::size_t c = 0; c < dataset.channels.size(); ++c)
    for (const std::string& text : {times_text(dataset, c), mark_text(dataset, c), series_text(dataset, c)})
      if (!text.empty()) found.push_back(text);
  return found;
}

}  // namespace faithful
