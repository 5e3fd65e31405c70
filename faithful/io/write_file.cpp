#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "faithful/base/error.h"
#include "faithful/io/descriptor_internal.h"
#include "faithful/io/file.h"
#include "faithful/io/write_file_internal.h"

namespace faithful {

namespace {

constexpr mode_t kNewFileMode = 0666;  // less the umask
constexpr int kMostNameTries = 100;

}  // namespace

std::string folder_of(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? std::string(1, '.') : parent.string();
}

void fail_to_write(const std::string& path, int error) {
  throw Error(fmt::format("{}: cannot write: {}", path, std::strerror(error)));
}

void reject_unwritable(const std::string& path, const std::string& folder, int error) {
  if (path.empty()) reject({{"path"}, "the name of a file", "an empty one"});
  if (error == EISDIR) reject({{path}, "a file to write", "a folder"});
  if (error == ENOENT) reject({{path}, "a folder to write in", fmt::format("no folder {}", quote(folder, 200))});
  if (error == ENOTDIR) reject({{path}, "a folder to write in", fmt::format("a file {}", quote(folder, 200))});
  if (error == EACCES || error == EPERM || error == EROFS) {
    reject({{path}, "a file that may be written", fmt::format("no permission to write in {}", quote(folder, 200))});
  }
  if (error == ENAMETOOLONG) reject({{path}, "a file that can be written", "a name that is too long"});
  fail_to_write(path, error);
}

namespace {

// The name of the n-th temporary file of `path`: hidden, in the same folder. Each is locked by its writer, and a lock ends
// with its process: one that is there and not locked is what a killed writer has left.
std::string name_beside(const std::string& path, int n) {
  const std::filesystem::path whole(path);
  const std::string stem = whole.filename().string().substr(0, 200);
  return (whole.parent_path() / fmt::format(".{}.{}.part", stem, n)).string();
}

// Locks an open file for its open description: true also where the file system has no locks, as then nobody else can
// tell either.
bool lock(int descriptor, bool without_locks) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(descriptor, F_OFD_SETLK, &whole) == 0) return true;
  return without_locks && errno != EAGAIN && errno != EACCES;
}

void remove_if_left(const std::string& name) {
  const Descriptor found(::open(name.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!found.is_open() || ::fstat(found.get(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  constexpr bool kWithoutLocks = false;
  if (lock(found.get(), kWithoutLocks)) ::unlink(name.c_str());
}

void remove_leftovers(const std::string& path) {
  constexpr int kLookedAt = 8;  // more writers at once than anyone kills
  for (int n = 0; n < kLookedAt; ++n) remove_if_left(name_beside(path, n));
}

// Calls `take` with names beside the path until it succeeds; the errno of the last try where none does.
template <class Take>
std::string take_name_beside(const std::string& path, Take&& take, int& error) {
  for (int n = 0; n < kMostNameTries; ++n) {
    std::string name = name_beside(path, n);
    error = take(name) ? 0 : errno;
    if (error == 0) return name;
    if (error != EEXIST) return "";
  }
  return "";
}

// A new file of that name, locked; -1 with EEXIST where another writer has the name.
int make_locked(const std::string& name) {
  Descriptor made(::open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, kNewFileMode));
  if (!made.is_open()) return -1;
  constexpr bool kWithoutLocks = true;
  struct stat status {};
  const bool kept = lock(made.get(), kWithoutLocks) && ::fstat(made.get(), &status) == 0 && status.st_nlink > 0;
  if (kept) return made.release();
  errno = EEXIST;  // another writer took it for a leftover before it was locked
  return -1;
}

// The temporary file: without a name where the file system can, so that even a killed run leaves nothing.
class FileBeside {
 public:
  FileBeside(const std::string& path, const std::string& folder, bool nameless) : path_(path), folder_(folder) {
    remove_leftovers(path);
    if (nameless) descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kNewFileMode);
    if (descriptor_ >= 0) {
      lock(descriptor_, true);  // for the moment when it has a name
      return;
    }
    int error = 0;
    name_ = take_name_beside(
        path, [&](const std::string& name) { return (descriptor_ = make_locked(name)) >= 0; }, error);
    if (descriptor_ < 0) reject_unwritable(path, folder, error);
  }
  FileBeside(const FileBeside&) = delete;
  FileBeside& operator=(const FileBeside&) = delete;
  ~FileBeside() {
    if (!name_.empty()) ::unlink(name_.c_str());
    ::close(descriptor_);
  }

  int descriptor() const { return descriptor_; }
  const std::string& name() const { return name_; }

  // Puts it in the place of the old file, at once, and for good: the new name is on the disk too.
  void rename_over() {
    if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail_to_write(path_, errno);
    if (name_.empty()) give_name();
    if (::rename(name_.c_str(), path_.c_str()) != 0) fail_to_write(path_, errno);
    name_.clear();
    const Descriptor folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));  // it may be unreadable
    if (folder.is_open() && ::fsync(folder.get()) != 0 && errno != EINVAL && errno != EROFS)
      fail_to_write(path_, errno);
  }

 private:
  void give_name() {
    const std::string self = fmt::format("/proc/self/fd/{}", descriptor_);
    int error = 0;
    name_ = take_name_beside(
        path_,
        [&](const std::string& name) {
          return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
        },
        error);
    if (name_.empty()) fail_to_write(path_, error);
  }

  std::string path_, folder_;
  std::string name_;  // empty while it has none
  int descriptor_ = -1;
};

