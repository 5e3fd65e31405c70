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
#include <sys/mman.h>
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

// All that is left to read, but never more than `limit` bytes.
std::string read_rest(int descriptor, const std::string& path, std::size_t limit) {
  std::string all;
  std::vector<char> block(1 << 16);
  while (true) {
    const ssize_t got = ::read(descriptor, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) reject_unreadable(path, errno);
    if (got == 0) return all;
    if (static_cast<std::size_t>(got) > limit - all.size()) {
      reject({{path}, fmt::format("at most {} bytes", limit), "more"});
    }
    all.append(block.data(), static_cast<std::size_t>(got));
  }
}

struct OpenInput {
  Descriptor descriptor;
  struct stat status {};
};

OpenInput open_input(const std::string& path) {
  OpenInput input{Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC))};
  if (!input.descriptor.is_open()) reject_unreadable(path, errno);
  if (::fstat(input.descriptor.get(), &input.status) != 0) reject_unreadable(path, errno);
  if (S_ISDIR(input.status.st_mode)) reject_unreadable(path, EISDIR);
  return input;
}

}  // namespace

MappedFile::MappedFile(const std::string& path, std::size_t pipe_limit) : path_(path) {
  const OpenInput input = open_input(path);
  const auto size = static_cast<std::size_t>(input.status.st_size);
  if (!S_ISREG(input.status.st_mode) || size == 0) {  // files of /proc are regular and claim to be empty
    read_ = read_rest(input.descriptor.get(), path, pipe_limit);
    bytes_ = read_;
    return;
  }
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, input.descriptor.get(), 0);
  if (address == MAP_FAILED) throw Error(fmt::format("{}: cannot map the file: {}", path, std::strerror(errno)));
  ::madvise(address, size, MADV_WILLNEED);  // only advice: it may fail
  bytes_ = {static_cast<const char*>(address), size};
  mapped_ = true;
}

MappedFile::~MappedFile() {
  if (mapped_) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

std::string read_file(const std::string& path, std::size_t limit) {
  const OpenInput input = open_input(path);
  const auto size = static_cast<std::size_t>(input.status.st_size);
  if (S_ISREG(input.status.st_mode) && size > limit) {
    reject({{path}, fmt::format("at most {} bytes", limit), fmt::format("{}", size)});
  }
  return read_rest(input.descriptor.get(), path, limit);
}

}  // namespace faithful
