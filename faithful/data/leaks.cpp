#include "faithful/data/leaks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"

namespace faithful {

namespace {

// Whether it is unlikely that one of `tries` unrelated columns picks the k of n things that the labels pick: of the
// n over k ways there is one.
bool is_no_chance(double n, double k, double tries) {
  double ways = 1;
  for (double i = 1; i <= k && ways * kLeakChance < tries; ++i) ways *= (n - k + i) / i;
  return ways * kLeakChance >= tries;
}

double larger_side(double area) {
  return std::max(area, 1 - area);
}

// ---- the area of numbers against truth

// Numbers of both kinds below, and pairs of a positive with a negative so far.
struct PairCount {
  double negatives = 0, positives = 0, wins = 0, ties = 0;

  void add(double negative, double positive) {  // of one value, or of values whose order is not known
    wins += positive * negatives;
    ties += positive * negative;
    negatives += negative;
    positives += positive;
  }
  double pairs() const { return negatives * positives; }
};

// The upper half of a number whose order is that of the floats.
std::uint16_t order_key(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits >> 31 != 0 ? ~bits : bits | 0x80000000U) >> 16);
}

// Whether the area may be above kLeakArea, or below its counterpart: by a count of rounded values, in linear time.
bool may_separate(const std::vector<float>& values, const std::vector<std::uint8_t>& truth) {
  std::vector<std::array<std::uint32_t, 2>> counts(std::size_t{1} << 16);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isnan(values[i])) ++counts[order_key(values[i])][truth[i]];
  PairCount all;
  for (const auto& [negative, positive] : counts) all.add(negative, positive);
  return all.wins + all.ties > kLeakArea * all.pairs() || all.wins < (1 - kLeakArea) * all.pairs();
}

// AUC-ROC, ties counted half; none without positives or negatives. NaN counts for nothing.
std::optional<double> area_of(const std::vector<float>& values, const std::vector<std::uint8_t>& truth) {
  std::vector<std::pair<float, std::uint8_t>> sorted;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isnan(values[i])) sorted.emplace_back(values[i], truth[i]);
  std::ranges::sort(sorted);
  PairCount all;
  for (auto from = sorted.begin(); from != sorted.end();) {
    const auto to = std::find_if(from, sorted.end(), [&](const auto& one) { return one.first != from->first; });
    const auto positive = static_cast<double>(std::count_if(from, to, [](const auto& one) { return one.second != 0; }));
    all.add(static_cast<double>(to - from) - positive, positive);
    from = to;
  }
  if (all.pairs() == 0) return std::nullopt;
  return (all.wins + all.ties / 2) / all.pairs();
}

// The two values of a column, lower first; none where it has one, or more than two, or gaps.
std::optional<std::pair<float, float>> two_values(const std::vector<float>& values) {
  if (values.empty()) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(values);
  const auto other = [low = low, high = high](float value) { return value != low && value != high; };
  if (low == high || std::ranges::any_of(values, other)) return std::nullopt;
  return std::pair(low, high);
}

// ---- labels of points

// The labelled samples, one piece after the other.
struct LabelledPoints {
  std::vector<Piece> pieces;                  // that have labels
  std::vector<std::vector<LabelSpan>> spans;  // anomalous, of each piece, from its begin
  std::vector<std::uint8_t> truth;            // [n], of all pieces
  std::size_t events = 0, anomalous = 0;

  LabelledPoints(const Dataset& dataset, std::span<const Piece> all) {
    for (const Piece& piece : without_overlaps(all)) {
      const std::vector<std::uint8_t>& labels = dataset.series[piece.series].labels;
      if (labels.empty()) continue;
      const auto own = std::span(labels).subspan(piece.begin, piece.length());
      truth.insert(truth.end(), own.begin(), own.end());
      pieces.push_back(piece);
      spans.push_back(spans_of(own));
      events += spans.back().size();
    }
    anomalous = static_cast<std::size_t>(std::ranges::count(truth, 1));
  }

  bool has_both() const { return anomalous > 0 && anomalous < truth.size(); }

  // Normal stretches count as long as the mean event.
  bool are_enough(double tries) const {
    const auto count = static_cast<double>(events), rows = static_cast<double>(anomalous);
    const double normal = (static_cast<double>(truth.size()) - rows) * count / rows;
    return is_no_chance(count + normal, count, tries);
  }
};

