#include "faithful/data/dataset.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/number.h"
#include "faithful/data/readers_internal.h"

namespace faithful {
namespace {

bool same_number(float a, float b) {
  return a == b || (a != a && b != b);
}

void check_series(const Series& series, const Dataset& dataset) {
  const auto fail = [&](const char* what) {
    throw Error(fmt::format("series {} of {}: {}", quote(series.name), quote(dataset.name), what));
  };
  const std::size_t length = series.length();
  if (series.values.columns != dataset.channels.size()) fail("number of channels differs from the names'");
  if (series.values.values.size() != length * series.values.columns) fail("values do not fill the table");
  if (!series.times.empty() && series.times.size() != length) fail("times of another length");
  if (!std::ranges::is_sorted(series.times)) fail("times decrease");
  if (!series.labels.empty() && series.labels.size() != length) fail("labels of another length");
  if (std::ranges::any_of(series.labels, [](std::uint8_t label) { return label > 1; })) fail("a label above 1");
  if (series.label != kNoLabel &&
      (series.label < 0 || static_cast<std::size_t>(series.label) >= dataset.classes.size()))
    fail("class without a name");
  for (const LabelSpan& span : series.spans) {
    if (span.begin >= span.end || span.end > length) fail("a span outside the timeline");
    if (!span.channels.empty() && span.channels.back() >= dataset.channels.size()) fail("a span of an unknown channel");
  }
}

}  // namespace

std::string to_string(DataPart part) {
  switch (part) {
    case DataPart::kTrain:
      return "train";
    case DataPart::kTest:
      return "test";
    case DataPart::kNone:
      break;
  }
  return "";
}

bool Series::operator==(const Series& other) const {
  return name == other.name && part == other.part && values.rows == other.values.rows &&
         values.columns == other.values.columns &&
         std::ranges::equal(values.values, other.values.values, same_number) && times == other.times &&
         labels == other.labels && label == other.label && weight == other.weight && spans == other.spans;
}

bool Series::is_silent(std::size_t channel, const Range& samples) const {
  // The last span of the channel that begins there or before.
  const auto after = std::ranges::upper_bound(filled, std::pair(channel, samples.begin), {},
                                              [](const FilledSpan& one) { return std::pair(one.channel, one.begin); });
  if (after != filled.begin()) {
    const FilledSpan& last = *std::prev(after);
    if (last.channel == channel && last.end >= samples.end) return true;
  }
  for (std::size_t t = samples.begin; t < samples.end; ++t)
    if (!std::isnan(values(t, channel))) return false;
  return true;
}

std::size_t Dataset::rows() const {
  std::size_t rows = 0;
  for (const Series& each : series) rows += each.length();
  return rows;
}

std::string Dataset::place() const {
  return source.empty() ? name : source;
}

bool Dataset::has_point_labels() const {
  return std::ranges::any_of(series, [](const Series& each) { return !each.labels.empty(); });
}

bool Dataset::has_series_labels() const {
  return std::ranges::any_of(series, [](const Series& each) { return each.label != kNoLabel; });
}

bool Dataset::operator==(const Dataset& other) const {
  return name == other.name && channels == other.channels && classes == other.classes && rate == other.rate &&
         series == other.series;
}

std::vector<Piece> without_overlaps(std::span<const Piece> pieces) {
  std::vector<Piece> merged;
  for (const Piece& piece : pieces) {
    if (!merged.empty() && merged.back().series == piece.series && piece.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, piece.end);
    else
      merged.push_back(piece);
  }
  return merged;
}

std::vector<LabelSpan> spans_of(std::span<const std::uint8_t> labels) {
  std::vector<LabelSpan> spans;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == 0) continue;
    if (i == 0 || labels[i - 1] == 0) spans.push_back({{i, i}});
    spans.back().end = i + 1;
  }
  return spans;
}

std::vector<std::uint8_t> labels_of(std::span<const LabelSpan> spans, std::size_t length) {
  std::vector<std::uint8_t> labels(length, 0);
  for (const LabelSpan& span : spans)
    for (std::size_t i = span.begin; i < std::min(span.end, length); ++i) labels[i] = 1;
  return labels;
}

