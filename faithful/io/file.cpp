#include "faithful/io/file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "faithful/base/error.h"
#include "faithful/io/descriptor_internal.h"
#include "faithful/io/hints_internal.h"

namespace faithful {

namespace {

// A hint for a path that is not there: the names nearest to it in its folder, or the folder that is missing.
std::string hint_for_missing(const std::string& path) {
  constexpr int kMostNames = 10'000;
  const std::filesystem::path whole(path);
  std::filesystem::path folder = whole.parent_path();
  if (folder.empty()) folder = ".";
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  if (error) return fmt::format("the folder {} does not exist or cannot be read", quote(folder.string(), 200));
  std::vector<std::string> names;
  for (int i = 0; i < kMostNames && entry != std::filesystem::directory_iterator(); ++i) {
    names.push_back(entry->path().filename().string());
    entry.increment(error);
    if (error) break;
  }
  std::sort(names.begin(), names.end());  // a folder has no order of its own
  return did_you_mean(whole.filename().string(), names);
}

[[noreturn]] void reject_unreadable(const std::string& path, int error) {
  if (path.empty()) reject({{"path"}, "the name of a file", "an empty one"});
  if (error == ENOENT || error == ENOTDIR) reject({{path}, "a file", "none of that name", hint_for_missing(path)});
  if (error == EACCES || error == EPERM) reject({{path}, "a file that may be read", "no permission to read it"});
  if (error == EISDIR) reject({{path}, "a file", "a folder"});
  reject({{path}, "a file that can be read", std::strerror(error)});
}

// Devices other than a terminal and /dev/null have no end.
bool is_endless(int descriptor, const struct stat& status) {
  struct stat null {};
  const bool is_null = ::stat("/dev/null", &null) == 0 && null.st_rdev == status.st_rdev;
  return S_ISBLK(status.st_mode) || (S_ISCHR(status.st_mode) && !is_null && ::isatty(descriptor) == 0);
}

[[noreturn]] void reject_longer(const std::string& path, std::size_t limit, const std::string& found) {
  const bool is_limit = limit == limits().input_bytes;  // else the caller's own: the limits do not lift it
  reject({{path}, fmt::format("at most {} bytes", limit), found, is_limit ? limits_hint() : ""});
}

}  // namespace

InputFile::InputFile(const std::string& path) : path_(path) {
  Descriptor input(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!input.is_open() || ::fstat(input.get(), &status) != 0) reject_unreadable(path, errno);
  if (S_ISDIR(status.st_mode)) reject_unreadable(path, EISDIR);
  if (!limits().devices && is_endless(input.get(), status))
    reject({{path}, "a file or a pipe", "a device", limits_hint()});
  if (S_ISREG(status.st_mode)) size_ = static_cast<std::size_t>(status.st_size);
  descriptor_ = input.release();
}

InputFile::~InputFile() {
  ::close(descriptor_);
}

void InputFile::read_at(std::size_t offset, std::span<char> into) const {
  while (!into.empty()) {
    const ssize_t got = ::pread(descriptor_, into.data(), into.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) reject_unreadable(path_, errno);
    if (got == 0) {
      reject({{path_},
              fmt::format("{} bytes, as when it was opened", size_),
              fmt::format("{}", offset),
              "another program has changed the file: read it again, or a copy of it"});
    }
    offset += static_cast<std::size_t>(got);
    into = into.subspan(static_cast<std::size_t>(got));
  }
}

std::string InputFile::read_rest(std::size_t limit) const {
  std::string all;
  std::vector<char> block(1 << 16);
  while (true) {
    const ssize_t got = ::read(descriptor_, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) reject_unreadable(path_, errno);
    if (got == 0) return all;
    if (static_cast<std::size_t>(got) > limit - all.size()) reject_longer(path_, limit, "more");
    all.append(block.data(), static_cast<std::size_t>(got));
  }
}

WholeFile::WholeFile(const std::string& path, std::size_t limit) : path_(path) {
  const InputFile input(path);
  if (input.size() == 0) {
    rest_ = input.read_rest(limit);
    bytes_ = rest_;
    return;
  }
  if (input.size() > limit) reject_longer(path, limit, fmt::format("{}", input.size()));
  read_ = std::make_unique_for_overwrite<char[]>(input.size());
  input.read_at(0, {read_.get(), input.size()});
  bytes_ = {read_.get(), input.size()};
}

std::string read_file(const std::string& path, std::size_t limit) {
  return std::string(WholeFile(path, limit).bytes());
}

}  // namespace faithful
