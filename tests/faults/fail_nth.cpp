// A library to load before the C library's (LD_PRELOAD): the n-th call of one kind fails, as SQLite's tests do it. It is
// built with the tests only, and is no part of the product. tests/app/test_faults.py uses it.
//
//   FAULT_KIND     which kind of call fails; none: nothing fails, calls are counted
//   FAULT_N        which call of that kind, from 1
//   FAULT_FOREVER  set: every call from the n-th on fails (a disk that stays full)
//   FAULT_COUNTS   a file of kKinds 64-bit counters, which the process and its forks share
//
//   FAULT_LATE     set: calls count from the first file that is opened on; what precedes it is the same for every verb
//   FAULT_SERVE    IN,OUT: a server of faults, so that a program starts once for many of them. It stops at the first
//                  call that counts, reads requests from descriptor IN, and forks a child for each, which goes on from
//                  there in a folder of its own. It writes the status of the child to OUT.
//   FAULT_WALK     set, for a server: it goes on itself up to the n-th call of a request, and forks there. For programs
//                  without threads and without files; requests are of one kind, in ascending order.
//
// Calls count from the start of main: the loader and the C++ library's own start-up are not ours. The C library's calls
// of itself are not seen: fwrite, fflush, fopen and opendir stand for those that it makes for us. What is written to
// standard error is not counted: it is how a failure is reported.
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

enum Kind { kAlloc, kRead, kWrite, kSync, kName, kOpen, kThread, kKinds };
constexpr const char* kNames[kKinds] = {"alloc", "read", "write", "fsync", "rename", "open", "thread"};
constexpr int kErrors[kKinds] = {ENOMEM, EIO, ENOSPC, EIO, EIO, EMFILE, EAGAIN};

using Counter = std::atomic<std::uint64_t>;
static_assert(sizeof(Counter) == 8 && Counter::is_always_lock_free);

int failing = kKinds;  // which kind
std::uint64_t wanted = 0;
bool forever = false;
Counter* waiting = nullptr;   // the counters, until the first file is opened
Counter* counters = nullptr;  // [kKinds]; null: calls do not count yet

// What a server is asked for: as the variables above.
struct Request {
  char folder[1024];  // the child's: its streams are the files stdin, stdout and stderr beside it
  std::int32_t kind, forever;
  std::uint64_t n;
};
int requests = -1, replies = -1;
bool serving = false, walking = false;
Request request = {};  // the next one; n = 0: none was read

void serve(Kind kind);

// Is this the call that fails? Sets errno.
bool fails(Kind kind) {
  if (kind == kOpen) counters = waiting;
  if (counters == nullptr) return false;
  if (serving) serve(kind);
  const std::uint64_t number = counters[kind].fetch_add(1, std::memory_order_relaxed) + 1;
  if (kind != failing || number < wanted || (number > wanted && !forever)) return false;
  errno = kErrors[kind];
  return true;
}

// A disk that fills takes the first half of the n-th write.
std::size_t taken(std::size_t size) {
  const bool first = counters[kWrite].load(std::memory_order_relaxed) == wanted;
  return forever && first ? size / 2 : 0;
}

template <class Function>
Function next(Function, const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}
#define NEXT(name) next(&(name), #name)

Counter* map_counters() {
  const char* path = std::getenv("FAULT_COUNTS");
  const int file = path == nullptr ? -1 : static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC));
  if (file < 0) return nullptr;
  const long at = syscall(SYS_mmap, nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  syscall(SYS_close, file);
  return at == -1 ? nullptr : reinterpret_cast<Counter*>(at);
}

void redirect(int stream, const char* path, int flags) {
  const long file = syscall(SYS_openat, AT_FDCWD, path, flags, 0600);
  syscall(SYS_dup3, file, stream, 0);
  syscall(SYS_close, file);
}