// Some channels, each in a stretch of memory of its own: a row is read once for all of them.
std::vector<std::vector<float>> columns_of(const Dataset& dataset, const LabelledPoints& points, std::size_t first,
                                           std::size_t count) {
  std::vector<std::vector<float>> columns(count, std::vector<float>(points.truth.size()));
  std::size_t row = 0;
  for (const Piece& piece : points.pieces)
    for (std::size_t t = piece.begin; t < piece.end; ++t, ++row) {
      const std::span<const float> values = dataset.series[piece.series].values.row(t).subspan(first, count);
      for (std::size_t c = 0; c < count; ++c) columns[c][row] = values[c];
    }
  return columns;
}

// How a column of two values, 1 or 0, agrees with the label that is shifted, where both are known.
struct Agreement {
  double rows = 0, high = 0, anomalous = 0, both = 0, changes = 0;

  double area() const {
    const double normal = rows - anomalous;
    if (anomalous == 0 || normal == 0) return 0.5;
    return 0.5 + (both / anomalous - (high - both) / normal) / 2;
  }
  bool equal() const { return (both == anomalous && high == anomalous) || (both == 0 && high == rows - anomalous); }
};

// Sums of a column of ones and zeros make it linear in the number of spans.
Agreement agreement_of(const LabelledPoints& points, const std::vector<double>& sums, std::ptrdiff_t shift) {
  Agreement found;
  std::size_t offset = 0;  // of the piece
  for (std::size_t i = 0; i < points.pieces.size(); offset += points.pieces[i++].length()) {
    const auto length = static_cast<std::ptrdiff_t>(points.pieces[i].length());
    const std::ptrdiff_t first = std::max<std::ptrdiff_t>(0, shift), last = length + std::min<std::ptrdiff_t>(0, shift);
    const auto sum = [&](std::ptrdiff_t from, std::ptrdiff_t to) {
      return sums[offset + static_cast<std::size_t>(to)] - sums[offset + static_cast<std::size_t>(from)];
    };
    if (first >= last) continue;
    found.rows += static_cast<double>(last - first);
    found.high += sum(first, last);
    for (const LabelSpan& span : points.spans[i]) {
      const std::ptrdiff_t begin = std::max(first, static_cast<std::ptrdiff_t>(span.begin) + shift);
      const std::ptrdiff_t end = std::min(last, static_cast<std::ptrdiff_t>(span.end) + shift);
      if (begin >= end) continue;
      found.anomalous += static_cast<double>(end - begin);
      found.both += sum(begin, end);
      found.changes += (begin > first ? 1 : 0) + (end < last ? 1 : 0);
    }
  }
  return found;
}

// A column that has its rarer value only at events, and at each of them: change points, or an alarm that begins late and
// ends early. A window with such a mark is anomalous, though the area over single points is small.
std::optional<Leak> find_marks(const LabelledPoints& points, const std::vector<double>& sums, std::size_t channels) {
  const auto rows = static_cast<double>(points.truth.size()), events = static_cast<double>(points.events);
  const bool high_is_rare = 2 * sums.back() <= rows;
  const auto marks_in = [&](std::size_t from, std::size_t to) {
    const double high = sums[to] - sums[from];
    return high_is_rare ? high : static_cast<double>(to - from) - high;
  };
  double inside = 0, near = 0;  // marks, and rows, within kMarkDistance of an event
  std::size_t offset = 0;       // of the piece
  for (std::size_t i = 0; i < points.pieces.size(); offset += points.pieces[i++].length()) {
    std::size_t before = 0;  // end of the event before
    for (const LabelSpan& span : points.spans[i]) {
      const std::size_t begin = std::max(before, span.begin - std::min(span.begin, kMarkDistance));
      const std::size_t end = std::min(span.end + kMarkDistance, points.pieces[i].length());
      const double marks = marks_in(offset + begin, offset + end);
      if (marks == 0) return std::nullopt;
      inside += marks;
      near += static_cast<double>(end - begin);
      before = end;
    }
  }
  const double normal = (rows - near) * events / near;  // stretches as long as an event
  if (inside < kLeakArea * marks_in(0, points.truth.size())) return std::nullopt;
  if (!is_no_chance(events + normal, events, 2.0 * static_cast<double>(channels))) return std::nullopt;
  return Leak{.area = larger_side(agreement_of(points, sums, 0).area()), .marks = true};
}

