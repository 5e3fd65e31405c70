// The walls around the child that reads HDF5. Two kinds, each used where the kernel has it: Landlock (which files) and
// seccomp (which system calls). A damaged or hostile file may make libhdf5 do anything; it can then reach no other file.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif

#include "faithful/data/hdf5_internal.h"

namespace faithful::data {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;  // no filter
#endif

// What reading needs: memory, reading and writing of open files, the end. Questions about paths only say what is there.
constexpr std::uint32_t kAllowed[] = {
    SYS_read,         SYS_pread64,        SYS_readv,        SYS_write,      SYS_writev,
    SYS_lseek,        SYS_close,          SYS_fstat,        SYS_flock,      SYS_fcntl,
    SYS_mmap,         SYS_munmap,         SYS_mremap,       SYS_mprotect,   SYS_madvise,
    SYS_brk,          SYS_futex,          SYS_exit,         SYS_exit_group, SYS_rt_sigaction,
    SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_sigaltstack,  SYS_getpid,     SYS_gettid,
    SYS_tgkill,       SYS_clock_gettime,  SYS_gettimeofday, SYS_getrandom,  SYS_sched_yield,
    SYS_newfstatat,   SYS_statx,          SYS_readlinkat,   SYS_getcwd,     SYS_prctl,
    SYS_sysinfo,      SYS_pipe2,  // a pipe leads nowhere; sanitizers probe memory through one
#ifdef SYS_stat
    SYS_stat,         SYS_lstat,          SYS_readlink,     SYS_pipe,
#endif
};

constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EACCES;

sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}
sock_filter answer(std::uint32_t value) {
  return BPF_STMT(BPF_RET | BPF_K, value);
}
// Skips the next instruction unless the loaded number is `value`.
sock_filter unless(std::uint32_t value) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
}

// A program that begins with the number of the system call loaded; calls of another architecture are refused.
std::vector<sock_filter> filter_head() {
  return {load(offsetof(seccomp_data, arch)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0), answer(kRefuse),
          load(offsetof(seccomp_data, nr))};
}

bool install(std::vector<sock_filter> filter) {
  if (kArchitecture == 0) return false;
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

// Adds: the system call `number` may pass where the flags in its argument (by number) ask only to read.
void allow_reading(std::vector<sock_filter>& filter, std::uint32_t number, std::size_t argument) {
  constexpr std::uint32_t kWriting = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4));
  filter.push_back(load(offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t)));  // little-endian: low half
  filter.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kWriting, 0, 1));
  filter.push_back(answer(kRefuse));
  filter.push_back(answer(SECCOMP_RET_ALLOW));
}

bool allow_only_reading() {
  std::vector<sock_filter> filter = filter_head();
  for (const std::uint32_t number : kAllowed) {
    filter.push_back(unless(number));
    filter.push_back(answer(SECCOMP_RET_ALLOW));
  }
  allow_reading(filter, SYS_openat, 2);
#ifdef SYS_open
  allow_reading(filter, SYS_open, 1);
#endif
  filter.push_back(answer(kRefuse));
  return install(std::move(filter));
}

#ifdef LANDLOCK_ACCESS_FS_READ_FILE
bool allow_only_file(const std::string& path) {
  constexpr std::uint64_t kAllRights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;  // of the first version
  const landlock_ruleset_attr rules{.handled_access_fs = kAllRights};
  const auto set = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0));
  if (set < 0) return false;
  const int file = ::open(path.c_str(), O_PATH | O_CLOEXEC);
  const landlock_path_beneath_attr rule{.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE, .parent_fd = file};
  const bool done = file >= 0 && ::syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0 &&
                    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::syscall(SYS_landlock_restrict_self, set, 0) == 0;
  if (file >= 0) ::close(file);
  ::close(set);
  return done;
}
#else
bool allow_only_file(const std::string&) {
  return false;
}
#endif

}  // namespace

Confinement confine_to(const std::string& path) {
  Confinement done;
  done.files = allow_only_file(path);
  done.calls = allow_only_reading();
  return done;
}

bool forbid_opening() {
  std::vector<sock_filter> filter = filter_head();
  filter.push_back(unless(SYS_openat));
  filter.push_back(answer(kRefuse));
#ifdef SYS_open
  filter.push_back(unless(SYS_open));
  filter.push_back(answer(kRefuse));
#endif
  filter.push_back(answer(SECCOMP_RET_ALLOW));
  return install(std::move(filter));
}

}  // namespace faithful::data
