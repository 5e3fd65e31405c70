// What C libraries before 2.36 do not have, for modules that run with them (cmake/old_glibc.cmake). Hidden, and linked
// before the C library, these are taken by libstdc++ and by ourselves.

#include <cstdint>

#include <sys/random.h>
#include <sys/stat.h>

extern "C" {

// The functions behind those of the headers, as they were until 2.33; their first argument is the version of struct stat.
// Later C libraries still have them, for programs of those days.
asm(".symver old_fxstat, __fxstat@GLIBC_2.2.5");
asm(".symver old_fxstat64, __fxstat64@GLIBC_2.2.5");
asm(".symver old_lxstat, __lxstat@GLIBC_2.2.5");
asm(".symver old_xstat, __xstat@GLIBC_2.2.5");
int old_fxstat(int version, int file, struct stat* found) noexcept;
int old_fxstat64(int version, int file, struct stat64* found) noexcept;
int old_lxstat(int version, const char* path, struct stat* found) noexcept;
int old_xstat(int version, const char* path, struct stat* found) noexcept;

int fstat(int file, struct stat* found) noexcept {
  return old_fxstat(1, file, found);
}
int fstat64(int file, struct stat64* found) noexcept {
  return old_fxstat64(1, file, found);
}
int lstat(const char* path, struct stat* found) noexcept {
  return old_lxstat(1, path, found);
}
int stat(const char* path, struct stat* found) noexcept {
  return old_xstat(1, path, found);
}

// 2.36, for std::random_device, which we do not use.
std::uint32_t arc4random() noexcept {
  std::uint32_t number = 0;
  while (getrandom(&number, sizeof(number), 0) != sizeof(number)) {
  }
  return number;
}

// 2.32: whether a thread was never started. libstdc++ may then count references without atomic operations.
char __libc_single_threaded = 0;

}  // extern "C"
