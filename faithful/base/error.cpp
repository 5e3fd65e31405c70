#include "faithful/base/error.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/utf8.h"

namespace faithful {

namespace {

// Around a setting in a message: name, value. quote() escapes control characters, so that no input can hold them.
constexpr char kFieldBegin = '\x1c', kFieldMiddle = '\x1d', kFieldEnd = '\x1e';

std::string plain_field(std::string_view name, std::string_view value) {
  return value.empty() ? std::string(name) : fmt::format("{} = {}", name, value);
}

}  // namespace

std::string field_text(std::string_view name, std::string_view value) {
  return fmt::format("{}{}{}{}{}", kFieldBegin, name, kFieldMiddle, value, kFieldEnd);
}

std::string spelled(std::string_view message, const Spelling& spelling) {
  std::string out;
  while (true) {
    const std::size_t begin = message.find(kFieldBegin), middle = message.find(kFieldMiddle, begin);
    const std::size_t end = message.find(kFieldEnd, middle);
    if (begin == std::string_view::npos || end == std::string_view::npos) return out.append(message);
    const std::string_view name = message.substr(begin + 1, middle - begin - 1);
    const std::string_view value = message.substr(middle + 1, end - middle - 1);
    out.append(message.substr(0, begin)).append(spelling ? spelling(name, value) : plain_field(name, value));
    message.remove_prefix(end + 1);
  }
}

std::string to_string(const Place& place) {
  std::string text = place.field.empty() ? place.name : field_text(place.field);
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
  std::size_t at = 0;
  while (at < text.size() && at < most) {
    const std::size_t length = std::max<std::size_t>(first_character(text.substr(at)).length, 1);
    if (text[at] == '"' || text[at] == '\\') out += '\\';
    out += printable(text.substr(at, length));
    at += length;
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
