#include "faithful/base/error.h"
#include "faithful/data/hdf5_internal.h"

#ifndef FAITHFUL_HDF5

namespace faithful::data {

void require_hdf5(const std::string& path) {
  reject({{path},
          "another format",
          "HDF5",
          "this faithful was built without it: convert the file to .npz, or build with -DFAITHFUL_HDF5=ON"});
}

std::vector<std::optional<PlainArray>> load_hdf5_arrays(const std::string& path, const std::vector<Hdf5Request>&) {
  require_hdf5(path);
  return {};
}

std::vector<std::optional<PlainArray>> read_hdf5_replies(const std::string& path, std::uintmax_t,
                                                         const std::vector<Hdf5Request>&, const Hdf5Bytes&) {
  require_hdf5(path);
  return {};
}

}  // namespace faithful::data

#else

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "faithful/base/limits.h"
#include "faithful/data/readers_internal.h"
#include "faithful/io/descriptor_internal.h"

namespace faithful::data {
namespace {

constexpr int kSilence = 60'000;  // ms without a byte: the child is caught in a loop

// A child process that replies through a pipe. It is ended, if necessary, and waited for.
class Child {
 public:
  Child(const std::string& path, const std::vector<Hdf5Request>& requests) : path_(path) {
    int ends[2];
    const std::function<void()> work = [&] {  // made before the fork: no exception may leave the child
      ::close(ends[0]);
      answer_hdf5_requests(path, requests, ends[1]);
    };
    if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    read_end_ = ends[0];
    process_ = ::fork();
    if (process_ == 0) work_as_hdf5_process(work);
    ::close(ends[1]);
    if (process_ < 0) {
      ::close(read_end_);
      throw Error(fmt::format("cannot start a process to read {}: {}", path, std::strerror(errno)));
    }
  }
  ~Child() {
    ::close(read_end_);
    if (process_ > 0) ::kill(process_, SIGKILL);
    wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // False where it has died of the file, or says nothing for too long. Error where the system is at fault.
  bool read_into(void* data, std::size_t size) {
    char* at = static_cast<char*>(data);
    while (size > 0) {
      pollfd waiting{read_end_, POLLIN, 0};
      const int ready = ::poll(&waiting, 1, kSilence);
      if (ready < 0 && errno == EINTR) continue;
      const ssize_t got = ready > 0 ? ::read(read_end_, at, size) : 0;
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(errno);
      if (ready > 0 && got == 0) check_exit();
      if (got == 0) return false;
      at += got;
      size -= static_cast<std::size_t>(got);
    }
    return true;
  }

 private:
  [[noreturn]] void fail(int error) const {
    throw Error(fmt::format("{}: cannot be read: {}", path_, std::strerror(error)));
  }

  // Of the child, which has closed its end of the pipe: it has ended, or is about to.
  int wait() { return process_ > 0 ? wait_for_hdf5_process(std::exchange(process_, -1)) : 0; }

  void check_exit() {
    const int code = wait();
    // A damaged file can ask for any amount, and can crash the library; so can a lack of memory.
    if (code == ENOMEM || code == kHdf5Crashed)
      reject({{path_}, "an HDF5 file", "a damaged HDF5 file, or one whose reader is out of memory"});
    if (code != 0 && code != kHdf5Damaged) fail(code);
  }

  std::string path_;
  int read_end_ = -1;
  pid_t process_ = -1;
};

// Takes a child's replies apart. They may be wrong in any way.
class Replies {
 public:
  Replies(const std::string& path, const Hdf5Bytes& read) : path_(path), read_(read) {}

  void read_into(void* data, std::size_t size) const {
    if (!read_(data, size)) reject_damaged();
  }
  std::uint64_t read_number() const {
    std::uint64_t number = 0;
    read_into(&number, sizeof(number));
    return number;
  }
  std::string read_text() const {
    const std::uint64_t size = read_number();
    if (size > 4096) reject_damaged();
    std::string text(size, '\0');
    read_into(text.data(), size);
    return text;
  }
  const std::string& path() const { return path_; }
  [[noreturn]] void reject_damaged() const { reject({{path_}, "an HDF5 file", "a damaged HDF5 file"}); }

 private:
  const std::string& path_;
  const Hdf5Bytes& read_;
};

std::vector<std::size_t> read_shape(const Replies& replies, const std::string& name, std::uintmax_t file_size) {
  const std::uint64_t axes = replies.read_number();
  if (axes < 1 || axes > 3) replies.reject_damaged();
  std::vector<std::size_t> shape;
  std::size_t count = 1;
  for (std::uint64_t i = 0; i < axes; ++i) {
    shape.push_back(replies.read_number());
    // An axis of length 0 must not hide the others.
    if (__builtin_mul_overflow(count, std::max<std::size_t>(shape.back(), 1), &count)) replies.reject_damaged();
  }
  const std::size_t most = inflated_limit(file_size);
  if (count > most / sizeof(float)) {
    reject({{replies.path()},
            fmt::format("at most {} bytes in {}", most, quote(name)),
            fmt::format("4 for each of {} numbers", count),
            limits_hint()});
  }
  return shape;
}

PlainArray read_array(const Replies& replies, const Hdf5Request& request, std::uintmax_t file_size) {
  PlainArray array{read_shape(replies, request.name, file_size), {}};
  std::size_t row = 1;  // elements of an index of the first axis
  for (std::size_t i = 1; i < array.shape.size(); ++i) row *= array.shape[i];
  if (!request.take_row) {
    array.values.resize(array.shape[0] * row);
    replies.read_into(array.values.data(), array.values.size() * sizeof(float));
    return array;
  }
  request.take_shape(array.shape);
  std::vector<float> values(row);
  for (std::size_t i = 0; i < array.shape[0] && row > 0; ++i) {
    replies.read_into(values.data(), row * sizeof(float));
    request.take_row(i, values);
  }
  return array;
}

}  // namespace

void require_hdf5(const std::string&) {}

std::vector<std::optional<PlainArray>> read_hdf5_replies(const std::string& path, std::uintmax_t size,
                                                         const std::vector<Hdf5Request>& requests,
                                                         const Hdf5Bytes& read) {
  const Replies replies(path, read);
  std::vector<std::optional<PlainArray>> arrays(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    switch (static_cast<Hdf5Answer>(replies.read_number())) {
      case Hdf5Answer::kAbsent:
        if (requests[i].required) replies.reject_damaged();
        break;
      case Hdf5Answer::kArray:
        arrays[i] = read_array(replies, requests[i], size);
        break;
      case Hdf5Answer::kComplaint: {
        const std::string wanted = replies.read_text();
        reject({{path}, wanted, replies.read_text()});
      }
      default:
        replies.reject_damaged();
    }
  }
  return arrays;
}

std::vector<std::optional<PlainArray>> load_hdf5_arrays(const std::string& path,
                                                        const std::vector<Hdf5Request>& requests) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) reject({{path}, "an HDF5 file", error.message()});
  if (size == 0) reject({{path}, "an HDF5 file", "an empty file"});
  Child child(path, requests);
  return read_hdf5_replies(path, size, requests,
                           [&](void* data, std::size_t count) { return child.read_into(data, count); });
}

}  // namespace faithful::data

#endif
