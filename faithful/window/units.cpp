#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "faithful/window/units_internal.h"

namespace faithful {

namespace {

// The stratum of a timeline's samples begin .. end-1: its class, or whether it holds an anomaly.
std::size_t stratum_of(const Dataset& dataset, const SharedTimeline& timeline, std::size_t begin, std::size_t end) {
  const Series& first = dataset.series[timeline.series.front()];
  if (timeline.anomalous.empty()) return first.label == kNoLabel ? 0 : static_cast<std::size_t>(first.label);
  const auto from = timeline.anomalous.begin();
  return std::any_of(from + static_cast<std::ptrdiff_t>(begin), from + static_cast<std::ptrdiff_t>(end),
                     [](std::uint8_t point) { return point != 0; })
             ? 1
             : 0;
}

bool is_cuttable(const Dataset& dataset, const SharedTimeline& timeline) {
  return dataset.series[timeline.series.front()].label == kNoLabel;
}

void add_blocks(const Dataset& dataset, const std::vector<SharedTimeline>& timelines, std::size_t index,
                const SplitOptions& options, std::vector<Unit>& blocks) {
  const SharedTimeline& timeline = timelines[index];
  const std::size_t n = timeline.length, window = options.window.length;
  std::vector<std::size_t> anomalies(n + 1, 0);  // how many before each place
  for (std::size_t t = 0; t < n; ++t)
    anomalies[t + 1] = anomalies[t] + (timeline.anomalous.empty() ? 0U : timeline.anomalous[t]);
  const auto clear = [&](std::size_t begin, std::size_t end) { return anomalies[begin] == anomalies[end]; };

  const std::size_t shortest = options.block_windows * window;
  Unit block{.timeline = index};
  for (std::size_t cut = shortest; cut + shortest <= n; ++cut) {
    const bool before = clear(cut - window, cut), behind = clear(cut, cut + window);
    if (cut - block.begin < shortest || !(before || behind)) continue;
    block.end = cut;
    block.stratum = stratum_of(dataset, timeline, block.begin, block.end);
    blocks.push_back(block);
    block = {.timeline = index, .begin = cut, .clear_before = before, .clear_behind = behind};
  }
  block.end = n;
  block.stratum = stratum_of(dataset, timeline, block.begin, block.end);
  blocks.push_back(block);
}

// Samples begin .. end-1 of each series of the timeline, where there is at least a window's length of them (or all that
// the series has).
void add_pieces(const Dataset& dataset, const SharedTimeline& timeline, std::size_t begin, std::size_t end,
                std::size_t window_length, std::vector<Piece>& pieces) {
  for (const std::size_t series : timeline.series) {
    const std::size_t length = dataset.series[series].length(), stop = std::min(end, length);
    if (begin < stop && stop - begin >= std::min(window_length, length)) pieces.push_back({{begin, stop}, series});
  }
}

std::vector<Piece> in_order(std::vector<Piece> pieces) {
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return std::pair(a.series, a.begin) < std::pair(b.series, b.begin); });
  return pieces;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Units by stratum, each in random order.
std::map<std::size_t, std::vector<Unit*>> shuffled_strata(std::vector<Unit>& units, std::uint64_t seed) {
  std::map<std::size_t, std::vector<Unit*>> strata;
  for (Unit& unit : units) strata[unit.stratum].push_back(&unit);
  Random random(seed, stream_of("window.split"));
  for (auto& [stratum, members] : strata) random.shuffle(std::span(members));
  return strata;
}

}  // namespace

