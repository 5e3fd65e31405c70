#include "faithful/diagnose/alarms.h"

#include <algorithm>
#include <cassert>

namespace faithful {

namespace {

bool overlap(const Window& a, const Window& b) {
  return a.series == b.series && a.begin < b.begin + b.length && b.begin < a.begin + a.length;
}

// The surest of these windows that do not overlap.
std::vector<std::uint32_t> surest_apart(const Windows& windows, std::span<const double> scores,
                                        std::vector<std::uint32_t> flagged, std::size_t most) {
  std::ranges::stable_sort(flagged, [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
  std::vector<std::uint32_t> chosen;
  for (const std::uint32_t number : flagged) {
    if (chosen.size() == most) break;
    const auto is_near = [&](std::uint32_t other) { return overlap(windows[number], windows[other]); };
    if (std::ranges::none_of(chosen, is_near)) chosen.push_back(number);
  }
  return chosen;
}

}  // namespace

std::vector<Alarm> find_alarms(const Windows& windows, std::span<const double> scores, double threshold,
                               std::size_t most_windows) {
  assert(scores.size() == windows.size());
  std::vector<Alarm> alarms;
  std::vector<std::vector<std::uint32_t>> flagged;  // of each alarm
  for (std::uint32_t i = 0; i < windows.size(); ++i) {
    if (!(scores[i] >= threshold)) continue;
    const Window& window = windows[i];
    const std::size_t end = window.begin + window.length;
    const bool goes_on =
        !alarms.empty() && alarms.back().series == window.series && window.begin <= alarms.back().span.end;
    if (!goes_on) {
      alarms.push_back({.series = window.series, .span = {window.begin, end}, .score = scores[i]});
      flagged.emplace_back();
    }
    Alarm& alarm = alarms.back();
    alarm.span.end = std::max(alarm.span.end, end);
    alarm.score = std::max(alarm.score, scores[i]);
    ++alarm.flagged;
    flagged.back().push_back(i);
  }
  for (std::size_t a = 0; a < alarms.size(); ++a)
    alarms[a].windows = surest_apart(windows, scores, std::move(flagged[a]), most_windows);
  return alarms;
}

}  // namespace faithful