// Where a column of two values has the higher one: [n + 1] sums, exact.
std::vector<double> sums_of(const std::vector<float>& column, float high) {
  std::vector<double> sums(column.size() + 1, 0);
  for (std::size_t i = 0; i < column.size(); ++i) sums[i + 1] = sums[i] + (column[i] == high ? 1 : 0);
  return sums;
}

// Against the label before, at and after its place: nearest shift first, an equal one before all others.
std::optional<Leak> find_shifted(const LabelledPoints& points, const std::vector<double>& sums, std::size_t channels) {
  constexpr auto kMost = static_cast<std::ptrdiff_t>(kLeakShift);
  const double tries = 2.0 * static_cast<double>(channels) * (2 * static_cast<double>(kLeakShift) + 1);
  const bool enough = points.are_enough(tries);
  std::optional<Leak> best;
  for (std::ptrdiff_t distance = 0; distance <= kMost; ++distance)
    for (const std::ptrdiff_t shift : {distance, -distance}) {
      const Agreement found = agreement_of(points, sums, shift);
      if (found.changes >= 2 && found.equal() && is_no_chance(found.rows, found.changes, tries))
        return Leak{.equal = true, .area = 1, .shift = shift};
      const double area = larger_side(found.area());
      if (shift != 0 && enough && area > kLeakArea && (!best || area > best->area))
        best = {.area = area, .shift = shift};
    }
  return best;
}

std::optional<Leak> find_point_leak(const LabelledPoints& points, const std::vector<float>& column,
                                    std::size_t channels) {
  std::optional<Leak> shifted, marks;
  if (const auto values = two_values(column)) {
    const std::vector<double> sums = sums_of(column, values->second);
    shifted = find_shifted(points, sums, channels);
    if (!shifted) marks = find_marks(points, sums, channels);
  }
  if (shifted && shifted->equal) return shifted;
  if (points.are_enough(2.0 * static_cast<double>(channels)) && may_separate(column, points.truth)) {
    const std::optional<double> area = area_of(column, points.truth);
    if (area && larger_side(*area) > kLeakArea) return Leak{.area = larger_side(*area)};
  }
  return shifted ? shifted : marks;
}

// ---- labels of series

// The mean of a channel in each series; none where it changes in a series and has more than two values in all.
std::optional<std::vector<float>> values_of_series(const Dataset& dataset, const std::vector<Piece>& pieces,
                                                   std::size_t channel) {
  std::vector<float> means;
  std::vector<float> distinct;  // at most three
  bool constant = true;
  for (const Piece& piece : pieces) {
    const Matrix<float>& values = dataset.series[piece.series].values;
    const float first = values(piece.begin, channel);
    double off = 0;  // of the first value
    for (std::size_t t = piece.begin; t < piece.end; ++t) {
      const float value = values(t, channel);
      off += static_cast<double>(value) - first;
      constant = constant && value == first;
      if (distinct.size() < 3 && std::ranges::find(distinct, value) == distinct.end()) distinct.push_back(value);
      if (!constant && distinct.size() > 2) return std::nullopt;
    }
    means.push_back(static_cast<float>(first + off / static_cast<double>(piece.length())));
  }
  return means;
}

std::optional<Leak> find_series_leak(const Dataset& dataset, const std::vector<Piece>& pieces, std::size_t channel) {
  const std::optional<std::vector<float>> values = values_of_series(dataset, pieces, channel);
  if (!values) return std::nullopt;
  const std::size_t classes = dataset.classes.size();
  const double tries = 2.0 * static_cast<double>(dataset.channels.size() * classes);
  std::optional<Leak> best;
  for (std::size_t k = classes == 2 ? 1 : 0; k < classes; ++k) {
    std::vector<std::uint8_t> truth;
    for (const Piece& piece : pieces)
      truth.push_back(dataset.series[piece.series].label == static_cast<std::int32_t>(k) ? 1 : 0);
    const auto count = static_cast<double>(std::ranges::count(truth, 1)), all = static_cast<double>(truth.size());
    const std::optional<double> area = area_of(*values, truth);
    if (!area || larger_side(*area) <= kLeakArea || !is_no_chance(all, count, tries)) continue;
    if (!best || larger_side(*area) > best->area)
      best = {.area = larger_side(*area), .of_class = static_cast<std::int32_t>(k)};
  }
  return best;
}

}  // namespace

