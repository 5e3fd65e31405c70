#include "faithful/base/threads.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sched.h>

#include "faithful/base/error.h"
#include "faithful/base/number.h"

namespace faithful {

namespace {

// Those that this process may use.
std::size_t processors() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) return static_cast<std::size_t>(CPU_COUNT(&allowed));
  return std::max(1U, std::thread::hardware_concurrency());
}

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Waits a little for `done` without sleeping. A step of training makes six calls of run(), one soon after the other, and
// waking a thread takes as long as a short call, on a busy machine much longer (docs/benchmarks.md).
template <class Done>
void await(const Done& done) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds kLongest{200};
  constexpr int kLooks = 32;  // between two looks at the clock
  for (const Clock::time_point end = Clock::now() + kLongest; Clock::now() < end;) {
    for (int i = 0; i < kLooks; ++i) {
      if (done()) return;
      relax();
    }
  }
}

}  // namespace

std::size_t default_threads() {
  constexpr std::size_t kMostThreads = 1024;
  if (const char* text = std::getenv("FAITHFUL_THREADS")) {
    const auto threads = parse_number<std::size_t>(text);
    if (!threads || *threads < 1 || *threads > kMostThreads) {
      reject({{"FAITHFUL_THREADS"}, "a number of threads from 1 to 1024", quote(text)});
    }
    return *threads;
  }
  return processors();
}

namespace {
thread_local bool inside_task = false;  // a task that calls run() again is served on its own thread

// How many forks lie between the first process and this one. A fork copies a pool without its threads.
std::atomic<std::size_t> forks{0};

void count_forks() {
  static const int registered = ::pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1); });
  if (registered != 0) throw Error("cannot start threads: no memory");
}
}  // namespace

struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable work_ready, work_done;
  std::mutex one_run;  // calls of run() from several threads take turns

  // Written under the mutex; the atomic ones are read without it by threads that await a change.
  std::optional<TaskRef> task;              // of the current call, while a worker may still join it
  std::atomic<std::size_t> generation = 0;  // counts the calls of run(), so that a worker takes part once in each
  std::atomic<std::size_t> busy = 0;        // workers that have joined the current call and not left it
  std::atomic<std::size_t> wanted = std::numeric_limits<std::size_t>::max();  // workers from this number on end
  std::exception_ptr failure;

  bool awaits = false;  // threads await work before they sleep: where each can have a processor

  std::size_t count = 0;
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> workers;

  const std::size_t born = forks.load();  // the process that has the workers
  State* abandoned_before = nullptr;

  bool is_copy() const { return born != forks.load(std::memory_order_relaxed); }

  // Starts as many workers as there can be, up to `most`. Where one cannot start, half of them are given up, so that
  // their memory is left for the work itself.
  void start(std::size_t most) {
    try {
      workers.reserve(most);
      while (workers.size() < most) workers.emplace_back([this, number = workers.size()] { serve(number); });
    } catch (const std::system_error&) {
      stop_all_but(workers.size() / 2);
    } catch (const std::bad_alloc&) {
      stop_all_but(workers.size() / 2);
    }
  }

  void stop_all_but(std::size_t kept) {
    {
      const std::lock_guard lock(mutex);
      wanted = kept;
    }
    work_ready.notify_all();
    for (std::size_t i = kept; i < workers.size(); ++i) workers[i].join();
    workers.resize(std::min(kept, workers.size()));
  }

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

  void serve(std::size_t number) {
    std::size_t seen = 0;
    std::unique_lock lock(mutex);
    while (true) {
      work_ready.wait(lock, [&] { return number >= wanted || (task && generation != seen); });
      if (number >= wanted) return;
      seen = generation;
      const TaskRef work = *task;
      ++busy;
      lock.unlock();
      drain(work);
      lock.lock();
      if (--busy == 0) work_done.notify_one();
      if (!awaits) continue;
      lock.unlock();
      await([&] { return generation != seen || number >= wanted; });
      lock.lock();
    }
  }
};

ThreadPool::ThreadPool(std::size_t threads) {
  count_forks();
  state_ = std::make_unique<State>();
  state_->awaits = threads <= processors();
  state_->start(std::max<std::size_t>(threads, 1) - 1);
}

// In a forked child the workers do not exist, and a lock may be one that they held: their state is left as it is.
ThreadPool::~ThreadPool() {
  if (!state_->is_copy()) {
    state_->stop_all_but(0);
    return;
  }
  static std::atomic<State*> abandoned{nullptr};  // still reachable, for leak checkers
  State* state = state_.release();
  state->abandoned_before = abandoned.exchange(state);
}

std::size_t ThreadPool::size() const {
  return state_->workers.size() + 1;
}

void ThreadPool::run(std::size_t count, TaskRef task) {
  if (count == 0) return;
  if (inside_task || count == 1 || state_->workers.empty() || state_->is_copy()) {
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
    if (s.awaits && s.busy > 0) {
      lock.unlock();
      await([&] { return s.busy == 0; });
      lock.lock();
    }
    s.work_done.wait(lock, [&] { return s.busy == 0; });
    failure = std::exchange(s.failure, nullptr);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace faithful
