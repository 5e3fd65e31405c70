#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "faithful/base/error.h"
#include "faithful/io/descriptor_internal.h"
#include "faithful/io/file.h"
#include "faithful/io/write_file_internal.h"

namespace faithful {

void lock_file(int descriptor, const std::string& path, FileLock lock) {
  while (::flock(descriptor, (lock == FileLock::kShared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return;  // the file system has no locks
    reject({{path}, "a file that no other process writes", "one that is in use", "wait for its end, or take another"});
  }
}

OutputLock::OutputLock(const std::string& output) {
  const std::filesystem::path target = follow_links(output);
  std::error_code ignored;
  if (std::filesystem::exists(target, ignored) && !std::filesystem::is_regular_file(target, ignored)) return;
  const std::string stem = target.filename().string().substr(0, 200);
  name_ = (target.parent_path() / fmt::format(".{}.lock", stem)).string();
  while (true) {
    Descriptor file(::open(name_.c_str(), O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!file.is_open()) reject_unwritable(output, folder_of(target.string()), errno);
    lock_file(file.get(), output);
    struct stat status {};
    const bool gone = ::fstat(file.get(), &status) == 0 && status.st_nlink == 0;
    if (gone) continue;  // its former owner removed it between the two calls
    descriptor_ = file.release();
    return;
  }
}

OutputLock::~OutputLock() {
  if (descriptor_ < 0) return;
  ::unlink(name_.c_str());  // while it is locked: never another's
  ::close(descriptor_);
}

}  // namespace faithful
