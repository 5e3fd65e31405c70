#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faithful/io/claims_internal.h"
#include "faithful/io/descriptor_internal.h"
#include "faithful/io/file.h"
#include "faithful/io/write_file_internal.h"

namespace faithful::io {

namespace {

// Which kernel runs this process: there alone a lock tells for sure.
std::string kernel_name() {
  std::string name;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> name;
  return name;
}

bool lock_now(int descriptor) {
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    if (errno != EINTR) return false;
  return true;
}

// The first bytes of a claim: all of it.
std::string text_in(int descriptor) {
  std::array<char, 500> bytes{};
  const ssize_t got = ::pread(descriptor, bytes.data(), bytes.size(), 0);
  return {bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

}  // namespace

Claim::Claim(Claims& claims, std::string path, int descriptor)
    : claims_(&claims), path_(std::move(path)), descriptor_(descriptor) {
  const std::lock_guard lock(claims_->mutex_);
  claims_->held_.insert(descriptor_);
}

Claim::Claim(Claim&& other) noexcept
    : claims_(other.claims_), path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

Claim::~Claim() {
  if (descriptor_ < 0) return;
  {
    const std::lock_guard lock(claims_->mutex_);
    claims_->held_.erase(descriptor_);
  }
  ::unlink(path_.c_str());  // while it is locked
  ::close(descriptor_);
}

Claims::Claims(std::string folder, std::string owner, double time_out)
    : folder_(std::move(folder)),
      owner_(std::move(owner)),
      kernel_(kernel_name()),
      time_out_(time_out),
      renewer_([this] { renew(); }) {}

Claims::~Claims() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  renewer_.join();
}

void Claims::renew() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, std::min(time_out_ / 6, std::chrono::duration<double>(10)), [&] { return ending_; }))
    for (const int descriptor : held_) ::futimens(descriptor, nullptr);  // the time of the file's server
}

std::optional<Claim> Claims::take(const std::string& name, std::size_t number) {
  if (number > 0 && !is_dead(path_of(name, number))) return std::nullopt;
  const std::string path = path_of(name, number + 1);
  Descriptor made(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!made.is_open() && (errno == EEXIST || errno == ENOENT))
    return std::nullopt;  // taken; the folder is being removed
  if (!made.is_open()) reject_unwritable(path, folder_, errno);
  lock_now(made.get());  // before the name of the kernel is in it; without locks the time-out counts
  Claim claim(*this, path, made.release());
  FileWriter writer(claim.descriptor(), path);
  writer.write(fmt::format("{} {}\n", kernel_, owner_));
  writer.flush();
  return claim;
}

void Claims::remove_dead(const std::string& name, std::size_t number) {
  for (; number > 0; --number)
    if (is_dead(path_of(name, number))) ::unlink(path_of(name, number).c_str());
}

std::string Claims::path_of(const std::string& name, std::size_t number) const {
  return fmt::format("{}/{}.claim-{}", folder_, name, number);
}

bool Claims::is_dead(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) return false;  // given up this moment: look again
  if (!kernel_.empty() && text_in(file.get()).starts_with(kernel_ + " ") && lock_now(file.get())) return true;
  const Sight now{status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ino, Clock::now()};
  Sight& before = sights_.try_emplace(path, now).first->second;
  if (before.seconds != now.seconds || before.nanoseconds != now.nanoseconds || before.file != now.file) before = now;
  return now.since - before.since >= time_out_;
}

}  // namespace faithful::io
