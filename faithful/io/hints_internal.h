#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "faithful/base/error.h"

namespace faithful {

// `did you mean "a" or "b"?`; empty where none is near. Names come from files: they are quoted, to stay on one line.
inline std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  std::vector<std::string> near = nearest_names(name, known);
  for (std::string& text : near) text = faithful::quote(text);
  return near.empty() ? "" : fmt::format("did you mean {}?", fmt::join(near, " or "));
}

// The same, or some of the known names where none is near.
inline std::string hint_of_names(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t kMostListed = 12;
  if (std::string hint = did_you_mean(name, known); !hint.empty()) return hint;
  std::vector<std::string> listed;
  for (std::size_t i = 0; i < std::min(known.size(), kMostListed); ++i) listed.push_back(faithful::quote(known[i]));
  return fmt::format("known: {}{}", fmt::join(listed, ", "), known.size() > kMostListed ? ", ..." : "");
}

}  // namespace faithful