std::vector<SharedTimeline> make_timelines(const Dataset& dataset, const SplitOptions& options,
                                           std::optional<DataPart> only) {
  std::map<std::string, std::size_t> group_of;  // a series' name -> its group
  for (std::size_t group = 0; group < options.together.size(); ++group)
    for (const std::string& name : options.together[group]) group_of[name] = group;
  std::map<std::size_t, std::size_t> timeline_of;  // a group -> its timeline

  std::vector<SharedTimeline> timelines;
  for (std::size_t i = 0; i < dataset.series.size(); ++i) {
    const Series& series = dataset.series[i];
    if (only && series.part != *only) continue;
    if (counts_as_normal(dataset, options, series)) continue;
    if (options.labelled_only && series.labels.empty() && series.label == kNoLabel) continue;
    if (series.length() == 0 || has(options.leave_out, series.name)) continue;
    const auto group = group_of.find(series.name);
    std::size_t index = timelines.size();
    if (group != group_of.end()) index = timeline_of.try_emplace(group->second, index).first->second;
    if (index == timelines.size()) timelines.emplace_back();
    SharedTimeline& timeline = timelines[index];
    timeline.series.push_back(i);
    timeline.length = std::max(timeline.length, series.length());
    if (series.labels.empty()) continue;
    timeline.anomalous.resize(std::max(timeline.anomalous.size(), timeline.length), 0);
    for (std::size_t t = 0; t < series.length(); ++t) timeline.anomalous[t] |= series.labels[t];
  }
  for (SharedTimeline& timeline : timelines)
    if (!timeline.anomalous.empty()) timeline.anomalous.resize(timeline.length, 0);
  return timelines;
}

std::vector<SharedTimeline> make_normal_timelines(
    const Dataset& dataset, const SplitOptions& options,
    std::initializer_list<std::reference_wrapper<const SplitPart>> held_out) {
  std::vector<std::string> out = options.leave_out;
  if (options.kind == SplitKind::kSeries) {
    for (const SplitPart& part : held_out)
      for (const Piece& piece : part.pieces()) {
        const std::string& name = dataset.series[piece.series].name;
        out.push_back(name);
        for (const std::vector<std::string>& group : options.together)
          if (has(group, name)) out.insert(out.end(), group.begin(), group.end());
      }
  }
  std::vector<SharedTimeline> timelines;
  for (std::size_t i = 0; i < dataset.series.size(); ++i) {
    const Series& series = dataset.series[i];
    if (counts_as_normal(dataset, options, series) && series.length() > 0 && !has(out, series.name))
      timelines.push_back({.series = {i}, .length = series.length(), .anomalous = {}});
  }
  return timelines;
}

std::vector<Unit> make_whole(const Dataset& dataset, const std::vector<SharedTimeline>& timelines) {
  std::vector<Unit> units;
  for (std::size_t i = 0; i < timelines.size(); ++i) {
    const std::size_t length = timelines[i].length;
    units.push_back({.timeline = i, .end = length, .stratum = stratum_of(dataset, timelines[i], 0, length)});
  }
  return units;
}

std::vector<Unit> make_blocks(const Dataset& dataset, const std::vector<SharedTimeline>& timelines,
                              const SplitOptions& options) {
  if (options.window.length == 0) return make_whole(dataset, timelines);
  std::vector<Unit> blocks;
  for (std::size_t i = 0; i < timelines.size(); ++i) {
    if (is_cuttable(dataset, timelines[i])) {
      add_blocks(dataset, timelines, i, options, blocks);
    } else {
      const std::size_t length = timelines[i].length;
      blocks.push_back({.timeline = i, .end = length, .stratum = stratum_of(dataset, timelines[i], 0, length)});
    }
  }
  return blocks;
}

std::vector<Unit> make_single_windows(const Dataset& dataset, const std::vector<SharedTimeline>& timelines,
                                      const SplitOptions& options, std::size_t window_length) {
  std::vector<Unit> units;
  for (std::size_t i = 0; i < timelines.size(); ++i) {
    const std::size_t count = count_windows(timelines[i].length, options.window, window_length);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t begin = k * options.window.stride;
      const std::size_t end = std::min(begin + window_length, timelines[i].length);
      std::size_t stratum = 0;
      for (const std::size_t member : timelines[i].series) {
        const Series& series = dataset.series[member];
        if (begin >= series.length()) continue;
        const std::int32_t label =
            window_label(series, begin, std::min(end, series.length()), options.window.label_rule);
        stratum = std::max(stratum, label == kNoLabel ? 0 : static_cast<std::size_t>(label));
      }
      units.push_back({.timeline = i, .begin = begin, .end = end, .stratum = stratum});
    }
  }
  return units;
}

