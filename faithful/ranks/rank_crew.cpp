#include "faithful/ranks/rank_crew.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "faithful/base/error.h"

namespace faithful {

namespace {

// Messages are a letter and what belongs to it.
constexpr char kWant = 'w';     // to rank 0: a thread is free
constexpr char kResult = 'r';   // to rank 0: a name, a line end, the result; the thread is free again
constexpr char kStopped = 's';  // to rank 0: a task was stopped
constexpr char kTask = 't';     // from rank 0: the name of a task
constexpr char kStop = 'x';     // from rank 0: stop what you do; kEnd follows
constexpr char kEnd = 'e';      // from rank 0: no more tasks

struct Outcome {
  std::size_t task = 0;
  std::optional<std::string> result = {};
};

// Threads that run tasks while the thread that made them sends and receives, which only one thread of a rank may.
class Hands {
 public:
  Hands(const Tasks& tasks, std::size_t threads) : tasks_(tasks) {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Hands() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    stopping_ = true;
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Hands(const Hands&) = delete;
  Hands& operator=(const Hands&) = delete;

  void stop() { stopping_ = true; }  // what is running

  bool asked_to_stop() {
    if (tasks_.stop && tasks_.stop()) stopping_ = true;
    return stopping_;
  }

  void give(std::size_t task) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(task);
      ++busy_;
    }
    changed_.notify_one();
  }

  std::size_t busy() const { return busy_; }  // tasks that were given and not taken back

  // A task that has ended; its exception is thrown.
  std::optional<Outcome> take_back() {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    if (ended_.empty()) return std::nullopt;
    Outcome outcome = std::move(ended_.front());
    ended_.pop_front();
    --busy_;
    return outcome;
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
      if (ending_) return;
      const std::size_t task = waiting_.front();
      waiting_.pop_front();
      lock.unlock();
      std::optional<std::string> result;
      std::exception_ptr failure;
      try {
        result = tasks_.run(task, [this] { return asked_to_stop(); });
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (failure && !failure_) failure_ = failure;
      ended_.push_back({task, std::move(result)});
    }
  }

  const Tasks& tasks_;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  bool ending_ = false;
  std::deque<std::size_t> waiting_;
  std::deque<Outcome> ended_;
  std::atomic<std::size_t> busy_ = 0;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

// Between two looks for messages, longer and longer: trainings take seconds or hours, and want the processor. A message
// waits for at most a hundredth of the time since the last one.
class Rest {
 public:
  void pause(bool idle) {
    if (!idle) since_ = Clock::now();
    if (!idle) return;
    constexpr Clock::duration kShortest = std::chrono::milliseconds(1), kLongest = std::chrono::milliseconds(20);
    std::this_thread::sleep_for(std::clamp((Clock::now() - since_) / 100, kShortest, kLongest));
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point since_ = Clock::now();  // the last message
};

void put(std::string& bytes, const std::string& text) {
  const std::uint64_t size = text.size();
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  bytes += text;
}

std::string get(std::string_view& bytes) {
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof size);
  std::string text(bytes.substr(sizeof size, size));
  bytes.remove_prefix(sizeof size + size);
  return text;
}

std::map<std::string, std::size_t> numbers_of(const Tasks& tasks) {
  std::map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < tasks.list.size(); ++i) numbers.emplace(tasks.list[i].name, i);
  return numbers;
}

// Rank 0 during one call of run().
class Dealer {
 public:
  Dealer(Ranks& ranks, const Tasks& tasks, std::size_t threads)
      : ranks_(ranks), tasks_(tasks), numbers_(numbers_of(tasks)), results_(tasks.list.size()), hands_(tasks, threads) {
    for (std::size_t i = 0; i < tasks.list.size(); ++i) {
      if (tasks.list[i].known)
        take(i, *tasks.list[i].known);
      else
        left_.push_back(i);
    }
    free_.assign(threads, 0);
  }

  // Deals everything, or what was done until it was stopped.
  void run() {
    for (Rest rest; !is_over();) {
      bool idle = true;
      while (const std::optional<Outcome> own = hands_.take_back()) {
        idle = false;
        free_.push_back(0);
        if (own->result) take(own->task, *own->result);
        stopped_ = stopped_ || !own->result;
      }
      while (const std::optional<RankMessage> message = ranks_.receive_if_any()) {
        idle = false;
        hear(*message);
      }
      if (hands_.asked_to_stop()) stopped_ = true;
      if (stopped_ && !told_) tell_to_stop();
      deal();
      rest.pause(idle);
    }
    for (std::size_t rank = 1; rank < ranks_.size(); ++rank) ranks_.send(rank, std::string(1, kEnd));
  }

