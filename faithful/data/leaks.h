#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/threads.h"
#include "faithful/data/dataset.h"

// Channels that give the labels away: a second label column, a note of the repair crew, a column computed from the label.
// And channels that count the rows: in another file they mean nothing.

namespace faithful {

inline constexpr double kLeakArea = 0.99;        // an area above this is a leak
inline constexpr std::size_t kLeakShift = 100;   // samples that a column of two values may be before or after the label
inline constexpr std::size_t kMarkDistance = 5;  // samples that a mark of an event may be before or after it
// The number of events must make it unlikely that one of the unrelated channels is found: at most this probability,
// were events and stretches as long as an event independent of each other.
inline constexpr double kLeakChance = 0.01;

struct Leak {
  std::size_t channel = 0;
  bool equal = false;         // it has two values, and changes where the label does and nowhere else
  double area = 0;            // AUC-ROC of the channel alone; of 1 - AUC the larger one
  std::ptrdiff_t shift = 0;   // samples by which it comes after the label; negative: before it
  std::int32_t of_class = 1;  // the class that it separates from the others
  bool marks = false;         // it has two values, one of them only at events and at each of them: change points

  bool operator==(const Leak&) const = default;
};

// The channels that give the labels of these pieces away, in their order. Where points have labels: an area above
// kLeakArea; for channels of two values also against the label shifted by at most kLeakShift samples, and whether they
// mark each event: the rarer value comes with all events, and a share of kLeakArea of it within kMarkDistance samples of
// one. Where series have labels: the same of channels that are constant in each series or have two values in all, by
// their mean in each series; each class against the others.
FAITHFUL_API std::vector<Leak> find_leaks(const Dataset& dataset, std::span<const Piece> pieces, ThreadPool& pool);

// What was found, in words: `it equals the label, 5 samples later`.
FAITHFUL_API std::string leak_text(const Leak& leak, const std::vector<std::string>& classes);

// The same with the column, and what to do about it: a line for the user.
FAITHFUL_API std::string leak_warning(const Leak& leak, const Dataset& dataset);

// The channels that change by the same step from each row to the next, in every series: the index of a table, a number of
// seconds. None where no series has kCountedRows rows.
inline constexpr std::size_t kCountedRows = 20;
FAITHFUL_API std::vector<std::size_t> counting_channels(const Dataset& dataset);
FAITHFUL_API std::string counting_warning(std::size_t channel, const Dataset& dataset);

}  // namespace faithful