// The child of a server: from here on it is the program with that fault.
void become_child() {
  failing = request.kind, wanted = request.n, forever = request.forever != 0;
  syscall(SYS_close, requests);
  syscall(SYS_close, replies);
  if (chdir(request.folder) != 0) _exit(99);
  redirect(STDIN_FILENO, "../stdin", O_RDONLY);
  redirect(STDOUT_FILENO, "../stdout", O_WRONLY | O_CREAT | O_TRUNC);
  redirect(STDERR_FILENO, "../stderr", O_WRONLY | O_CREAT | O_TRUNC);
  // Counters that its own forks share, but no other child.
  void* shared = reinterpret_cast<void*>(
      syscall(SYS_mmap, nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::memcpy(shared, static_cast<const void*>(counters), kKinds * sizeof(Counter));
  counters = static_cast<Counter*>(shared);
}

// Serves requests, until one is for a later call (then the server goes on) or a child is to go on.
void serve(Kind kind) {
  serving = false;  // its own calls do not count
  for (;;) {
    if (request.n == 0 && syscall(SYS_read, requests, &request, sizeof(request)) != sizeof(request)) _exit(0);
    if (walking && (kind != request.kind || counters[kind].load() + 1 < request.n)) break;
    const pid_t child = next(&fork, "fork")();
    if (child == 0) return become_child();
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    request.n = 0;
    if (syscall(SYS_write, replies, &status, sizeof(status)) != sizeof(status)) _exit(0);
  }
  serving = true;
}

int (*program_main)(int, char**, char**) = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  if (const char* kind = std::getenv("FAULT_KIND"))
    for (int i = 0; i < kKinds; ++i)
      if (std::strcmp(kind, kNames[i]) == 0) failing = i;
  if (const char* n = std::getenv("FAULT_N")) wanted = std::strtoull(n, nullptr, 10);
  forever = std::getenv("FAULT_FOREVER") != nullptr;
  const bool late = std::getenv("FAULT_LATE") != nullptr;
  waiting = map_counters();
  if (const char* ends = std::getenv("FAULT_SERVE")) {
    char* comma = nullptr;
    requests = static_cast<int>(std::strtol(ends, &comma, 10));
    replies = static_cast<int>(std::strtol(comma + 1, nullptr, 10));
    serving = true;
  }
  walking = std::getenv("FAULT_WALK") != nullptr;
  for (const char* name : {"LD_PRELOAD", "FAULT_KIND", "FAULT_N", "FAULT_FOREVER", "FAULT_COUNTS", "FAULT_LATE",
                           "FAULT_SERVE", "FAULT_WALK"})
    unsetenv(name);
  if (!late) counters = waiting;
  return program_main(argc, argv, environment);
}

int mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, int) : 0;
}

}  // namespace

extern "C" {

// NOLINTBEGIN(readability-identifier-naming)
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*end)(), void* stack) {
  program_main = main;
  return NEXT(__libc_start_main)(counted_main, argc, argv, init, fini, end, stack);
}

// NOLINTEND(readability-identifier-naming)

void* malloc(std::size_t size) {
  return fails(kAlloc) ? nullptr : __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  return fails(kAlloc) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  return fails(kAlloc) ? nullptr : __libc_realloc(old, size);
}
void* memalign(std::size_t align, std::size_t size) {
  return fails(kAlloc) ? nullptr : __libc_memalign(align, size);
}
void* aligned_alloc(std::size_t align, std::size_t size) {
  return memalign(align, size);
}
int posix_memalign(void** memory, std::size_t align, std::size_t size) {
  *memory = memalign(align, size);
  return *memory == nullptr ? ENOMEM : 0;
}
void* mmap(void* at, std::size_t size, int protection, int flags, int file, off_t offset) {
  if ((flags & MAP_ANONYMOUS) != 0 && fails(kAlloc)) return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, at, size, protection, flags, file, offset));
}
void* mmap64(void* at, std::size_t size, int protection, int flags, int file, off_t offset) {
  return mmap(at, size, protection, flags, file, offset);
}

