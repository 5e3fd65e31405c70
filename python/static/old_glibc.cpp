// What C libraries before 2.36 do not have, for modules that run with them (cmake/old_glibc.cmake). Hidden, and linked
// before the C library, these are taken by libstdc++ and by ourselves.

#include <cstdint>
#include <ctime>

#include <pthread.h>
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

// 2.30, for std::condition_variable::wait_for: the same wait by the clock of the day. Its caller looks again at the
// steady clock, so a day's clock that is set meanwhile makes a wait shorter or longer, and nothing else.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
  constexpr long kSecond = 1'000'000'000;
  struct timespec now = {}, day = {};
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &day);
  day.tv_sec += until->tv_sec - now.tv_sec;
  day.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (day.tv_nsec < 0) day.tv_sec -= 1, day.tv_nsec += kSecond;
  if (day.tv_nsec >= kSecond) day.tv_sec += 1, day.tv_nsec -= kSecond;
  if (day.tv_sec < 0) day = {};
  return pthread_cond_timedwait(condition, mutex, &day);
}

// 2.32: whether a thread was never started. libstdc++ may then count references without atomic operations.
char __libc_single_threaded = 0;

}  // extern "C"
