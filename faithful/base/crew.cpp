#include "faithful/base/crew.h"

#include <atomic>
#include <mutex>

namespace faithful {

std::optional<std::string> Crew::find_finished(const std::string& /*name*/) {
  return std::nullopt;
}

bool ThreadCrew::run(const Tasks& tasks) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < tasks.list.size(); ++i) {
    if (tasks.list[i].known)
      tasks.take(i, *tasks.list[i].known);
    else
      left.push_back(i);
  }
  std::mutex mutex;
  std::atomic<bool> stopped = false;
  const auto stop = [&] {
    if (tasks.stop && tasks.stop()) stopped = true;
    return stopped.load();
  };
  pool_.run(left.size(), [&](std::size_t i) {
    if (stop()) return;
    const std::optional<std::string> result = tasks.run(left[i], stop);
    if (!result) {
      stopped = true;
      return;
    }
    const std::lock_guard lock(mutex);
    tasks.take(left[i], *result);
  });
  return !stopped;
}

}  // namespace faithful
