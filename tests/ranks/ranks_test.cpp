#include "faithful/ranks/ranks.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>

#include "faithful/ranks/start.h"
#include "faithful/ranks/watch_internal.h"
#include "tests/ranks/thread_ranks.h"

namespace faithful {
namespace {

using testing::run_ranks;

TEST(Ranks, OneAloneHasItsOwnWord) {
  const std::unique_ptr<Ranks> alone = make_one_rank();
  EXPECT_TRUE(alone->is_first() && alone->is_alone());
  EXPECT_EQ(alone->broadcast("word"), "word");
  EXPECT_EQ(alone->gather("word"), std::vector<std::string>{"word"});
  EXPECT_TRUE(alone->any(true));
  EXPECT_FALSE(alone->any(false));
  alone->barrier();
}

TEST(Ranks, EveryRankGetsTheBytesOfTheFirst) {
  for (const std::size_t size : {1, 2, 3, 5, 8}) {
    std::atomic<std::size_t> right = 0;
    run_ranks(size, [&](Ranks& ranks) {
      if (ranks.broadcast(ranks.is_first() ? "the word" : "another") == "the word") ++right;
      const std::vector<std::string> all = ranks.gather(std::to_string(ranks.rank() * ranks.rank()));
      for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], std::to_string(i * i));
      EXPECT_EQ(all.size(), ranks.is_first() ? size : 0);
      EXPECT_EQ(ranks.any(ranks.rank() == size - 1), true);
      EXPECT_EQ(ranks.any(false), false);
    });
    EXPECT_EQ(right, size);
  }
}

TEST(Ranks, MessagesArriveFromAnyRankAndInOrder) {
  run_ranks(3, [](Ranks& ranks) {
    if (!ranks.is_first()) {
      for (int i = 0; i < 4; ++i) ranks.send(0, std::to_string(i));
      EXPECT_EQ(ranks.receive_from(0), "enough");
      return;
    }
    int next[3] = {};
    for (int i = 0; i < 8; ++i) {
      const RankMessage message = ranks.receive();
      EXPECT_EQ(message.bytes, std::to_string(next[message.from]++));
    }
    EXPECT_FALSE(ranks.receive_if_any());
    ranks.send(1, "enough");
    ranks.send(2, "enough");
  });
}

// What mpirun and srun leave in the environment.
class SignsOfAJob : public ::testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  static void clear() {
    for (const char* name :
         {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
          "PMI_SIZE", "PMI_RANK", "MPI_LOCALNRANKS", "MPI_LOCALRANKID", "PMIX_RANK", "SLURM_STEP_NUM_TASKS",
          "SLURM_PROCID", "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE", "SLURM_NTASKS", "FAITHFUL_MPI"})
      ::unsetenv(name);
  }
};

TEST_F(SignsOfAJob, AloneWithoutThem) {
  EXPECT_EQ(job_signs().size, 1U);
  EXPECT_EQ(job_signs().starter, "");
  ::setenv("SLURM_NTASKS", "4", 1);  // of a batch script, which is one process
  EXPECT_EQ(job_signs().size, 1U);
  EXPECT_TRUE(start_ranks({})->is_alone());
}

TEST_F(SignsOfAJob, OfOpenMpi) {
  ::setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
  ::setenv("OMPI_COMM_WORLD_RANK", "3", 1);
  ::setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "2", 1);
  ::setenv("OMPI_COMM_WORLD_LOCAL_RANK", "1", 1);
  const JobSigns signs = job_signs();
  EXPECT_EQ(signs.size, 4U);
  EXPECT_EQ(signs.rank, 3U);
  EXPECT_EQ(signs.on_host, 2U);
  EXPECT_EQ(signs.rank_on_host, 1U);
  EXPECT_EQ(signs.plugin, "openmpi");
}

