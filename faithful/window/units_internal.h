#pragma once

// The pieces that a split deals out: blocks of timelines, whole series, or windows.

#include <array>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <vector>

#include "faithful/base/random.h"
#include "faithful/window/split.h"

namespace faithful {

enum PartIndex : std::size_t { kTrainIndex, kValidationIndex, kTestIndex, kPartCount };

// Series that must stay together: they share a clock, and are cut at the same places.
struct SharedTimeline {
  std::vector<std::size_t> series;
  std::size_t length = 0;               // of the longest
  std::vector<std::uint8_t> anomalous;  // [length], in any of them; empty: no point labels
};

// What goes to one part as a whole.
struct Unit {
  std::size_t timeline = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t stratum = 0;    // class, or whether it holds an anomaly
  bool clear_before = false;  // the window's length before `begin` is free of anomalies ...
  bool clear_behind = false;  // ... and so is that after it
  PartIndex part = kTrainIndex;
};

// The timelines of the whole data set, or only of one of its own parts.
std::vector<SharedTimeline> make_timelines(const Dataset& dataset, const SplitOptions& options,
                                           std::optional<DataPart> only = {});

// The series that count as normal, each its own timeline; of a split of whole series only those of which nothing is in
// the held out parts.
std::vector<SharedTimeline> make_normal_timelines(
    const Dataset& dataset, const SplitOptions& options,
    std::initializer_list<std::reference_wrapper<const SplitPart>> held_out);

// Blocks of at least block_windows windows. A cut lies where a window's length on one side of it is free of anomalies,
// so that a gap can be taken there without touching an anomalous span. Series with one label are never cut.
std::vector<Unit> make_blocks(const Dataset& dataset, const std::vector<SharedTimeline>& timelines,
                              const SplitOptions& options);
std::vector<Unit> make_whole(const Dataset& dataset, const std::vector<SharedTimeline>& timelines);
std::vector<Unit> make_single_windows(const Dataset& dataset, const std::vector<SharedTimeline>& timelines,
                                      const SplitOptions& options, std::size_t window_length);

// How many of n go to each part: the nearest to the shares; with three or more, no part with a share stays empty.
std::array<std::size_t, kPartCount> apportion(std::size_t n, double train, double validation);

// Deals the units of each stratum out to the parts, by shares and in random order.
void deal_by_shares(std::vector<Unit>& units, double train, double validation, std::uint64_t seed);
// Deals the units out to the folds: the fold that validates, and the others.
void deal_by_folds(std::vector<Unit>& units, const SplitOptions& options);

// The pieces of a part: neighbours of the same part are joined, and between different parts a gap of `gap` samples is
// left out, on a side that is free of anomalies (of training data, where both are). What is left of a series is dropped
// where it is shorter than a window.
std::vector<Piece> joined_pieces(const Dataset& dataset, const std::vector<SharedTimeline>& timelines,
                                 const std::vector<Unit>& units, PartIndex part, std::size_t window_length);

// The pieces of a part as they are, one for each unit and series.
std::vector<Piece> single_pieces(const Dataset& dataset, const std::vector<SharedTimeline>& timelines,
                                 const std::vector<Unit>& units, PartIndex part);

}  // namespace faithful
