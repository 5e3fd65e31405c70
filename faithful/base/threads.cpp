#include "faithful/base/threads.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sched.h>

#include "faithful/base/error.h"
#include "faithful/base/number.h"

namespace faithful {

std::size_t default_threads() {
  constexpr std::size_t kMostThreads = 1024;
  if (const char* text = std::getenv("FAITHFUL_THREADS")) {
    const auto threads = parse_number<std::size_t>(text);
    if (!threads || *threads < 1 || *threads > kMostThreads) {
      reject({{"FAITHFUL_THREADS"}, "a number of threads from 1 to 1024", quote(text)});
    }
    return *threads;
  }
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) return static_cast<std::size_t>(CPU_COUNT(&allowed));
  return std::max(1U, std::thread::hardware_concurrency());
}

namespace {
thread_local bool inside_task = false;  // a task that calls run() again is served on its own thread
}

struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable work_ready, work_done;
  std::mutex one_run;  // calls of run() from several threads take turns

  // Guarded by mutex.
  std::optional<TaskRef> task;  // of the current call, while a worker may still join it
  std::size_t generation = 0;   // counts the calls of run(), so that a worker takes part once in each
  std::size_t busy = 0;         // workers that have joined the current call and not left it
  bool stopping = false;
  std::exception_ptr failure;

  std::size_t count = 0;
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> workers;

  // Takes tasks until none is left.
  void drain(const TaskRef& work) {
    inside_task = true;
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next.store(count);
      }
    }
    inside_task = false;
  }

  void serve() {
    std::size_t seen = 0;
    std::unique_lock lock(mutex);
    while (true) {
      work_ready.wait(lock, [&] { return stopping || (task && generation != seen); });
      if (stopping) return;
      seen = generation;
      const TaskRef work = *task;
      ++busy;
      lock.unlock();
      drain(work);
      lock.lock();
      if (--busy == 0) work_done.notify_one();
    }
  }
};

ThreadPool::ThreadPool(std::size_t threads) : state_(std::make_unique<State>()) {
  for (std::size_t i = 1; i < threads; ++i) {
    state_->workers.emplace_back([state = state_.get()] { state->serve(); });
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->work_ready.notify_all();
  for (std::thread& worker : state_->workers) worker.join();
}

std::size_t ThreadPool::size() const {
  return state_->workers.size() + 1;
}

void ThreadPool::run(std::size_t count, TaskRef task) {
  if (count == 0) return;
  if (inside_task || count == 1 || state_->workers.empty()) {
    for (std::size_t i = 0; i < count; ++i) task(i);
    return;
  }
  State& s = *state_;
  const std::lock_guard turn(s.one_run);
  {
    const std::lock_guard lock(s.mutex);
    s.task = task;
    s.count = count;
    s.next.store(0);
    s.failure = nullptr;
    ++s.generation;
  }
  s.work_ready.notify_all();
  s.drain(task);
  std::exception_ptr failure;
  {
    std::unique_lock lock(s.mutex);
    s.task.reset();  // a worker that has not woken by now is not waited for: nothing is left for it to do
    s.work_done.wait(lock, [&] { return s.busy == 0; });
    failure = std::exchange(s.failure, nullptr);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace faithful