TEST_F(SignsOfAJob, OfMpichAndSlurm) {
  ::setenv("PMI_SIZE", "2", 1);
  ::setenv("PMI_RANK", "1", 1);
  EXPECT_EQ(job_signs().starter, "mpirun of MPICH");
  ::setenv("SLURM_STEP_NUM_TASKS", "2", 1);
  ::setenv("SLURM_STEP_TASKS_PER_NODE", "1(x2)", 1);
  EXPECT_EQ(job_signs().starter, "srun");
  EXPECT_EQ(job_signs().plugin, "mpich");
  EXPECT_EQ(job_signs().on_host, 1U);
  ::unsetenv("PMI_SIZE");
  ::setenv("PMIX_RANK", "1", 1);
  EXPECT_EQ(job_signs().plugin, "openmpi");
}

TEST_F(SignsOfAJob, ProcessesThatDoNotKnowOfEachOtherAreRefused) {
  ::setenv("SLURM_STEP_NUM_TASKS", "2", 1);
  try {
    start_ranks({});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "srun has started 2 processes without MPI: start them by mpirun, or by srun with the MPI type pmix or pmi2");
  }
  ::setenv("FAITHFUL_MPI", "/nowhere/plugin.so", 1);
  EXPECT_THROW(start_ranks({}), InputError);
}

// ---- signs of life

struct WatchLog {
  std::mutex mutex;
  std::vector<std::string> lines;
  std::vector<int> codes;
};

ranks::WatchOptions watch_options(WatchLog& log, Ranks& ranks, double time_out) {
  return {.time_out = time_out,
          .grace = 0.2,
          .host = "host" + std::to_string(ranks.rank()),
          .report =
              [&log](const std::string& line) {
                const std::lock_guard lock(log.mutex);
                log.lines.push_back(line);
              },
          .abort =
              [&log](int code) {
                const std::lock_guard lock(log.mutex);
                log.codes.push_back(code);
              }};
}

TEST(Watch, EndsInOrder) {
  WatchLog log;
  run_ranks(4, [&](Ranks& ranks) {
    ranks::Watch watch(ranks, watch_options(log, ranks, 30));
    ranks.barrier();
    watch.finish();
  });
  EXPECT_TRUE(log.lines.empty() && log.codes.empty());
}

TEST(Watch, ReportsAFailureOnce) {
  WatchLog log;
  run_ranks(3, [&](Ranks& ranks) {
    ranks::Watch watch(ranks, watch_options(log, ranks, 1));
    if (ranks.rank() == 2) watch.fail("disk full", 7);
    if (ranks.rank() < 2) std::this_thread::sleep_for(std::chrono::milliseconds(600));
  });
  ASSERT_FALSE(log.lines.empty());
  EXPECT_EQ(log.lines[0], "rank 2 on host2: disk full");
  EXPECT_EQ(log.codes[0], 7);
}

TEST(Watch, TheLineOfRankZeroCounts) {
  WatchLog log;
  run_ranks(2, [&](Ranks& ranks) {
    ranks::WatchOptions options = watch_options(log, ranks, 1);
    options.grace = 2;
    ranks::Watch watch(ranks, options);
    if (ranks.is_first()) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    watch.fail("no such file", 2);
  });
  ASSERT_FALSE(log.lines.empty());
  EXPECT_EQ(log.lines[0], "no such file");
  EXPECT_EQ(log.codes[0], 2);
}

TEST(Watch, NamesTheRankThatFellSilent) {
  WatchLog log;
  run_ranks(2, [&](Ranks& ranks) {
    auto watch = std::make_unique<ranks::Watch>(ranks, watch_options(log, ranks, 0.5));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    if (!ranks.is_first()) watch.reset();  // as if it had died
    std::this_thread::sleep_for(std::chrono::milliseconds(1000));
  });
  ASSERT_EQ(log.lines.size(), 1U);
  EXPECT_EQ(log.lines[0],
            "no sign of life from rank 1 on host1 for 0 s: its host or the network has failed; what was saved is kept");
  EXPECT_EQ(log.codes[0], 1);
}

}  // namespace
}  // namespace faithful
