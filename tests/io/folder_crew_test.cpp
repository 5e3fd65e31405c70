#include "faithful/io/folder_crew.h"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "faithful/base/error.h"
#include "tests/support.h"

namespace faithful {
namespace {

using testing::rejection;
using testing::TemporaryFolder;

class KeptInMemory final : public KeptResults {
 public:
  void refresh() override {}
  std::optional<std::string> find(const std::string& name) override {
    const auto found = results.find(name);
    return found == results.end() ? std::nullopt : std::optional(found->second);
  }
  std::map<std::string, std::string> results = {};
};

Tasks tasks_of(std::size_t count) {
  Tasks tasks;
  for (std::size_t i = 0; i < count; ++i) tasks.list.push_back({.name = "task" + std::to_string(i)});
  return tasks;
}

// What a crew of processes takes; each is a thread here, with a crew of its own.
TEST(FolderCrew, EveryProcessTakesAllResultsAndEveryTaskRunsOnce) {
  const TemporaryFolder folder;
  constexpr std::size_t kTasks = 23, kProcesses = 3;
  std::mutex mutex;
  std::multiset<std::size_t> ran;
  std::vector<std::thread> processes;
  for (std::size_t process = 0; process < kProcesses; ++process)
    processes.emplace_back([&, process] {
      KeptInMemory kept;
      FolderCrew crew(folder / "crew", {.number = process + 1, .of = kProcesses, .threads = 1 + process % 2}, kept);
      Tasks tasks = tasks_of(kTasks);
      tasks.list[5].known = "known";
      kept.results["task7"] = "kept";
      std::map<std::size_t, std::string> taken;
      tasks.run = [&](std::size_t i, const std::function<bool()>&) {
        const std::lock_guard lock(mutex);
        ran.insert(i);
        return "result " + std::to_string(i);
      };
      tasks.take = [&](std::size_t i, const std::string& result) { EXPECT_TRUE(taken.emplace(i, result).second); };
      EXPECT_TRUE(crew.run(tasks));
      EXPECT_EQ(taken.size(), kTasks);
      for (const auto& [i, result] : taken)
        EXPECT_EQ(result, i == 5 ? "known" : i == 7 ? "kept" : "result " + std::to_string(i));
    });
  for (std::thread& process : processes) process.join();
  for (std::size_t i = 0; i < kTasks; ++i) EXPECT_EQ(ran.count(i), i == 5 || i == 7 ? 0U : 1U) << i;
  for (const auto& file : std::filesystem::directory_iterator(folder / "crew"))
    EXPECT_EQ(file.path().extension(), kResultEnding);
}

TEST(FolderCrew, TheClaimOfADeadProcessIsTakenOver) {
  const TemporaryFolder folder;
  KeptInMemory kept;
  std::filesystem::create_directories(folder / "crew");
  std::ofstream(folder / "crew/task1.claim-1") << "another-kernel worker 2/2\n";
  std::ofstream(folder / "crew/task1.claim-2");  // died before it wrote anything
  FolderCrew crew(folder / "crew", {.time_out = 0.3}, kept);
  Tasks tasks = tasks_of(2);
  std::vector<std::size_t> order;
  tasks.run = [&](std::size_t i, const std::function<bool()>&) {
    order.push_back(i);
    return "";
  };
  tasks.take = [](std::size_t, const std::string&) {};
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(crew.run(tasks));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(300));
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1}));
}

TEST(FolderCrew, StopsWithoutClaimsAndGoesOnLater) {
  const TemporaryFolder folder;
  KeptInMemory kept;
  for (const bool stops : {true, false}) {
    FolderCrew crew(folder / "crew", {}, kept);
    Tasks tasks = tasks_of(4);
    std::size_t ran = 0;
    std::atomic<bool> stop = false;
    tasks.stop = [&] { return stop.load(); };
    tasks.run = [&](std::size_t, const std::function<bool()>& asked) -> std::optional<std::string> {
      stop = stops && ++ran == 3;
      return asked() ? std::nullopt : std::optional<std::string>("x");
    };
    tasks.take = [](std::size_t, const std::string&) {};
    EXPECT_EQ(crew.run(tasks), !stops);
    EXPECT_EQ(crew.find_finished("task1"), "x");
    EXPECT_EQ(crew.find_finished("task3").has_value(), !stops);
    for (const auto& file : std::filesystem::directory_iterator(folder / "crew"))
      EXPECT_EQ(file.path().extension(), kResultEnding);
  }
}

TEST(FolderCrew, AFailureIsThrownAndLeavesNoClaim) {
  const TemporaryFolder folder;
  KeptInMemory kept;
  FolderCrew crew(folder / "crew", {.threads = 2}, kept);
  Tasks tasks = tasks_of(4);
  tasks.run = [](std::size_t, const std::function<bool()>&) -> std::optional<std::string> { throw Error("no disk"); };
  tasks.take = [](std::size_t, const std::string&) {};
  EXPECT_THROW(crew.run(tasks), Error);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "crew"));
}

TEST(FolderCrew, WorkForOneIsDoneByOne) {
  const TemporaryFolder folder;
  std::atomic<int> inside = 0, times = 0, own = 0;
  std::vector<std::thread> processes;
  for (int i = 0; i < 4; ++i)
    processes.emplace_back([&] {
      KeptInMemory kept;
      FolderCrew crew(folder / "crew", {}, kept);
      own += crew.run_alone(
          "merge", [&] { return times > 0; },
          [&] {
            EXPECT_EQ(++inside, 1);
            ++times;
            --inside;
          });
    });
  for (std::thread& process : processes) process.join();
  EXPECT_EQ(times, 1);
  EXPECT_EQ(own, 1);
}

TEST(FolderCrew, NeedsAFolder) {
  const TemporaryFolder folder;
  KeptInMemory kept;
  std::ofstream(folder / "file") << "x";
  EXPECT_NE(rejection([&] { FolderCrew(folder / "file", {}, kept); }).find("file"), std::string::npos);
}

TEST(WriteNewFile, MakesItsFolder) {
  const TemporaryFolder folder;
  EXPECT_TRUE(write_new_file(folder / "removed/x", "first"));
  EXPECT_EQ(read_if_there(folder / "removed/x"), "first");
  EXPECT_EQ(read_if_there(folder / "removed/y"), std::nullopt);
}

// As if other processes, each the last one of a job, removed the folder again and again.
TEST(WriteNewFile, TheFolderMayVanish) {
  const TemporaryFolder folder;
  std::atomic<bool> done = false;
  std::thread other([&] {
    while (!done) {
      ::rmdir((folder / "shared").c_str());
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  for (int i = 0; std::chrono::steady_clock::now() < end; ++i) {
    const std::string path = folder / ("shared/x" + std::to_string(i));
    EXPECT_NO_THROW(EXPECT_TRUE(write_new_file(path, "x")));
    ::unlink(path.c_str());
  }
  done = true;
  other.join();
}

TEST(WriteNewFile, OnlyTheFirstSucceeds) {
  const TemporaryFolder folder;
  EXPECT_TRUE(write_new_file(folder / "x", "first"));
  EXPECT_FALSE(write_new_file(folder / "x", "second"));
  std::string text;
  std::ifstream(folder / "x") >> text;
  EXPECT_EQ(text, "first");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

}  // namespace
}  // namespace faithful
