#include "app/job.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/number.h"
#include "faithful/base/threads.h"
#include "faithful/ranks/start.h"

namespace faithful::app {

namespace {

std::unique_ptr<Ranks>& joined_job() {
  static std::unique_ptr<Ranks> job;
  return job;
}

void print_line(const std::string& line) {
  std::fprintf(stderr, "faithful: %s\n", line.c_str());
  std::fflush(stderr);
}

double time_out() {
  constexpr double kSeconds = 60;
  const char* text = std::getenv("FAITHFUL_RANKS_TIMEOUT");
  if (text == nullptr) return kSeconds;
  const auto seconds = parse_number<double>(text);
  if (!seconds || !(*seconds >= 1) || !(*seconds <= 86400))
    reject({{"FAITHFUL_RANKS_TIMEOUT"}, "seconds from 1 to 86400", quote(text)});
  return *seconds;
}

}  // namespace

Ranks& join_job() {
  if (joined_job() == nullptr) joined_job() = start_ranks({.time_out = time_out(), .report = print_line});
  return *joined_job();
}

void refuse_ranks(const std::string& path) {
  const JobSigns signs = job_signs();
  if (signs.size == 1) return;
  throw InputError(
      fmt::format("{} runs as one process, but {} has started {}: start it without", path, signs.starter, signs.size));
}

bool is_silent() {
  return joined_job() != nullptr && !joined_job()->is_first();
}

std::size_t threads_of_rank() {
  const std::size_t on_host = std::getenv("FAITHFUL_THREADS") == nullptr ? job_signs().on_host : 1;
  // Where each rank was bound to cores of its own, default_threads() sees these alone.
  const bool bound = default_threads() < std::max(1U, std::thread::hardware_concurrency());
  return bound ? default_threads() : std::max<std::size_t>(1, default_threads() / std::max<std::size_t>(1, on_host));
}

void leave_job() {
  if (joined_job() == nullptr) return;
  joined_job()->finish();
  joined_job().reset();
}

void report_failure(const std::string& line, int code) {
  if (joined_job() != nullptr && !joined_job()->is_alone()) return joined_job()->fail(line, code);
  if (job_signs().rank_on_host == 0)
    print_line(line);  // ranks that could not join fail alike: one of each host says why
}

}  // namespace faithful::app