std::vector<Leak> find_leaks(const Dataset& dataset, std::span<const Piece> pieces, ThreadPool& pool) {
  const LabelledPoints points(dataset, pieces);
  std::vector<Piece> series;
  for (const Piece& piece : without_overlaps(pieces))
    if (points.pieces.empty() && piece.length() > 0 && dataset.series[piece.series].label != kNoLabel)
      series.push_back(piece);
  if (!points.has_both() && series.empty()) return {};
  const std::size_t channels = dataset.channels.size();
  std::vector<std::optional<Leak>> found(channels);
  constexpr std::size_t kTogether = 8;
  pool.run((channels + kTogether - 1) / kTogether, [&](std::size_t group) {
    const std::size_t first = group * kTogether, count = std::min(kTogether, channels - first);
    const auto columns = series.empty() ? columns_of(dataset, points, first, count) : std::vector<std::vector<float>>();
    for (std::size_t c = 0; c < count; ++c)
      found[first + c] =
          series.empty() ? find_point_leak(points, columns[c], channels) : find_series_leak(dataset, series, first + c);
  });
  std::vector<Leak> leaks;
  for (std::size_t c = 0; c < found.size(); ++c) {
    if (!found[c]) continue;
    leaks.push_back(*found[c]);
    leaks.back().channel = c;
  }
  return leaks;
}

std::string leak_text(const Leak& leak, const std::vector<std::string>& classes) {
  const auto distance = leak.shift < 0 ? -leak.shift : leak.shift;
  const std::string when = leak.shift == 0 ? ""
                                           : fmt::format(", {} {} {}", distance, distance == 1 ? "sample" : "samples",
                                                         leak.shift > 0 ? "later" : "earlier");
  if (leak.equal) return fmt::format("it equals the label{}", when);
  if (leak.marks) return "one of its two values comes with every event, and only there";
  const std::string& name = classes[static_cast<std::size_t>(leak.of_class)];
  const std::string others = classes.size() == 2 ? quote(classes[leak.of_class == 1 ? 0 : 1]) : "the others";
  return fmt::format("it alone separates {} from {}{} (AUC {:.3f})", quote(name), others, when, leak.area);
}

namespace {

// How to leave a column out.
std::string out_text(const Dataset& dataset, const std::string& name) {
  const bool by_name = dataset.format.starts_with("csv") && !name.empty();
  return by_name ? ": " + field_text("ignore", name) : " of the data";
}

// The step from each row to the next, where it is the same everywhere, up to the rounding of float; 0: it is not.
double step_of(const Dataset& dataset, std::size_t channel) {
  double step = 0;
  for (const Series& series : dataset.series) {
    for (std::size_t t = 1; t < series.length(); ++t) {
      const double before = series.values(t - 1, channel), after = series.values(t, channel);
      if (step == 0) step = after - before;
      const double rounding = 2 * std::numeric_limits<float>::epsilon() * (std::abs(before) + std::abs(after));
      if (step == 0 || !(std::abs(after - before - step) <= rounding)) return 0;
      if (rounding > 0.5 * std::abs(step)) return 0;  // too coarse to tell
    }
  }
  return step;
}

}  // namespace

std::vector<std::size_t> counting_channels(const Dataset& dataset) {
  std::vector<std::size_t> counting;
  const bool enough = std::ranges::any_of(dataset.series, [](const Series& s) { return s.length() >= kCountedRows; });
  for (std::size_t c = 0; enough && c < dataset.channels.size(); ++c)
    if (step_of(dataset, c) != 0) counting.push_back(c);
  return counting;
}

std::string counting_warning(std::size_t channel, const Dataset& dataset) {
  const std::string& name = dataset.channels[channel];
  return fmt::format(
      "column {} changes by the same step in every row, as a row number does. If it is no reading, leave it "
      "out{}",
      quote(name), out_text(dataset, name));
}

std::string leak_warning(const Leak& leak, const Dataset& dataset) {
  const std::string& name = dataset.channels[leak.channel];
  const std::string out = out_text(dataset, name);
  return fmt::format(
      "column {} {} the labels away: {}. If it was made from the labels, or is not known when you predict, leave it "
      "out{}",
      quote(name), leak.equal ? "gives" : "may give", leak_text(leak, dataset.classes), out);
}

}  // namespace faithful