void write_directly(const std::string& path, const std::function<void(FileWriter&)>& write) {
  const Descriptor output(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!output.is_open()) reject_unwritable(path, path, errno);
  FileWriter writer(output.get(), path);
  write(writer);
  writer.flush();
}

}  // namespace

std::string follow_links(const std::string& path) {
  std::filesystem::path at(path);
  std::error_code error;
  for (int i = 0; i < 40 && std::filesystem::is_symlink(at, error); ++i) {
    const std::filesystem::path target = std::filesystem::read_symlink(at, error);
    if (error) break;
    at = target.is_absolute() ? target : at.parent_path() / target;
  }
  return at.string();
}

FileWriter::FileWriter(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}

void FileWriter::write(std::string_view bytes) {
  constexpr std::size_t kBuffer = 1 << 16;
  if (buffer_.size() + bytes.size() < kBuffer) {
    buffer_ += bytes;
    return;
  }
  flush();
  write_out(bytes);
}

void FileWriter::flush() {
  write_out(buffer_);
  buffer_.clear();
}

void FileWriter::write_out(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_to_write(path_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

namespace {

// Where a file will be written, checked before anything is made.
struct Target {
  std::string path, folder;
  bool exists = false, is_stream = false;  // is_stream: a pipe or a device
  mode_t mode = 0;                         // of the old file
};

Target find_target(const std::string& given) {
  Target target{.path = follow_links(given), .folder = {}};
  struct stat status {};
  target.exists = ::stat(target.path.c_str(), &status) == 0;
  if (!target.exists && errno == ENAMETOOLONG) reject_unwritable(given, given, errno);
  if (target.exists && S_ISDIR(status.st_mode)) reject_unwritable(given, given, EISDIR);
  target.mode = status.st_mode & 07777;
  target.is_stream = target.exists && !S_ISREG(status.st_mode);
  if (target.is_stream) return target;
  target.folder = folder_of(target.path);
  if (target.path.empty() || target.path.back() == '/') {
    reject_unwritable(target.path, target.folder, target.path.empty() ? ENOENT : EISDIR);
  }
  if (target.exists && ::access(target.path.c_str(), W_OK) != 0) {
    reject({{given}, "a file that may be written", "no permission to write it"});
  }
  return target;
}

// Calls write(temporary file), then puts it in place.
template <class Write>
void replace(const Target& target, const std::string& given, bool nameless, Write&& write) {
  FileBeside beside(target.path, target.folder, nameless);
  if (target.exists && ::fchmod(beside.descriptor(), target.mode) != 0) fail_to_write(given, errno);
  write(beside);
  beside.rename_over();
}

}  // namespace

void write_file_beside(const std::string& given, const std::function<void(FileWriter&)>& write, bool nameless) {
  const Target target = find_target(given);
  if (target.is_stream) return write_directly(target.path, write);
  replace(target, given, nameless, [&](const FileBeside& beside) {
    FileWriter writer(beside.descriptor(), given);
    write(writer);
    writer.flush();
  });
}

void write_file_by_name(const std::string& path, const std::function<void(const std::string& name)>& write) {
  const Target target = find_target(path);
  if (target.is_stream) reject({{path}, "a file to write", "a pipe or a device"});
  constexpr bool kNameless = false;
  replace(target, path, kNameless, [&](const FileBeside& beside) { write(beside.name()); });
}

void write_file(const std::string& path, const std::function<void(FileWriter&)>& write) {
  constexpr bool kNameless = true;
  write_file_beside(path, write, kNameless);
}

void write_file(const std::string& path, std::string_view bytes) {
  write_file(path, [&](FileWriter& writer) { writer.write(bytes); });
}

}  // namespace faithful
