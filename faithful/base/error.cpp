#include "faithful/base/error.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace faithful {

std::string to_string(const Place& place) {
  std::string text = place.name;
  if (place.line > 0) text += fmt::format(":{}", place.line);
  if (place.column > 0) text += fmt::format(":{}", place.column);
  return text;
}

std::string to_string(const Complaint& complaint) {
  std::string text =
      fmt::format("{}: expected {}, found {}", to_string(complaint.place), complaint.wanted, complaint.found);
  if (!complaint.hint.empty()) text += fmt::format(" ({})", complaint.hint);
  return text;
}

void reject(const Complaint& complaint) {
  throw InputError(to_string(complaint));
}

namespace {

// The length of the UTF-8 character at the start of `text`; 0 where there is none that may be shown.
std::size_t shown_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool control = first == 0xc2 && byte(1) < 0xa0;
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool beyond = (first == 0xed && byte(1) >= 0xa0) || (first == 0xf4 && byte(1) >= 0x90);
  return control || overlong || beyond ? 0 : length;
}

std::string escaped(char c) {
  switch (c) {
    case '\t':
      return "\\t";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    default:
      return fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
}

}  // namespace

std::string quote(std::string_view text, std::size_t most) {
  std::string out = "\"";
  std::size_t at = 0;
  while (at < text.size() && at < most) {
    const std::size_t length = shown_character(text.substr(at));
    if (length == 0) {
      out += escaped(text[at]);
    } else {
      if (text[at] == '"' || text[at] == '\\') out += '\\';
      out += text.substr(at, length);
    }
    at += std::max<std::size_t>(length, 1);
  }
  return out + (at < text.size() ? "\"..." : "\"");
}

namespace {

// Levenshtein distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongestName = 64;  // what is longer is no misspelling, and would cost time
  if (name.empty() || name.size() > kLongestName) return {};
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    const bool extends = candidate.starts_with(name) || name.starts_with(candidate);
    if (extends || distance <= 1 + candidate.size() / 4) near.emplace_back(distance, candidate);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min<std::size_t>(near.size(), 3); ++i) names.push_back(near[i].second);
  return names;
}

std::string suggest(std::string_view name, const std::vector<std::string>& candidates) {
  const std::vector<std::string> near = nearest_names(name, candidates);
  if (candidates.empty()) return "";
  if (near.empty()) return fmt::format("known: {}", fmt::join(candidates, ", "));
  return fmt::format("did you mean {}?", fmt::join(near, " or "));
}

}  // namespace faithful
