#include <atomic>
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

[[noreturn]] void fail_to_write(const std::string& path, int error) {
  throw Error(fmt::format("{}: cannot write: {}", path, std::strerror(error)));
}

// A path that cannot be opened or made: the user's mistake where the path is wrong, a failure otherwise.
[[noreturn]] void reject_unwritable(const std::string& path, const std::string& folder, int error) {
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

// A name that no other file has: hidden, and taken with O_EXCL or linkat, so a clash is seen and tried again.
std::string name_beside(const std::string& path) {
  static std::atomic<unsigned> count{0};
  const std::filesystem::path whole(path);
  const std::string stem = whole.filename().string().substr(0, 200);
  const std::string name = fmt::format(".{}.{}-{}.part", stem, ::getpid(), count.fetch_add(1));
  return (whole.parent_path() / name).string();
}

// Calls `take` with new names until it succeeds; the errno of the last try where none does.
template <class Take>
std::string take_name_beside(const std::string& path, Take&& take, int& error) {
  for (int i = 0; i < kMostNameTries; ++i) {
    std::string name = name_beside(path);
    error = take(name) ? 0 : errno;
    if (error == 0) return name;
    if (error != EEXIST) return "";
  }
  return "";
}

// The temporary file: without a name where the file system can, so that even a killed run leaves nothing.
class FileBeside {
 public:
  FileBeside(const std::string& path, const std::string& folder, bool nameless) : path_(path) {
    if (nameless) descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kNewFileMode);
    if (descriptor_ >= 0) return;
    int error = 0;
    name_ = take_name_beside(
        path,
        [&](const std::string& name) {
          descriptor_ = ::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, kNewFileMode);
          return descriptor_ >= 0;
        },
        error);
    if (descriptor_ < 0) reject_unwritable(path, folder, error);
  }
  FileBeside(const FileBeside&) = delete;
  FileBeside& operator=(const FileBeside&) = delete;
  ~FileBeside() {
    ::close(descriptor_);
    if (!name_.empty()) ::unlink(name_.c_str());
  }

  int descriptor() const { return descriptor_; }

  // Puts it in the place of the old file, at once.
  void rename_over() {
    if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail_to_write(path_, errno);
    if (name_.empty()) give_name();
    if (::rename(name_.c_str(), path_.c_str()) != 0) fail_to_write(path_, errno);
    name_.clear();
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

  std::string path_;
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

// The file that a chain of symbolic links ends at (which need not exist), or the path itself.
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

}  // namespace

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

void write_file_beside(const std::string& given, const std::function<void(FileWriter&)>& write, bool nameless) {
  const std::string path = follow_links(given);
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists && errno == ENAMETOOLONG) reject_unwritable(given, given, errno);
  if (exists && S_ISDIR(status.st_mode)) reject_unwritable(given, given, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) return write_directly(path, write);

  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  const std::string folder = parent.empty() ? std::string(1, '.') : parent.string();
  if (path.empty() || path.back() == '/') reject_unwritable(path, folder, path.empty() ? ENOENT : EISDIR);
  if (exists && ::access(path.c_str(), W_OK) != 0) {
    reject({{given}, "a file that may be written", "no permission to write it"});
  }
  FileBeside beside(path, folder, nameless);
  if (exists && ::fchmod(beside.descriptor(), status.st_mode & 07777) != 0) fail_to_write(given, errno);
  FileWriter writer(beside.descriptor(), given);
  write(writer);
  writer.flush();
  beside.rename_over();
}

void write_file(const std::string& path, const std::function<void(FileWriter&)>& write) {
  constexpr bool kNameless = true;
  write_file_beside(path, write, kNameless);
}

void write_file(const std::string& path, std::string_view bytes) {
  write_file(path, [&](FileWriter& writer) { writer.write(bytes); });
}

}  // namespace faithful
