#include "faithful/io/folder_crew.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "faithful/base/error.h"
#include "faithful/base/number.h"
#include "faithful/io/claims_internal.h"
#include "faithful/io/file.h"
#include "faithful/io/write_file_internal.h"

namespace faithful {

namespace {

constexpr std::size_t kMostResultBytes = std::size_t{64} << 20;

std::string host_name() {
  char name[256] = "";
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

void make_shared_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) reject_unwritable(folder, folder_of(folder), error.value());
}

// What is in the folder: which tasks have results, and the number of the latest claim on each.
struct FolderView {
  std::set<std::string> results;
  std::map<std::string, std::size_t> claims;

  // 0: none.
  std::size_t latest_claim(const std::string& name) const {
    const auto found = claims.find(name);
    return found == claims.end() ? 0 : found->second;
  }
};

FolderView look_into(const std::string& folder) {
  FolderView view;
  std::error_code error;  // the folder is gone where all is done
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::filesystem::path file = at->path().filename();
    const std::string name = file.stem().string(), ending = file.extension().string();
    if (ending == kResultEnding) view.results.insert(name);
    constexpr std::string_view kClaim = ".claim-";
    if (!ending.starts_with(kClaim)) continue;
    const std::optional<std::uint64_t> number = parse_number<std::uint64_t>(ending.substr(kClaim.size()));
    if (number) view.claims[name] = std::max(view.claims[name], static_cast<std::size_t>(*number));
  }
  return view;
}

}  // namespace

struct FolderCrew::State {
  std::string folder;
  FolderCrewOptions options;
  KeptResults& kept;
  io::Claims claims;
  ThreadPool pool;
};

// One call of run().
class FolderCrew::Shift {
 public:
  Shift(State& crew, const Tasks& tasks)
      : crew_(crew), tasks_(tasks), taken_(tasks.list.size()), begun_(taken_.size()) {
    for (std::size_t i = 0; i < tasks_.list.size(); ++i)
      if (tasks_.list[i].known) take(i, *tasks_.list[i].known);
    // The share of this process first, then those of the next ones.
    for (std::size_t share = 0; share < crew_.options.of; ++share)
      for (std::size_t i = (crew_.options.number - 1 + share) % crew_.options.of; i < taken_.size();
           i += crew_.options.of)
        order_.push_back(i);
  }

  bool run() {
    crew_.pool.run(crew_.pool.size(), [&](std::size_t) {
      try {
        work();
      } catch (...) {
        stopped_ = true;
        throw;
      }
    });
    return !stopped_;
  }

 private:
  struct Found {
    std::size_t task = 0;
    io::Claim claim;
  };

  void work() {
    double pause = 0.02;
    while (!asked_to_stop() && !all_taken()) {
      std::optional<Found> found = next();
      if (!found) {
        rest(pause);
        pause = std::min({2 * pause, 1.0, crew_.options.time_out / 4});
        continue;
      }
      pause = 0.02;
      const std::optional<std::string> result = tasks_.run(found->task, [&] { return asked_to_stop(); });
      if (!result) stopped_ = true;
      if (!result) return;
      make_shared_folder(crew_.folder);
      write_file(result_path(found->task), *result + "\n");
      const std::lock_guard lock(mutex_);
      take(found->task, *result);
    }
  }

  // A task for this thread, after a look at what the others have done; none where all are in work.
  std::optional<Found> next() {
    const std::lock_guard lock(mutex_);
    const FolderView view = look_into(crew_.folder);
    take_finished(view);
    if (!std::ranges::all_of(taken_, std::identity())) make_shared_folder(crew_.folder);  // if somebody has removed it
    for (const std::size_t i : order_) {
      if (taken_[i] || begun_[i]) continue;
      const std::string& name = tasks_.list[i].name;
      std::optional<io::Claim> claim = crew_.claims.take(name, view.latest_claim(name));
      if (!claim) continue;
      crew_.kept.refresh();
      if (take_if_finished(i, true)) continue;  // between the look and the claim
      begun_[i] = true;
      return Found{i, std::move(*claim)};
    }
    return std::nullopt;
  }

  // Results in files are looked at before what is kept: a file is removed only after its result is kept.
  void take_finished(const FolderView& view) {
    crew_.kept.refresh();
    for (std::size_t i = 0; i < taken_.size(); ++i)
      if (!taken_[i]) take_if_finished(i, view.results.contains(tasks_.list[i].name));
  }

  bool take_if_finished(std::size_t i, bool may_have_file) {
    const std::optional<std::string> found = may_have_file ? read_if_there(result_path(i)) : std::nullopt;
    if (found) return take(i, *found);
    const std::optional<std::string> kept = crew_.kept.find(tasks_.list[i].name);
    return kept && take(i, *kept);
  }

