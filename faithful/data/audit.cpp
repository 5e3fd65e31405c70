#include "faithful/data/audit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "faithful/base/random.h"
#include "faithful/base/threads.h"
#include "faithful/data/time_steps.h"
#include "faithful/data/times.h"

namespace faithful {
namespace {

using SeriesList = std::vector<const Series*>;

std::size_t median(std::vector<std::size_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Count, mean and squared deviations of values as they come (Welford).
struct Moments {
  std::size_t count = 0, missing = 0;
  bool between = false;  // a value is neither the lowest nor the highest
  double mean = 0, squares = 0;
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();

  void add(float value) {
    if (std::isnan(value)) {
      ++missing;
      return;
    }
    const double step = value - mean;
    mean += step / static_cast<double>(++count);
    squares += step * (value - mean);
    widen(value);
  }
  // To one more value. What was the lowest or the highest, and no longer is, lies between.
  void widen(double value) {
    const bool inside = low < high && value != low && value != high;
    between = between || inside;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // Of two disjoint sets (Chan, Golub, LeVeque 1979).
  void merge(const Moments& other) {
    missing += other.missing;
    if (other.count == 0) return;
    const auto n = static_cast<double>(count), m = static_cast<double>(other.count);
    const double step = other.mean - mean;
    squares += other.squares + step * step * n * m / (n + m);
    mean += step * m / (n + m);
    count += other.count;
    between = between || other.between;
    widen(other.low);
    widen(other.high);
  }
  double deviation() const { return count > 0 ? std::sqrt(squares / static_cast<double>(count)) : 0; }
};

using Table = std::vector<std::vector<Moments>>;  // [series, C]

Table moments_of(const SeriesList& list, std::size_t channels, ThreadPool& pool) {
  Table table(list.size(), std::vector<Moments>(channels));
  pool.run(list.size(), [&](std::size_t i) {
    for (std::size_t t = 0; t < list[i]->length(); ++t) {
      const std::span<const float> row = list[i]->values.row(t);
      for (std::size_t c = 0; c < channels; ++c) table[i][c].add(row[c]);
    }
  });
  return table;
}

void audit_channels(PartAudit& part, const Table& moments, const Dataset& dataset) {
  for (std::size_t c = 0; c < dataset.channels.size(); ++c) {
    Moments all;
    ChannelAudit channel{.name = dataset.channels[c]};
    for (const std::vector<Moments>& series : moments) {
      all.merge(series[c]);
      if (!(series[c].low < series[c].high)) ++channel.constant_series;
    }
    channel.missing = all.missing;
    channel.mean = all.mean;
    channel.deviation = all.deviation();
    channel.two_valued = all.low < all.high && !all.between;
    channel.low = all.count > 0 ? all.low : 0;
    channel.high = all.count > 0 ? all.high : 0;
    part.channels.push_back(std::move(channel));
  }
}

void audit_lengths(PartAudit& part, const SeriesList& list) {
  std::vector<std::size_t> lengths;
  for (const Series* series : list) lengths.push_back(series->length());
  part.series = list.size();
  part.rows = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
  part.shortest = *std::ranges::min_element(lengths);
  part.longest = *std::ranges::max_element(lengths);
  part.median_length = median(lengths);
}

void audit_rate(PartAudit& part, const SeriesList& list, double stated) {
  const StepSummary steps = summarize_steps(list);
  part.rate = steps.usual.sample > 0 ? 1 / steps.usual.sample : stated;
  part.uneven_steps = steps.uneven;
  part.gaps = steps.gaps;
  part.longest_gap = steps.longest_gap;
}

void audit_duplicates(PartAudit& part, const SeriesList& list) {
  std::map<std::uint64_t, SeriesList> by_hash;
  for (const Series* series : list) {
    const std::vector<float>& values = series->values.values;
    by_hash[stream_of({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)})].push_back(series);
  }
  for (const auto& [hash, same] : by_hash) {
    std::vector<std::string> names;
    for (const Series* series : same)
      if (series->values == same[0]->values) names.push_back(series->name);
    if (names.size() > 1) part.same_series.push_back(names);
  }
  std::ranges::sort(part.same_series);
}

void audit_spans(PartAudit& part, const SeriesList& list) {
  std::vector<std::size_t> lengths;
  std::array<double, 10> tenths{};
  double rows = 0;
  for (const Series* series : list) {
    for (const LabelSpan& span : series->spans) {
      part.spans_with_channels += span.channels.empty() ? 0 : 1;
      for (const std::size_t channel : span.channels) ++part.channels[channel].at_fault;
    }
    for (const LabelSpan& span : series->labels.empty() ? series->spans : spans_of(series->labels)) {
      lengths.push_back(span.length());
      rows += static_cast<double>(span.length());
      for (std::size_t t = span.begin; t < span.end; ++t) ++tenths[10 * t / series->length()];
    }
  }
  part.spans = lengths.size();
  if (lengths.empty()) return;
  part.shortest_span = *std::ranges::min_element(lengths);
  part.longest_span = *std::ranges::max_element(lengths);
  part.median_span = median(lengths);
  for (std::size_t i = 0; i < tenths.size(); ++i) part.where[i] = tenths[i] / rows;
}

// The largest deviation of a row from the mean over the channels, in standard deviations.
class RowScore {
 public:
  explicit RowScore(const std::vector<Moments>& moments) {
    for (const Moments& channel : moments) {
      mean_.push_back(channel.mean);
      scale_.push_back(channel.deviation() > 0 ? 1 / channel.deviation() : 0);
    }
  }
  float operator()(std::span<const float> row) const {
    double largest = 0;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const double score = std::abs(row[c] - mean_[c]) * scale_[c];
      if (score > largest) largest = score;  // not so where the value is missing
    }
    return static_cast<float>(largest);
  }

 private:
  std::vector<double> mean_, scale_;  // [C]
};

BaselineScore all_positive_score(std::size_t positives, std::size_t all) {
  const double share = static_cast<double>(positives) / static_cast<double>(all);
  return {share, 1, 2 * share / (1 + share)};
}

void audit_points(PartAudit& part, const SeriesList& list, const Table& moments, ThreadPool& pool) {
  std::vector<std::size_t> offsets;
  std::vector<std::uint8_t> truth;
  for (const Series* series : list) {
    offsets.push_back(truth.size());
    truth.insert(truth.end(), series->labels.begin(), series->labels.end());
  }
  part.labelled_rows = truth.size();
  part.anomalous_rows = static_cast<std::size_t>(std::ranges::count(truth, 1));
  if (part.anomalous_rows == 0) return;
  std::vector<float> scores(truth.size());
  pool.run(list.size(), [&](std::size_t i) {
    const RowScore score(moments[i]);
    for (std::size_t t = 0; t < list[i]->labels.size(); ++t) scores[offsets[i] + t] = score(list[i]->values.row(t));
  });
  part.largest_deviation = best_score(scores, truth);
  part.all_positive = all_positive_score(part.anomalous_rows, truth.size());
}

void audit_classes(PartAudit& part, const SeriesList& list, const Table& moments, const Dataset& dataset) {
  part.class_counts.assign(dataset.classes.size(), 0);
  std::size_t labelled = 0;
  for (const Series* series : list) {
    if (series->label == kNoLabel) continue;
    ++part.class_counts[static_cast<std::size_t>(series->label)];
    ++labelled;
  }
  if (labelled == 0) {
    part.class_counts.clear();
    return;
  }
  part.largest_class =
      static_cast<double>(*std::ranges::max_element(part.class_counts)) / static_cast<double>(labelled);
  if (dataset.classes.size() != 2 || part.class_counts[1] == 0) return;
  std::vector<Moments> all(dataset.channels.size());
  for (std::size_t c = 0; c < all.size(); ++c)
    for (const std::vector<Moments>& series : moments) all[c].merge(series[c]);
  const RowScore score(all);
  std::vector<float> scores;
  std::vector<std::uint8_t> truth;
  for (const Series* series : list) {
    if (series->label == kNoLabel) continue;
    float largest = 0;
    for (std::size_t t = 0; t < series->length(); ++t) largest = std::max(largest, score(series->values.row(t)));
    scores.push_back(largest);
    truth.push_back(static_cast<std::uint8_t>(series->label));
  }
  part.largest_deviation = best_score(scores, truth);
  part.all_positive = all_positive_score(part.class_counts[1], labelled);
}

PartAudit audit_part(const Dataset& dataset, DataPart which, const SeriesList& list, ThreadPool& pool) {
  PartAudit part;
  part.part = which;
  const Table moments = moments_of(list, dataset.channels.size(), pool);
  audit_lengths(part, list);
  audit_channels(part, moments, dataset);
  audit_rate(part, list, dataset.rate);
  audit_duplicates(part, list);
  audit_spans(part, list);
  audit_points(part, list, moments, pool);
  if (dataset.has_series_labels() && part.labelled_rows == 0) audit_classes(part, list, moments, dataset);
  std::vector<Piece> pieces;
  for (const Series* series : list)
    pieces.push_back({{0, series->length()}, static_cast<std::size_t>(series - dataset.series.data())});
  part.leaks = find_leaks(dataset, pieces, pool);
  part.counters = counting_channels(dataset);
  return part;
}

}  // namespace

std::optional<BaselineScore> best_score(const std::vector<float>& scores, const std::vector<std::uint8_t>& truth) {
  const auto positives = static_cast<std::size_t>(std::ranges::count(truth, 1));
  if (positives == 0) return std::nullopt;
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  BaselineScore best;
  std::size_t hits = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    hits += truth[order[i]];
    const bool is_threshold = i + 1 == order.size() || scores[order[i]] != scores[order[i + 1]];
    if (!is_threshold) continue;
    const double precision = static_cast<double>(hits) / static_cast<double>(i + 1);
    const double recall = static_cast<double>(hits) / static_cast<double>(positives);
    const double f1 = hits == 0 ? 0 : 2 * precision * recall / (precision + recall);
    if (f1 > best.f1) best = {precision, recall, f1};
  }
  return best;
}

Audit audit(const Dataset& dataset) {
  Audit result{dataset.name, dataset.source, dataset.format, dataset.channels, dataset.classes, dataset.notes, {}};
  ThreadPool pool;
  for (const DataPart part : {DataPart::kNone, DataPart::kTrain, DataPart::kTest}) {
    SeriesList list;
    for (const Series& series : dataset.series)
      if (series.part == part) list.push_back(&series);
    if (!list.empty()) result.parts.push_back(audit_part(dataset, part, list, pool));
  }
  return result;
}

}  // namespace faithful
