#pragma once

// The TOML file of --config: a section [verb] for each verb, with its options as keys. Of TOML it takes comments,
// sections, dotted and quoted names, strings on one line, numbers, true and false, and lists of these. A word may stand
// without quotes. What is none of this is refused, with its line: nothing is passed over.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace faithful::app {

struct ConfigValue {
  std::vector<std::string> section;  // "data", "info"; empty: before the first section
  std::string key;
  std::vector<std::string> texts;  // one, or those of a list
  bool is_list = false;            // it stands in brackets
  std::size_t line = 0;
};

struct ConfigFile {
  std::vector<ConfigValue> values = {};
  std::vector<std::pair<std::vector<std::string>, std::size_t>> sections = {};  // as they are opened, with the line
};

// InputError where the file is not there, above the limits, or none of the above.
ConfigFile load_config(const std::string& path);
ConfigFile parse_config(std::string_view text, const std::string& file);

// "data.info"
std::string section_name(const std::vector<std::string>& section);

}  // namespace faithful::app
