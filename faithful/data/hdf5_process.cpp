#include "faithful/data/hdf5_internal.h"

#ifdef FAITHFUL_HDF5

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FAITHFUL_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FAITHFUL_SANITIZED
#endif

namespace faithful::data {
namespace {

// The child's memory is bounded; sanitizers map terabytes and cannot run so.
void bound_memory() {
#ifndef FAITHFUL_SANITIZED
  constexpr std::size_t kChildMemory = std::size_t{1} << 30;  // bytes, beyond what this process has already
  std::size_t pages = 0;
  if (FILE* statm = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(statm, "%zu", &pages) != 1) pages = 0;
    std::fclose(statm);
  }
  const rlim_t limit = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + kChildMemory;
  const rlimit bound{limit, limit};
  ::setrlimit(RLIMIT_AS, &bound);
#endif
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
}

// libhdf5 prints what it thinks of a failure of its own start.
void be_silent() {
#ifndef FAITHFUL_SANITIZED
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
#endif
}

// One entry of libhdf5's error stack. It has the errno of a system call only as text: "..., errno = 28, ...".
herr_t look_at(unsigned, const H5E_error2_t* entry, void* found) {
  constexpr const char kMark[] = "errno = ";
  int& error = *static_cast<int*>(found);
  const char* at = entry->desc == nullptr ? nullptr : std::strstr(entry->desc, kMark);
  if (at != nullptr) error = std::atoi(at + sizeof(kMark) - 1);
  if (error == 0 && (entry->min_num == H5E_NOSPACE || entry->min_num == H5E_CANTALLOC)) error = ENOMEM;
  return 0;
}

}  // namespace

int hdf5_failure() {
  int error = 0;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, look_at, &error);
  return error > 0 && error < kHdf5Crashed ? error : 0;
}

void work_as_hdf5_process(const std::function<void()>& work) {
  ::signal(SIGPIPE, SIG_IGN);
  for (const int crash : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) ::signal(crash, SIG_DFL);
  be_silent();
  bound_memory();
  try {
    work();
  } catch (const std::bad_alloc&) {
    ::_exit(ENOMEM);
  } catch (...) {
    ::_exit(kHdf5Damaged);
  }
  ::_exit(0);
}

int wait_for_hdf5_process(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : kHdf5Crashed;
  return std::min(code, kHdf5Crashed);
}

}  // namespace faithful::data

#endif
