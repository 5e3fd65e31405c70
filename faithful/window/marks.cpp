#include "faithful/window/marks.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "faithful/base/random.h"
#include "faithful/window/proof_internal.h"

namespace faithful {

namespace {

constexpr std::size_t kMostMarks = 128, kLongestStretch = 16, kShortestStretch = 4;

bool never_changes(const Series& series, const Window& stretch) {
  const std::span<const float> first = series.values.row(stretch.begin);
  for (std::size_t t = 1; t < stretch.length; ++t)
    if (!std::ranges::equal(series.values.row(stretch.begin + t), first)) return false;
  return true;
}

// The samples of the windows, each once.
std::vector<Piece> pieces_of(const Windows& windows) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < windows.size(); ++i)
    pieces.push_back({{windows[i].begin, windows[i].begin + windows[i].length}, windows[i].series});
  std::ranges::sort(pieces, {}, [](const Piece& one) { return std::pair(one.series, one.begin); });
  return without_overlaps(pieces);
}

// How often each stretch of the marks stands in the pieces.
std::unordered_map<std::uint64_t, std::size_t> count_found(const ContentMarks& marks, const WindowHashes& hashes,
                                                           std::span<const Piece> pieces) {
  std::unordered_map<std::uint64_t, std::size_t> counts;
  for (const std::uint64_t digest : marks.digests) counts[digest] = 0;
  for (const Piece& piece : pieces)
    for (std::size_t t = piece.begin; t + marks.length <= piece.end; ++t) {
      const auto found = counts.find(hashes.of({.series = static_cast<std::uint32_t>(piece.series),
                                                .begin = static_cast<std::uint32_t>(t),
                                                .length = static_cast<std::uint32_t>(marks.length)}));
      if (found != counts.end()) ++found->second;
    }
  return counts;
}

}  // namespace

ContentMarks content_marks(const Windows& windows) {
  std::size_t shortest = kLongestStretch;
  for (std::size_t i = 0; i < windows.size(); ++i) shortest = std::min<std::size_t>(shortest, windows[i].length);
  if (windows.size() == 0 || shortest < kShortestStretch) return {};
  const WindowHashes hashes(windows.dataset());
  const std::size_t count = std::min(kMostMarks, windows.size());
  std::set<std::uint64_t> found;
  for (std::size_t i = 0; i < count; ++i) {
    Window stretch = windows[i * windows.size() / count];
    stretch.length = static_cast<std::uint32_t>(shortest);
    if (!never_changes(windows.dataset().series[stretch.series], stretch)) found.insert(hashes.of(stretch));
  }
  return {shortest, {found.begin(), found.end()}};
}

double share_found(const ContentMarks& marks, const Dataset& dataset) {
  if (marks.digests.empty()) return 0;
  std::vector<Piece> whole;
  for (std::size_t n = 0; n < dataset.series.size(); ++n) whole.push_back({{0, dataset.series[n].length()}, n});
  std::size_t found = 0;
  for (const auto& [digest, count] : count_found(marks, WindowHashes(dataset), whole)) found += count > 0 ? 1 : 0;
  return found < 2 ? 0 : static_cast<double>(found) / static_cast<double>(marks.digests.size());
}

double share_copied(const Windows& training, const Windows& held) {
  const ContentMarks marks = content_marks(held);
  if (marks.digests.empty() || training.size() == 0) return 0;
  const WindowHashes hashes(held.dataset());
  const auto own = count_found(marks, hashes, pieces_of(held)),
             others = count_found(marks, hashes, pieces_of(training));
  std::size_t found = 0, unique = 0;
  for (const auto& [digest, count] : own) {
    if (count > 1) continue;
    ++unique;
    found += others.at(digest) > 0 ? 1 : 0;
  }
  return found < 2 ? 0 : static_cast<double>(found) / static_cast<double>(unique);
}

std::vector<CopiedSeries> copied_series(const Dataset& dataset, std::span<const std::string> left_out) {
  std::vector<CopiedSeries> copies;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> originals;
  for (std::size_t i = 0; i < dataset.series.size(); ++i) {
    const Series& series = dataset.series[i];
    const std::vector<float>& values = series.values.values;
    if (series.labels.empty() || values.empty() || std::ranges::find(left_out, series.name) != left_out.end()) continue;
    const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    std::vector<std::size_t>& alike = originals[stream_of(bytes)];
    const auto is_same = [&](std::size_t other) {
      const Series& one = dataset.series[other];
      return one.values.rows == series.values.rows && one.labels == series.labels &&
             std::memcmp(one.values.values.data(), values.data(), bytes.size()) == 0;
    };
    const auto original = std::ranges::find_if(alike, is_same);
    if (original == alike.end())
      alike.push_back(i);
    else
      copies.push_back({i, *original});
  }
  return copies;
}

}  // namespace faithful
