#include "faithful/ranks/rank_crew.h"

#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "faithful/base/error.h"

namespace faithful {
namespace {

// Ranks that are threads of one process: what one sends is at once with the other.
struct Post {
  std::mutex mutex;
  std::map<std::array<std::size_t, 3>, std::deque<std::string>> boxes;  // by from, to, channel
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(Post& post, std::size_t rank, std::size_t size) : post_(post), rank_(rank), size_(size) {}
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }
  Transfer start_send(std::span<const std::byte> bytes, std::size_t to, RankChannel channel) override {
    const std::lock_guard lock(post_.mutex);
    post_.boxes[{rank_, to, static_cast<std::size_t>(channel)}].emplace_back(
        reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return 0;
  }
  Transfer start_receive(std::span<std::byte> bytes, std::size_t from, RankChannel channel) override {
    const std::lock_guard lock(post_.mutex);
    auto& box = post_.boxes.at({from, rank_, static_cast<std::size_t>(channel)});
    std::memcpy(bytes.data(), box.front().data(), bytes.size());
    box.pop_front();
    return 0;
  }
  bool is_done(Transfer& transfer) override { return transfer == 0; }
  void fail(const std::string& /*line*/, int /*code*/) override {}
  void finish() override {}

 private:
  std::optional<Arrived> probe(std::optional<std::size_t> from, RankChannel channel) override {
    const std::lock_guard lock(post_.mutex);
    for (std::size_t other = 0; other < size_; ++other) {
      const auto box = post_.boxes.find({other, rank_, static_cast<std::size_t>(channel)});
      if ((!from || *from == other) && box != post_.boxes.end() && !box->second.empty())
        return Arrived{other, box->second.front().size()};
    }
    return std::nullopt;
  }

  Post& post_;
  std::size_t rank_, size_;
};

// Calls run(rank) as rank 0, 1, .. at once.
template <class Run>
void as_ranks(std::size_t size, Run&& run) {
  Post post;
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      ThreadRanks ranks(post, rank, size);
      run(ranks);
    });
  for (std::thread& thread : threads) thread.join();
}

Tasks squares(std::size_t count) {
  Tasks tasks;
  for (std::size_t i = 0; i < count; ++i) tasks.list.push_back({.name = "task-" + std::to_string(i)});
  tasks.run = [](std::size_t i, const std::function<bool()>&) { return std::to_string(i * i); };
  return tasks;
}

TEST(RankCrew, EveryRankTakesAllResultsOnceAndEveryTaskRunsOnce) {
  for (const std::size_t size : {1, 2, 3, 5}) {
    for (const std::size_t count : {0, 1, 2, 13}) {
      std::mutex mutex;
      std::multiset<std::size_t> ran;
      as_ranks(size, [&](Ranks& ranks) {
        RankCrew crew(ranks, 1 + ranks.rank() % 2);
        for (int phase = 0; phase < 2; ++phase) {
          Tasks tasks = squares(count);
          std::map<std::size_t, std::string> taken;
          if (ranks.is_first() && count > 1) tasks.list[1].known = "known";
          tasks.run = [&](std::size_t i, const std::function<bool()>&) {
            const std::lock_guard lock(mutex);
            ran.insert(i);
            return std::to_string(i * i) + "\n" + std::string(1, '\0');
          };
          tasks.take = [&](std::size_t i, const std::string& result) { EXPECT_TRUE(taken.emplace(i, result).second); };
          EXPECT_TRUE(crew.run(tasks));
          EXPECT_EQ(taken.size(), count);
          for (const auto& [i, result] : taken)
            EXPECT_EQ(result, i == 1 ? "known" : std::to_string(i * i) + "\n" + std::string(1, '\0'));
        }
      });
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(ran.count(i), i == 1 ? 0U : 2U) << size << " ranks, task " << i;
    }
  }
}

TEST(RankCrew, AStopOfOneRankStopsAll) {
  for (const std::size_t stopper : {0, 2}) {
    std::atomic<std::size_t> began = 0;
    as_ranks(3, [&](Ranks& ranks) {
      Tasks tasks = squares(50);
      tasks.stop = [&] { return ranks.rank() == stopper && began >= 4; };
      tasks.run = [&](std::size_t, const std::function<bool()>& stop) -> std::optional<std::string> {
        ++began;
        if (began < 4) return "done";
        while (!stop()) std::this_thread::yield();
        return std::nullopt;
      };
      tasks.take = [](std::size_t, const std::string&) {};
      EXPECT_FALSE(RankCrew(ranks, 1).run(tasks));
    });
    EXPECT_LT(began, 10U);
  }
}

TEST(RankCrew, AFailureOfATaskIsThrownWhereItRan) {
  as_ranks(1, [](Ranks& ranks) {
    Tasks tasks = squares(3);
    tasks.run = [](std::size_t, const std::function<bool()>&) -> std::optional<std::string> { throw Error("no disk"); };
    tasks.take = [](std::size_t, const std::string&) {};
    EXPECT_THROW(RankCrew(ranks, 2).run(tasks), Error);
  });
}

TEST(RankCrew, RanksThatPlanOtherTasksAreFoundOut) {
  as_ranks(2, [](Ranks& ranks) {
    Tasks tasks = squares(2);
    tasks.take = [](std::size_t, const std::string&) {};
    if (!ranks.is_first()) {
      for (Task& task : tasks.list) task.name += " of other data";
      EXPECT_THROW(RankCrew(ranks, 1).run(tasks), InputError);
      ranks.send(0, "s");  // as if it had stopped: in a job the failure ends rank 0, too
      return;
    }
    tasks.run = [](std::size_t, const std::function<bool()>& stop) -> std::optional<std::string> {
      while (!stop()) std::this_thread::yield();  // so that the other rank gets the second task
      return std::nullopt;
    };
    EXPECT_FALSE(RankCrew(ranks, 1).run(tasks));
  });
}

}  // namespace
}  // namespace faithful