ssize_t read(int file, void* into, std::size_t size) {
  return fails(kRead) ? -1 : syscall(SYS_read, file, into, size);
}
ssize_t pread(int file, void* into, std::size_t size, off_t offset) {
  return fails(kRead) ? -1 : syscall(SYS_pread64, file, into, size, offset);
}
ssize_t pread64(int file, void* into, std::size_t size, off_t offset) {
  return pread(file, into, size, offset);
}
ssize_t readv(int file, const iovec* parts, int count) {
  return fails(kRead) ? -1 : syscall(SYS_readv, file, parts, count);
}

ssize_t write(int file, const void* from, std::size_t size) {
  if (file == STDERR_FILENO || !fails(kWrite)) return syscall(SYS_write, file, from, size);
  const std::size_t part = taken(size);
  return part == 0 ? -1 : syscall(SYS_write, file, from, part);
}
ssize_t pwrite(int file, const void* from, std::size_t size, off_t offset) {
  if (!fails(kWrite)) return syscall(SYS_pwrite64, file, from, size, offset);
  const std::size_t part = taken(size);
  return part == 0 ? -1 : syscall(SYS_pwrite64, file, from, part, offset);
}
ssize_t pwrite64(int file, const void* from, std::size_t size, off_t offset) {
  return pwrite(file, from, size, offset);
}
ssize_t writev(int file, const iovec* parts, int count) {
  return file != STDERR_FILENO && fails(kWrite) ? -1 : syscall(SYS_writev, file, parts, count);
}
std::size_t fwrite(const void* from, std::size_t size, std::size_t count, FILE* file) {
  return file != stderr && fails(kWrite) ? 0 : NEXT(fwrite)(from, size, count, file);
}
int fflush(FILE* file) {
  return file != stderr && fails(kWrite) ? EOF : NEXT(fflush)(file);
}

int fsync(int file) {
  return fails(kSync) ? -1 : static_cast<int>(syscall(SYS_fsync, file));
}
int fdatasync(int file) {
  return fails(kSync) ? -1 : static_cast<int>(syscall(SYS_fdatasync, file));
}

// Names: files and folders that are named, made or cut.
int rename(const char* from, const char* to) {
  return fails(kName) ? -1 : static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  return fails(kName) ? -1 : static_cast<int>(syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
}
int mkdir(const char* path, mode_t mode) {
  return fails(kName) ? -1 : static_cast<int>(syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}
int ftruncate(int file, off_t size) {
  return fails(kName) ? -1 : static_cast<int>(syscall(SYS_ftruncate, file, size));
}
int ftruncate64(int file, off_t size) {
  return ftruncate(file, size);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int mode = mode_of(flags, arguments);
  va_end(arguments);
  return fails(kOpen) ? -1 : static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}
int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const int mode = mode_of(flags, arguments);
  va_end(arguments);
  return openat(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) __attribute__((alias("open")));
FILE* fopen(const char* path, const char* mode) {
  return fails(kOpen) ? nullptr : NEXT(fopen)(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  return fopen(path, mode);
}
DIR* opendir(const char* path) {
  return fails(kOpen) ? nullptr : NEXT(opendir)(path);
}
FILE* tmpfile() {
  return fails(kOpen) ? nullptr : NEXT(tmpfile)();
}
FILE* tmpfile64() {
  return tmpfile();
}
int pipe2(int* ends, int flags) {
  return fails(kOpen) ? -1 : static_cast<int>(syscall(SYS_pipe2, ends, flags));
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  return fails(kThread) ? EAGAIN : NEXT(pthread_create)(thread, attributes, start, argument);
}
int posix_spawnp(pid_t* child, const char* file, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
  return fails(kThread) ? EAGAIN : NEXT(posix_spawnp)(child, file, actions, attributes, arguments, environment);
}
pid_t fork() {
  return fails(kThread) ? -1 : NEXT(fork)();
}

}  // extern "C"
