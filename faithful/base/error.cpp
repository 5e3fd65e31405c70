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

std::string quote(std::string_view text, std::size_t most) {
  std::string out = "\"";
  for (const char c : text.substr(0, most)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  out += '"';
  if (text.size() > most) out += "...";
  return out;
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
