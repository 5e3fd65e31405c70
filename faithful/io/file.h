#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "faithful/base/api.h"

namespace faithful {

// Bytes are std::string_view (borrowed) and std::string (owned) everywhere in this room, text or not.

// The most that is read from a pipe: unlike a file, it must be held in memory.
inline constexpr std::size_t kPipeLimit = std::size_t{1} << 32;

// A whole file as bytes, read-only: mapped where it is a regular file (so it costs no memory of our own), read
// into memory where it is a pipe or a device such as /dev/stdin, up to `pipe_limit` bytes. InputError where it
// cannot be read. Another process must not shorten a file while it is mapped.
class FAITHFUL_API MappedFile {
 public:
  explicit MappedFile(const std::string& path, std::size_t pipe_limit = kPipeLimit);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return bytes_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::string read_;  // what a pipe gave
  std::string_view bytes_;
  bool mapped_ = false;
};

// The bytes of a file of at most `limit` bytes; InputError where it is longer or cannot be read.
FAITHFUL_API std::string read_file(const std::string& path, std::size_t limit);

// Takes the bytes of a file that is being written, in order.
class FAITHFUL_API FileWriter {
 public:
  FileWriter(int descriptor, std::string path);
  void write(std::string_view bytes);
  void flush();

 private:
  void write_out(std::string_view bytes);

  int descriptor_;
  std::string path_;
  std::string buffer_;
};

// Writes a file as a whole or not at all: to a temporary file in the same folder, synced, then renamed. Where it fails,
// or where `write` throws, the old file stays as it was and no temporary file is left. A killed run leaves none either
// on file systems with nameless files (O_TMPFILE: ext4, xfs, btrfs, tmpfs). The mode of an old file is kept, a symbolic
// link is followed, and a pipe or device is written directly. InputError where the path is wrong (no such folder, a
// folder itself, no permission), Error where the disk is full or fails.
FAITHFUL_API void write_file(const std::string& path, const std::function<void(FileWriter&)>& write);
FAITHFUL_API void write_file(const std::string& path, std::string_view bytes);

}  // namespace faithful