std::array<std::size_t, kPartCount> apportion(std::size_t n, double train, double validation) {
  const std::array<double, kPartCount> shares = {train, validation, std::max(0.0, 1 - train - validation)};
  std::array<std::size_t, kPartCount> counts = {};
  std::size_t dealt = 0, positive = 0;
  for (std::size_t part = 0; part < kPartCount; ++part) {
    counts[part] = static_cast<std::size_t>(shares[part] * static_cast<double>(n) + 1e-9);
    dealt += counts[part];
    if (shares[part] > 1e-12) ++positive;
  }
  const auto missing = [&](std::size_t part) {
    return shares[part] * static_cast<double>(n) - static_cast<double>(counts[part]);
  };
  for (; dealt < n; ++dealt) {  // the largest remainder first
    std::size_t next = 0;
    for (std::size_t part = 1; part < kPartCount; ++part)
      if (missing(part) > missing(next) + 1e-12) next = part;
    ++counts[next];
  }
  for (const PartIndex part : {kTestIndex, kValidationIndex}) {  // test comes first where there are only two
    const bool enough = n >= positive || (n == 2 && part == kTestIndex);
    std::size_t& largest = *std::max_element(counts.begin(), counts.end());
    if (shares[part] > 1e-12 && counts[part] == 0 && enough && largest > 1) --largest, ++counts[part];
  }
  return counts;
}

void deal_by_shares(std::vector<Unit>& units, double train, double validation, std::uint64_t seed) {
  for (auto& [stratum, members] : shuffled_strata(units, seed)) {
    const auto counts = apportion(members.size(), train, validation);
    for (std::size_t i = 0; i < members.size(); ++i)
      members[i]->part = i < counts[kTrainIndex]                              ? kTrainIndex
                         : i < counts[kTrainIndex] + counts[kValidationIndex] ? kValidationIndex
                                                                              : kTestIndex;
  }
}

void deal_by_folds(std::vector<Unit>& units, const SplitOptions& options) {
  std::size_t next_fold = 0;  // runs on over the strata, so that folds are of equal size
  for (auto& [stratum, members] : shuffled_strata(units, options.seed))
    for (Unit* unit : members)
      unit->part = next_fold++ % options.folds == options.fold ? kValidationIndex : kTrainIndex;
}

std::vector<Piece> joined_pieces(const Dataset& dataset, const std::vector<SharedTimeline>& timelines,
                                 const std::vector<Unit>& units, PartIndex part, std::size_t window_length) {
  std::vector<Piece> pieces;
  // Whether the gap before units[i] is taken from its beginning, or else from the end of its neighbour.
  const auto takes_gap = [&](std::size_t i) {
    if (units[i].clear_before != units[i].clear_behind) return units[i].clear_behind;
    return units[i].part == kTrainIndex && units[i - 1].part != kTrainIndex;
  };
  const auto touch = [&](std::size_t i) {  // units[i] begins where units[i - 1] ends
    return i > 0 && i < units.size() && units[i].timeline == units[i - 1].timeline;
  };
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i].part != part) continue;
    std::size_t begin = units[i].begin;
    if (touch(i) && takes_gap(i)) begin += window_length;
    while (touch(i + 1) && units[i + 1].part == part) ++i;
    std::size_t end = units[i].end;
    if (touch(i + 1) && !takes_gap(i + 1)) end -= window_length;
    add_pieces(dataset, timelines[units[i].timeline], begin, end, window_length, pieces);
  }
  return in_order(std::move(pieces));
}

std::vector<Piece> single_pieces(const Dataset& dataset, const std::vector<SharedTimeline>& timelines,
                                 const std::vector<Unit>& units, PartIndex part) {
  std::vector<Piece> pieces;
  for (const Unit& unit : units)
    if (unit.part == part)
      add_pieces(dataset, timelines[unit.timeline], unit.begin, unit.end, unit.end - unit.begin, pieces);
  return in_order(std::move(pieces));
}

}  // namespace faithful
