#pragma once

// What every room's tests share: temporary folders, expectations about rejected input, files of lines.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "faithful/base/error.h"

namespace faithful::testing {

// A folder of its own, removed with everything in it at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "faithful-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw Error("cannot make a temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The message of the InputError that the call throws; a test failure, and "", where it throws none.
template <class Call>
std::string rejection(Call&& call) {
  try {
    call();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "a message is one line";
    return error.what();
  }
  ADD_FAILURE() << "expected an InputError";
  return "";
}

// Calls `use(key, words)` for every line `KEY WORD ...` of a file; `words` stands after the key.
template <class Use>
void for_each_line(const std::string& path, Use&& use) {
  std::ifstream file(path);
  if (!file) throw Error("cannot read " + path);
  for (std::string line, key; std::getline(file, line);) {
    std::istringstream words(line);
    words >> key;
    use(key, words);
  }
}

}  // namespace faithful::testing
