#pragma once

#include <fstream>
#include <limits>
#include <string>

#include "faithful/data/dataset.h"
#include "tests/support.h"

namespace faithful::testing {

inline void write_text(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

inline Matrix<float> table(std::size_t rows, std::size_t columns, std::vector<float> values) {
  return Matrix<float>(rows, columns, std::move(values));
}

}  // namespace faithful::testing
