// What must hold of every split, checked sample by sample, with none of the room's own machinery.

#include <algorithm>
#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "faithful/base/error.h"
#include "faithful/window/scale.h"
#include "faithful/window/windows.h"
#include "tests/window/random_data.h"

namespace faithful {
namespace {

using testing::random_case;
using testing::RandomCase;

constexpr int kCases = 1000;
constexpr int kNobody = -1;

const SplitPart& part_of_split(const Split& split, int part) {
  if (part == 0) return split.train();
  return part == 1 ? split.validation() : split.test();
}

// Whose each sample is, [series][time]; a complaint where it is two parts'.
std::string find_owners(const Split& split, std::vector<std::vector<int>>& owners) {
  for (const Series& series : split.dataset().series) owners.emplace_back(series.length(), kNobody);
  for (int part = 0; part < 3; ++part)
    for (const Piece& piece : part_of_split(split, part).pieces())
      for (std::size_t t = piece.begin; t < piece.end; ++t) {
        int& owner = owners[piece.series][t];
        if (owner != kNobody && owner != part) return "a sample is in two parts";
        owner = part;
      }
  return "";
}

// Between samples of different parts lies at least one window.
std::string check_gaps(const Split& split, const std::vector<std::vector<int>>& owners) {
  for (const auto& line : owners) {
    int last_owner = kNobody;
    std::size_t last = 0;
    for (std::size_t t = 0; t < line.size(); ++t) {
      if (line[t] == kNobody) continue;
      if (last_owner != kNobody && last_owner != line[t] && t - last - 1 < split.window_length())
        return "no gap of one window between parts";
      last_owner = line[t];
      last = t;
    }
  }
  return "";
}

std::string check_spans(const Split& split, const std::vector<std::vector<int>>& owners) {
  if (!split.options().together.empty()) return "";  // the tail of a shorter twin may be left out
  for (std::size_t i = 0; i < owners.size(); ++i)
    for (const LabelSpan& span : spans_of(split.dataset().series[i].labels))
      for (std::size_t t = span.begin; t < span.end; ++t)
        if (owners[i][t] == kNobody || owners[i][t] != owners[i][span.begin]) return "an anomalous span is cut";
  return "";
}

// Twins are in the same part at the same time (where both are used at all).
std::string check_twins(const Split& split, const std::vector<std::vector<int>>& owners) {
  if (split.options().together.empty()) return "";
  for (std::size_t t = 0; t < std::min(owners[0].size(), owners[1].size()); ++t)
    if (owners[0][t] != kNobody && owners[1][t] != kNobody && owners[0][t] != owners[1][t]) return "twins are parted";
  return "";
}

std::string check_windows(const Split& split, const WindowSets& sets) {
  const Windows* all[3] = {&sets.train, &sets.validation, &sets.test};
  std::set<std::vector<float>> seen[3];
  for (int part = 0; part < 3; ++part)
    for (std::size_t i = 0; i < all[part]->size(); ++i) {
      const Window& window = (*all[part])[i];
      const auto& pieces = part_of_split(split, part).pieces();
      const bool inside = std::any_of(pieces.begin(), pieces.end(), [&](const Piece& piece) {
        return piece.series == window.series && piece.begin <= window.begin &&
               window.begin + window.length <= piece.end;
      });
      if (!inside) return "a window reaches out of its part";
      const auto& values = split.dataset().series[window.series].values;
      const auto first = values.values.begin() + static_cast<std::ptrdiff_t>(window.begin * values.columns);
      seen[part].emplace(first, first + static_cast<std::ptrdiff_t>(window.length * values.columns));
    }
  for (int a = 0; a < 3; ++a)
    for (int b = a + 1; b < 3; ++b)
      for (const auto& content : seen[a])
        if (seen[b].count(content) > 0) return "the same content is in two parts";
  return "";
}

// The statistics do not change when everything outside the training part does.
std::string check_scaling(const RandomCase& made, const Split& split, const Scaler& scaler, Random& random) {
  Dataset spoilt = made.dataset;
  for (Series& series : spoilt.series)
    for (float& value : series.values.values) value = static_cast<float>(1e6 * random.normal());
  for (const Piece& piece : split.train().pieces())
    for (std::size_t t = piece.begin; t < piece.end; ++t)
      for (std::size_t c = 0; c < spoilt.channels.size(); ++c)
        spoilt.series[piece.series].values(t, c) = made.dataset.series[piece.series].values(t, c);
  const Split again(spoilt, made.options);
  if (again.id() != split.id()) return "the split depends on more than labels, lengths and seed";
  if (fit_scaler(again.train(), scaler.record().kind).record() != scaler.record())
    return "scaling depends on samples outside the training part";
  return "";
}

std::string check_pairing(const RandomCase& made, const Split& split, const WindowSets& sets) {
  const Split again(made.dataset, made.options);
  const DisjointnessProof other = cut_windows(again, fit_scaler(again.train())).proof;
  const bool same = again.id() == split.id() && other.train_digest == sets.proof.train_digest &&
                    other.validation_digest == sets.proof.validation_digest &&
                    other.test_digest == sets.proof.test_digest;
  return same ? "" : "the same seed gave another split";
}

// The first thing that does not hold; "" where all does.
std::string first_violation(const RandomCase& made, Random& random) {
  const Split split(made.dataset, made.options);
  const Scaler scaler = fit_scaler(split.train(), static_cast<ScalerKind>(1 + random.below(3)));
  const WindowSets sets = cut_windows(split, scaler);
  std::vector<std::vector<int>> owners;
  std::string found = find_owners(split, owners);
  if (found.empty()) found = check_gaps(split, owners);
  if (found.empty()) found = check_spans(split, owners);
  if (found.empty()) found = check_twins(split, owners);
  if (found.empty()) found = check_windows(split, sets);
  if (found.empty()) found = check_scaling(made, split, scaler, random);
  if (found.empty()) found = check_pairing(made, split, sets);
  if (found.empty() != sets.proof.holds()) found += " (and the proof says otherwise)";
  return found;
}

// Runs the check on `kCases` random data sets that can be split so; counts the violations.
int count_violations(SplitKind kind, bool overlapping, std::string& first) {
  Random random(17, static_cast<std::uint64_t>(kind));
  int violations = 0, refused = 0;
  for (int done = 0; done < kCases;) {
    RandomCase made = random_case(kind, random);
    if (overlapping) {
      made.options.window.length = 4 + random.below(9);
      made.options.window.stride = 1 + random.below(made.options.window.length / 2);
      for (Series& series : made.dataset.series)
        series = testing::random_series(series.name, 200 + random.below(300), made.dataset.channels.size(), random);
    }
    std::string violation;
    try {
      violation = first_violation(made, random);
    } catch (const InputError&) {  // one short timeline cannot be split
      EXPECT_LT(++refused, kCases) << "too many random cases are refused";
      continue;
    }
    if (!violation.empty()) ++violations;
    if (first.empty()) first = violation;
    ++done;
  }
  return violations;
}

TEST(Property, BlockedSplitsDoNotLeak) {
  std::string first;
  EXPECT_EQ(count_violations(SplitKind::kBlocked, false, first), 0) << first;
}

TEST(Property, SeriesSplitsDoNotLeak) {
  std::string first;
  EXPECT_EQ(count_violations(SplitKind::kSeries, false, first), 0) << first;
}

// The same check must be able to fail: overlapping windows of a random split share samples, every time.
TEST(Property, RandomSplitsOfOverlappingWindowsLeak) {
  std::string first;
  EXPECT_EQ(count_violations(SplitKind::kRandom, true, first), kCases);
  EXPECT_EQ(first, "a sample is in two parts");
}

}  // namespace
}  // namespace faithful
