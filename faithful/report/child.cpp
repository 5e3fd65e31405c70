#include "faithful/report/child.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include <spawn.h>
#include <sys/wait.h>

#include "faithful/base/error.h"

namespace faithful {

namespace {

// Unnamed temporary files instead of pipes: no deadlock when both sides write, and no SIGPIPE when the child dies.
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File make_temporary_file() {
  File file(std::tmpfile(), &std::fclose);
  if (!file) throw Error("cannot make a temporary file (is the disk full?)");
  return file;
}

void write_all(std::FILE* file, const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  if (!written) throw Error("cannot write a temporary file (is the disk full?)");
  std::rewind(file);
}

std::string read_all(std::FILE* file) {
  std::rewind(file);
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, file)) text.append(buffer, count);
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

constexpr int kNoSuchProgram = 127;

}  // namespace

ChildResult run_child(const std::vector<std::string>& arguments, const std::string& input, double seconds) {
  const File in = make_temporary_file(), out = make_temporary_file(), err = make_temporary_file();
  write_all(in.get(), input);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in.get()), 0);
  posix_spawn_file_actions_adddup2(&actions, fileno(out.get()), 1);
  posix_spawn_file_actions_adddup2(&actions, fileno(err.get()), 2);

  std::vector<std::string> argument_texts = arguments, environment_texts = small_environment();
  const std::vector<char*> argument_pointers = pointers_to(argument_texts);
  const std::vector<char*> environment_pointers = pointers_to(environment_texts);
  pid_t child = 0;
  const int failure = posix_spawnp(&child, argument_pointers[0], &actions, nullptr, argument_pointers.data(),
                                   environment_pointers.data());
  posix_spawn_file_actions_destroy(&actions);
  ChildResult result;
  if (failure != 0) {
    result.end = ChildResult::End::kNotFound;
    result.status = failure;
    return result;
  }
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
