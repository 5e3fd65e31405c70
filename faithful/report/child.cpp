#include "faithful/report/child.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include "faithful/base/error.h"

namespace faithful {

namespace {

// Unnamed temporary files instead of pipes: no deadlock when both sides write, and no SIGPIPE when the child dies.
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] void fail(const char* what, int error) {
  throw Error(fmt::format("cannot {}: {}", what, std::strerror(error)));
}

File make_temporary_file() {
  File file(std::tmpfile(), &std::fclose);
  if (!file) fail("make a temporary file", errno);
  return file;
}

void write_all(std::FILE* file, const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  if (!written) fail("write a temporary file", errno);
  std::rewind(file);
}

std::string read_all(std::FILE* file) {
  std::rewind(file);
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file)) text.append(buffer, count);
  if (std::ferror(file) != 0) fail("read a temporary file", errno);
  return text;
}

std::vector<std::string> small_environment() {
  std::vector<std::string> environment = {"LC_ALL=C.UTF-8", "SOURCE_DATE_EPOCH=0"};
  for (const char* name : {"PATH", "HOME"}) {
    if (const char* value = std::getenv(name)) environment.push_back(std::string(name) + "=" + value);
  }
  return environment;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// The child's wait status, or nothing where the time was up and it had to be killed.
bool wait_for(pid_t child, double seconds, int& status) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  auto pause = std::chrono::microseconds(500);
  for (;;) {
    const pid_t done = waitpid(child, &status, WNOHANG);
    if (done == child) return true;
    if (done < 0 && errno != EINTR) throw Error("lost a child process");
    if (Clock::now() >= end) break;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(20000));
  }
  kill(child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return false;
}

// What happens in the child before the program starts.
class SpawnActions {
 public:
  SpawnActions() { check(posix_spawn_file_actions_init(&actions_)); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  void redirect(std::FILE* file, int stream) {
    check(posix_spawn_file_actions_adddup2(&actions_, fileno(file), stream));
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  static void check(int error) {
    if (error != 0) fail("start a process", error);
  }
  posix_spawn_file_actions_t actions_{};
};

constexpr int kNoSuchProgram = 127;

}  // namespace

ChildResult run_child(const std::vector<std::string>& arguments, const std::string& input, double seconds) {
  const File in = make_temporary_file(), out = make_temporary_file(), err = make_temporary_file();
  write_all(in.get(), input);
  SpawnActions actions;
  actions.redirect(in.get(), 0);
  actions.redirect(out.get(), 1);
  actions.redirect(err.get(), 2);

  std::vector<std::string> argument_texts = arguments, environment_texts = small_environment();
  const std::vector<char*> argument_pointers = pointers_to(argument_texts);
  const std::vector<char*> environment_pointers = pointers_to(environment_texts);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, argument_pointers[0], actions.get(), nullptr, argument_pointers.data(),
                                   environment_pointers.data());
  ChildResult result;
  if (failure == ENOENT || failure == ENOTDIR || failure == EACCES) {
    result.end = ChildResult::End::kNotFound;
    result.status = failure;
    return result;
  }
  if (failure != 0) throw Error(fmt::format("cannot start {}: {}", arguments.front(), std::strerror(failure)));
  int status = 0;
  const bool in_time = wait_for(child, seconds, status);
  result.output = read_all(out.get());
  result.errors = read_all(err.get());
  if (!in_time) {
    result.end = ChildResult::End::kTimedOut;
  } else if (WIFEXITED(status)) {
    result.status = WEXITSTATUS(status);
    // POSIX lets a spawn that fails late end the child so (it does under qemu's user emulation).
    if (result.status == kNoSuchProgram) result.end = ChildResult::End::kNotFound;
  } else {
    result.end = ChildResult::End::kKilled;
    result.status = WTERMSIG(status);
  }
  return result;
}

}  // namespace faithful
