#pragma once

#include <map>
#include <string>

namespace faithful::testing {

// The bytes of a file that a header keeps in hexadecimal.
inline std::string hexadecimal_file(const std::map<std::string, std::string>& files, const std::string& name) {
  const std::string& digits = files.at(name);
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

}  // namespace faithful::testing
