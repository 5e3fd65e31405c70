#pragma once

#include <functional>
#include <string>

#include "faithful/io/file.h"

namespace faithful {

// write_file; `nameless`: whether to try a nameless file first (tests take both ways).
void write_file_beside(const std::string& path, const std::function<void(FileWriter&)>& write, bool nameless);

// The file that a chain of symbolic links ends at (which need not exist), or the path itself.
std::string follow_links(const std::string& path);

// The folder that a file is in: "." where the path names none.
std::string folder_of(const std::string& path);

// Throws the Error of a write that failed.
[[noreturn]] void fail_to_write(const std::string& path, int error);

// A path that cannot be opened or made: InputError where the path is wrong, Error otherwise.
[[noreturn]] void reject_unwritable(const std::string& path, const std::string& folder, int error);

}  // namespace faithful