Dataset part_of(const Dataset& dataset, DataPart part) {
  Dataset result{dataset.name, dataset.channels, dataset.classes, {},
                 dataset.rate, dataset.source,   dataset.format,  dataset.notes};
  std::ranges::copy_if(dataset.series, std::back_inserter(result.series),
                       [&](const Series& each) { return each.part == part; });
  return result;
}

void check_dataset(const Dataset& dataset) {
  if (dataset.channels.empty()) throw Error(fmt::format("{} has no channels", quote(dataset.name)));
  for (const Series& series : dataset.series) check_series(series, dataset);
}

namespace {

// Names that somebody wrote in two ways: "fault" and "Fault", "1" and "1.0".
bool is_same_class(const std::string& a, const std::string& b) {
  const std::optional<double> x = parse_number<double>(a), y = parse_number<double>(b);
  return (a.size() > 1 && data::same_word(a, b)) || (x && y && *x == *y);  // a and A are two letters
}

}  // namespace

void check_names_of_classes(const std::vector<std::string>& classes, const Place& place) {
  std::set<std::string> seen;
  for (const std::string& name : classes) {
    if (name == "invalid")
      reject({place, "another name for a class", quote(name), "a prediction without a score is called so"});
    if (!seen.insert(name).second) reject({place, "another name for each class", quote(name) + " twice"});
  }
}

void check_spelling_of_classes(const std::vector<std::string>& classes, const Place& place) {
  for (std::size_t i = 0; i < classes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (is_same_class(classes[i], classes[j]))
        reject({place, "one name for each class", fmt::format("{} and {}", quote(classes[j]), quote(classes[i])),
                "spell a label the same everywhere"});
}

void check_classes(const Dataset& dataset) {
  std::set<std::int32_t> trained;
  for (const Series& series : dataset.series)
    if (series.part == DataPart::kTrain && series.label != kNoLabel) trained.insert(series.label);
  for (const Series& series : dataset.series) {
    if (trained.empty() || series.part != DataPart::kTest || series.label == kNoLabel || trained.contains(series.label))
      continue;
    reject({{dataset.place()},
            "every class of the test part in the training part",
            fmt::format("class {} in test only (series {})",
                        quote(dataset.classes.at(static_cast<std::size_t>(series.label))), quote(series.name))});
  }
}

std::vector<std::string> numbered_channels(std::size_t count) {
  std::vector<std::string> names(count);
  for (std::size_t c = 0; c < count; ++c) names[c] = fmt::format("channel_{}", c + 1);
  return names;
}

void take_columns(Dataset& dataset, const std::vector<std::size_t>& columns, const std::vector<std::string>& names) {
  const std::size_t to = columns.size(), from = dataset.channels.size();
  assert(to <= from && names.size() == to);
  dataset.channels = names;
  std::vector<std::size_t> same(from);
  std::iota(same.begin(), same.end(), std::size_t{0});
  if (columns == same) return;
  std::vector<float> row(from);
  for (Series& series : dataset.series) {
    std::vector<float>& values = series.values.values;
    for (std::size_t t = 0; t < series.length(); ++t) {  // a row is never written beyond where it was read
      std::copy_n(values.data() + t * from, from, row.data());
      for (std::size_t c = 0; c < to; ++c) values[t * to + c] = row[columns[c]];
    }
    values.resize(series.length() * to);
    series.values.columns = to;
    std::vector<FilledSpan> filled;
    for (std::size_t c = 0; c < to; ++c)
      for (const FilledSpan& span : series.filled)
        if (span.channel == columns[c]) filled.push_back({{span.begin, span.end}, c});
    series.filled = std::move(filled);
    for (LabelSpan& span : series.spans) {
      std::vector<std::size_t> channels;
      for (std::size_t c = 0; c < to; ++c)
        if (std::ranges::find(span.channels, columns[c]) != span.channels.end()) channels.push_back(c);
      span.channels = std::move(channels);
    }
  }
}

}  // namespace faithful
