#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faithful/io/file.h"
#include "faithful/io/write_file_internal.h"

namespace faithful {

AppendedFile::AppendedFile(const std::string& path) : path_(path) {
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0 && (errno == EINVAL || errno == EACCES || errno == ESPIPE))  // a pipe, or one that is write-only
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor_ < 0) reject_unwritable(path, folder_of(path), errno);
}

AppendedFile::~AppendedFile() {
  ::close(descriptor_);
}

void AppendedFile::append(std::string_view text) {
  struct stat before {};
  const bool can_cut = ::fstat(descriptor_, &before) == 0 && S_ISREG(before.st_mode);
  FileWriter writer(descriptor_, path_);
  try {
    writer.write(text);
    writer.flush();
  } catch (...) {
    [[maybe_unused]] const bool cut = can_cut && ::ftruncate(descriptor_, before.st_size) == 0;
    throw;  // the first failure counts
  }
}

void AppendedFile::sync() {
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail_to_write(path_, errno);
}

void AppendedFile::cut(std::size_t bytes) {
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) fail_to_write(path_, errno);
}

}  // namespace faithful
