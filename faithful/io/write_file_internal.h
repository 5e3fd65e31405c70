#pragma once

#include <functional>
#include <string>

#include "faithful/io/file.h"

namespace faithful {

// write_file; `nameless`: whether to try a nameless file first (tests take both ways).
void write_file_beside(const std::string& path, const std::function<void(FileWriter&)>& write, bool nameless);

}  // namespace faithful