  bool is_complete() const { return taken_ == results_.size(); }
  const std::vector<std::optional<std::string>>& results() const { return results_; }

 private:
  // All results are there; or it was stopped, and nobody works any more. Each rank has said how many threads it has.
  bool is_over() const {
    const bool nobody_works = dealt_ == 0 && hands_.busy() == 0;
    return heard_ == ranks_.size() - 1 && nobody_works && (stopped_ || left_.empty());
  }

  void hear(const RankMessage& message) {
    const std::string_view said = std::string_view(message.bytes).substr(1);
    switch (message.bytes.front()) {
      case kWant:  // at the beginning, with its number of threads
        ++heard_;
        free_.insert(free_.end(), std::stoul(std::string(said)), message.from);
        return;
      case kStopped:
        --dealt_;
        stopped_ = true;
        return;
      default: {
        --dealt_;
        free_.push_back(message.from);
        const std::size_t end = said.find('\n');
        take(numbers_.at(std::string(said.substr(0, end))), std::string(said.substr(end + 1)));
      }
    }
  }

  void deal() {
    while (!stopped_ && !left_.empty() && !free_.empty()) {
      const std::size_t task = left_.front(), rank = free_.front();
      left_.pop_front();
      free_.pop_front();
      if (rank == 0) {
        hands_.give(task);
      } else {
        ++dealt_;
        ranks_.send(rank, kTask + tasks_.list[task].name);
      }
    }
  }

  void tell_to_stop() {
    told_ = true;
    hands_.stop();
    for (std::size_t rank = 1; rank < ranks_.size(); ++rank) ranks_.send(rank, std::string(1, kStop));
  }

  void take(std::size_t task, const std::string& result) {
    results_[task] = result;
    ++taken_;
    tasks_.take(task, result);
  }

  Ranks& ranks_;
  const Tasks& tasks_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::optional<std::string>> results_;  // [tasks]
  std::deque<std::size_t> left_;                     // tasks
  std::deque<std::size_t> free_;                     // the rank of each free thread
  std::size_t taken_ = 0, heard_ = 0;
  std::size_t dealt_ = 0;  // to other ranks, and not back
  bool stopped_ = false, told_ = false;
  Hands hands_;
};

}  // namespace

bool RankCrew::run(const Tasks& tasks) {
  return ranks_.is_first() ? deal(tasks) : serve(tasks);
}

bool RankCrew::deal(const Tasks& tasks) {
  Dealer dealer(ranks_, tasks, threads_);
  dealer.run();
  std::string bytes(1, dealer.is_complete() ? '1' : '0');
  for (std::size_t i = 0; i < tasks.list.size(); ++i) {
    if (!dealer.results()[i]) continue;
    put(bytes, tasks.list[i].name);
    put(bytes, *dealer.results()[i]);
  }
  ranks_.broadcast(bytes);
  return dealer.is_complete();
}

bool RankCrew::serve(const Tasks& tasks) {
  const std::map<std::string, std::size_t> numbers = numbers_of(tasks);
  const auto number_of = [&](const std::string& name) {
    const auto found = numbers.find(name);
    if (found == numbers.end())
      throw InputError("the ranks disagree on what to do: all need the same data and the same version of the program");
    return found->second;
  };
  {
    Hands hands(tasks, threads_);
    ranks_.send(0, kWant + std::to_string(threads_));
    Rest rest;
    for (bool ended = false; !ended;) {
      bool idle = true;
      while (const std::optional<Outcome> own = hands.take_back()) {
        idle = false;
        ranks_.send(
            0, own->result ? kResult + tasks.list[own->task].name + "\n" + *own->result : std::string(1, kStopped));
      }
      while (!ended) {
        const std::optional<RankMessage> message = ranks_.receive_if_any();
        if (!message) break;
        idle = false;
        if (message->bytes.front() == kTask) hands.give(number_of(message->bytes.substr(1)));
        if (message->bytes.front() == kStop) hands.stop();
        ended = message->bytes.front() == kEnd;
      }
      rest.pause(idle);
    }
  }
  const std::string bytes = ranks_.broadcast("");
  std::string_view at(bytes);
  at.remove_prefix(1);
  while (!at.empty()) {
    const std::string name = get(at);
    tasks.take(number_of(name), get(at));
  }
  return bytes.front() == '1';
}

}  // namespace faithful