  bool take(std::size_t i, const std::string& result) {
    if (!taken_[i]) {
      taken_[i] = true;
      tasks_.take(i, result);
    }
    return true;
  }

  bool all_taken() {
    const std::lock_guard lock(mutex_);
    return std::ranges::all_of(taken_, std::identity());
  }

  bool asked_to_stop() {
    if (tasks_.stop && tasks_.stop()) stopped_ = true;
    return stopped_;
  }

  void rest(double seconds) {
    constexpr double kSlice = 0.05;
    for (double left = seconds; left > 0 && !asked_to_stop(); left -= kSlice)
      std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, kSlice)));
  }

  std::string result_path(std::size_t i) const { return path_of_result(crew_.folder, tasks_.list[i].name); }

  State& crew_;
  const Tasks& tasks_;
  std::mutex mutex_;
  std::vector<bool> taken_, begun_;  // [tasks]; begun by this process
  std::vector<std::size_t> order_;
  std::atomic<bool> stopped_ = false;
};

std::string path_of_result(const std::string& folder, const std::string& name) {
  return fmt::format("{}/{}{}", folder, name, kResultEnding);
}

FolderCrew::FolderCrew(const std::string& folder, const FolderCrewOptions& options, KeptResults& kept) {
  make_shared_folder(folder);
  const std::string owner =
      fmt::format("worker {}/{}, process {} on {}", options.number, options.of, ::getpid(), host_name());
  state_ = std::unique_ptr<State>(
      new State{folder, options, kept, {folder, owner, options.time_out}, ThreadPool(options.threads)});
}

FolderCrew::~FolderCrew() = default;

std::size_t FolderCrew::size() const {
  return state_->options.of * state_->pool.size();
}

bool FolderCrew::run(const Tasks& tasks) {
  return Shift(*state_, tasks).run();
}

std::optional<std::string> FolderCrew::find_finished(const std::string& name) {
  std::optional<std::string> found = read_if_there(path_of_result(state_->folder, name));
  if (found) return found;
  state_->kept.refresh();
  return state_->kept.find(name);
}

bool FolderCrew::run_alone(const std::string& name, const std::function<bool()>& is_done,
                           const std::function<void()>& work) {
  bool own = false;
  while (!own && !is_done()) {
    make_shared_folder(state_->folder);
    const auto claim = state_->claims.take(name, look_into(state_->folder).latest_claim(name));
    own = claim && !is_done();
    if (own)
      work();
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  state_->claims.remove_dead(name, look_into(state_->folder).latest_claim(name));
  return own;
}

KeepingCrew::KeepingCrew(std::unique_ptr<Crew> crew, const std::string& folder)
    : crew_(std::move(crew)), folder_(folder) {
  make_shared_folder(folder);
}

std::optional<std::string> KeepingCrew::find_finished(const std::string& name) {
  return read_if_there(path_of_result(folder_, name));
}

bool KeepingCrew::run(const Tasks& tasks) {
  Tasks kept = tasks;
  for (Task& task : kept.list)
    if (!task.known) task.known = find_finished(task.name);
  kept.take = [&](std::size_t i, const std::string& result) {
    if (!kept.list[i].known) write_file(path_of_result(folder_, kept.list[i].name), result + "\n");
    tasks.take(i, result);
  };
  return crew_->run(kept);
}

std::optional<std::string> read_if_there(const std::string& path) {
  try {
    if (!std::filesystem::exists(path)) return std::nullopt;
    std::string text = read_file(path, kMostResultBytes);
    if (text.ends_with('\n')) text.pop_back();
    return text;
  } catch (const InputError&) {
    if (std::filesystem::exists(path)) throw;
    return std::nullopt;
  }
}

bool write_new_file(const std::string& path, const std::string& bytes) {
  const std::string own = fmt::format("{}.{}-{}", path, host_name(), ::getpid());
  constexpr int kMostFailures = 3;  // with a folder that is there
  for (int failures = 0;;) {
    make_shared_folder(folder_of(path));
    try {
      write_file(own, bytes);
    } catch (const Error&) {
      // The last process of a job removes the folder; the first of the next one makes it again.
      if (std::filesystem::exists(folder_of(path)) && ++failures == kMostFailures) throw;
      continue;
    }
    const bool made = ::link(own.c_str(), path.c_str()) == 0;
    const int error = errno;
    ::unlink(own.c_str());
    if (!made && error != EEXIST) reject_unwritable(path, folder_of(path), error);
    return made;
  }
}

}  // namespace faithful
