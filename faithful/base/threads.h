#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include "faithful/base/api.h"

namespace faithful {

// A reference to a callable `void(std::size_t task)`: two pointers, no allocation. It must not outlive the callable.
class TaskRef {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, TaskRef>)
      TaskRef(F&& f)  // NOLINT(google-explicit-constructor): made at the call of run()
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* object, std::size_t task) { (*static_cast<std::remove_reference_t<F>*>(object))(task); }) {}

  void operator()(std::size_t task) const { call_(object_, task); }

 private:
  void* object_;
  void (*call_)(void*, std::size_t);
};

// The number of threads by default: FAITHFUL_THREADS, else what the machine (or its container) allows.
FAITHFUL_API std::size_t default_threads();

// Threads that sleep until there is work. `run` allocates nothing. Where the system gives fewer threads than asked for
// (memory, limits), the pool has fewer. In a forked child, which has none of them, a pool of the parent runs everything
// on the caller's thread and can be destroyed.
class FAITHFUL_API ThreadPool {
 public:
  explicit ThreadPool(std::size_t threads = default_threads());  // >= 1; the caller is one of them
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t size() const;

  // Calls task(0) .. task(count-1), each once, on the pool's threads and the caller's, and returns when all are done.
  // Which thread takes which task is not fixed: a task must write only what is its own. The first exception is
  // thrown again here, and the tasks not yet begun are dropped. A call from inside a task runs on the task's thread.
  void run(std::size_t count, TaskRef task);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The pool that the options of a function name, or one of default_threads() where they name none (nullptr).
class PoolOrOwn {
 public:
  explicit PoolOrOwn(ThreadPool* given)
      : own_(given == nullptr ? std::make_unique<ThreadPool>() : nullptr), pool_(given == nullptr ? *own_ : *given) {}

  ThreadPool& operator*() const { return pool_; }

 private:
  std::unique_ptr<ThreadPool> own_;
  ThreadPool& pool_;
};

// Calls body(begin, end) on consecutive pieces of 0..count-1, at least `grain` long but the last.
template <class Body>
void parallel_for(ThreadPool& pool, std::size_t count, std::size_t grain, Body&& body) {
  if (count == 0) return;
  if (grain == 0) grain = 1;
  const std::size_t most_pieces = 4 * pool.size();
  const std::size_t length = count / most_pieces + 1 > grain ? count / most_pieces + 1 : grain;
  pool.run((count + length - 1) / length, [&](std::size_t piece) {
    const std::size_t begin = piece * length;
    body(begin, count - begin < length ? count : begin + length);
  });
}

}  // namespace faithful
