#pragma once

// Ranks that are threads of one process: what ranks do can be tested, and watched by ThreadSanitizer, without MPI.

#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

#include "faithful/base/error.h"
#include "faithful/ranks/ranks.h"

namespace faithful::testing {

// The messages that are on their way.
class ThreadHub {
 public:
  using Key = std::tuple<std::size_t, std::size_t, RankChannel>;  // from, to, channel

  void send(const Key& key, std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    Queue& queue = queues_[key];
    queue.messages.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    deliver(queue);
  }
  Transfer receive(const Key& key, std::span<std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    Queue& queue = queues_[key];
    queue.waiting.push_back({++transfers_, bytes});
    open_[transfers_] = false;
    const Transfer made = transfers_;
    deliver(queue);
    return made;
  }
  bool is_done(Transfer& transfer) {
    const std::lock_guard lock(mutex_);
    if (is_ended_) throw Error("the job has ended");
    if (transfer == 0) return true;
    const auto found = open_.find(transfer);
    if (!found->second) return false;
    open_.erase(found);
    transfer = 0;
    return true;
  }
  std::optional<std::size_t> size_of_next(const Key& key) {
    const std::lock_guard lock(mutex_);
    if (is_ended_) throw Error("the job has ended");
    const Queue& queue = queues_[key];
    return queue.messages.empty() ? std::nullopt : std::optional(queue.messages.front().size());
  }
  void end() {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
  }

 private:
  struct Waiting {
    Transfer transfer;
    std::span<std::byte> bytes;
  };
  struct Queue {
    std::deque<std::string> messages;
    std::deque<Waiting> waiting;
  };
  void deliver(Queue& queue) {
    while (!queue.messages.empty() && !queue.waiting.empty()) {
      const std::string& message = queue.messages.front();
      const Waiting& to = queue.waiting.front();
      if (message.size() != to.bytes.size()) throw Error("a message of another size was expected");
      if (!message.empty()) std::memcpy(to.bytes.data(), message.data(), message.size());
      open_[to.transfer] = true;
      queue.messages.pop_front();
      queue.waiting.pop_front();
    }
  }

  std::mutex mutex_;
  std::map<Key, Queue> queues_;
  std::map<Transfer, bool> open_;  // is it done?
  Transfer transfers_ = 0;
  bool is_ended_ = false;
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(ThreadHub& hub, std::size_t rank, std::size_t size) : hub_(hub), rank_(rank), size_(size) {}
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }
  Transfer start_send(std::span<const std::byte> bytes, std::size_t to, RankChannel channel) override {
    hub_.send({rank_, to, channel}, bytes);
    return 0;
  }
  Transfer start_receive(std::span<std::byte> bytes, std::size_t from, RankChannel channel) override {
    return hub_.receive({from, rank_, channel}, bytes);
  }
  bool is_done(Transfer& transfer) override { return hub_.is_done(transfer); }
  void fail(const std::string&, int) override { hub_.end(); }
  void finish() override {}

 private:
  std::optional<Arrived> probe(std::optional<std::size_t> from, RankChannel channel) override {
    for (std::size_t rank = 0; rank < size_; ++rank) {
      if (from && *from != rank) continue;
      if (const auto size = hub_.size_of_next({rank, rank_, channel})) return Arrived{rank, *size};
    }
    return {};
  }

  ThreadHub& hub_;
  std::size_t rank_, size_;
};

// Calls body(ranks) on `size` ranks at once. The first exception ends all of them, and is thrown again.
inline void run_ranks(std::size_t size, const std::function<void(Ranks&)>& body) {
  ThreadHub hub;
  std::mutex mutex;
  std::exception_ptr first;
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      try {
        ThreadRanks ranks(hub, rank, size);
        body(ranks);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!first) first = std::current_exception();
        hub.end();
      }
    });
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace faithful::testing
