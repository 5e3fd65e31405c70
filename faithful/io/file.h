#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "faithful/base/api.h"
#include "faithful/base/limits.h"

namespace faithful {

// Bytes are std::string_view (borrowed) and std::string (owned) everywhere in this room, text or not.

// An open input file that is read piece by piece. Files are read, not mapped: a file that another process shortens
// gives an error, where a mapped one would end the process.
class FAITHFUL_API InputFile {
 public:
  explicit InputFile(const std::string& path);  // InputError where it cannot be read
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  // Bytes when it was opened; 0 where that is not known: a pipe, a device, a file of /proc.
  std::size_t size() const { return size_; }
  const std::string& path() const { return path_; }

  // The bytes from `offset` on, which must lie within size(). InputError where the file has become shorter.
  void read_at(std::size_t offset, std::span<char> into) const;
  // All that is left to read, where size() is not known; InputError where that is more than `limit` bytes.
  std::string read_rest(std::size_t limit) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::size_t size_ = 0;
};

// A whole file in memory, a pipe too. InputError where it cannot be read, or has more bytes than `limit`; by default
// Limits::input_bytes.
class FAITHFUL_API WholeFile {
 public:
  explicit WholeFile(const std::string& path, std::size_t limit = limits().input_bytes);

  std::string_view bytes() const { return bytes_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::unique_ptr<char[]> read_;  // of a file
  std::string rest_;              // of a pipe
  std::string_view bytes_;
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

// Writes a file as a whole or not at all: to a temporary file in the same folder, synced, then renamed, and the folder
// synced. Where it fails, or where `write` throws, the old file stays as it was and no temporary file is left. A killed
// run leaves none either on file systems with nameless files (O_TMPFILE: ext4, xfs, btrfs, tmpfs); elsewhere the next
// writer of the same file removes it. Several writers of one file do not disturb each other: the last one wins. The mode
// of an old file is kept, a symbolic link is followed, and a pipe or device is written directly. InputError where the
// path is wrong (no such folder, a folder itself, no permission), Error where the disk is full or fails.
FAITHFUL_API void write_file(const std::string& path, const std::function<void(FileWriter&)>& write);
FAITHFUL_API void write_file(const std::string& path, std::string_view bytes);

// The same for a library that opens files by name: `write` gets the name of the temporary file, which is there and
// empty. InputError where the path is a pipe or a device.
FAITHFUL_API void write_file_by_name(const std::string& path,
                                     const std::function<void(const std::string& name)>& write);

// A file that grows at its end. Each append is written as a whole or not at all: where it fails, the file is cut back.
class FAITHFUL_API AppendedFile {
 public:
  explicit AppendedFile(const std::string& path);  // made where there is none; InputError where it cannot be
  ~AppendedFile();
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;

  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_; }

  void append(std::string_view text);  // Error where the disk is full or fails
  void sync();                         // to the disk
  void cut(std::size_t bytes);         // to its first bytes

 private:
  std::string path_;
  int descriptor_ = -1;
};

// Locks an open file against other processes, until it is closed or the process ends: against all of them, or, where it
// is shared, against those that want it alone. InputError, with `path` as its place, while another process has it. A
// file system without locks excludes nobody.
enum class FileLock { kAlone, kShared };
FAITHFUL_API void lock_file(int descriptor, const std::string& path, FileLock lock = FileLock::kAlone);

// Keeps an output that takes long to make for one process: a locked file `.NAME.lock` beside it, removed at the end. One
// that a killed process has left is free. InputError while another process has it. A pipe or a device is not locked.
class FAITHFUL_API OutputLock {
 public:
  explicit OutputLock(const std::string& output);
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

 private:
  std::string name_;
  int descriptor_ = -1;
};

}  // namespace faithful
