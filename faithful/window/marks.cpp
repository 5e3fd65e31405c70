#include "faithful/window/marks.h"

#include <algorithm>
#include <set>
#include <unordered_set>

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
  const std::unordered_set<std::uint64_t> wanted(marks.digests.begin(), marks.digests.end());
  const WindowHashes hashes(dataset);
  std::set<std::uint64_t> found;
  for (std::size_t n = 0; n < dataset.series.size(); ++n)
    for (std::size_t t = 0; t + marks.length <= dataset.series[n].length(); ++t) {
      const std::uint64_t hash = hashes.of({.series = static_cast<std::uint32_t>(n),
                                            .begin = static_cast<std::uint32_t>(t),
                                            .length = static_cast<std::uint32_t>(marks.length)});
      if (wanted.contains(hash)) found.insert(hash);
    }
  return found.size() < 2 ? 0 : static_cast<double>(found.size()) / static_cast<double>(marks.digests.size());
}

}  // namespace faithful
