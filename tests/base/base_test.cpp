#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faithful/base/cpu.h"
#include "faithful/base/cpu_internal.h"
#include "faithful/base/error.h"
#include "faithful/base/number.h"
#include "faithful/base/progress.h"
#include "faithful/base/random.h"
#include "faithful/base/threads.h"
#include "faithful/base/utf8.h"
#include "faithful/base/version.h"
#include "tests/support.h"

namespace faithful {
namespace {

TEST(Error, SaysPlaceWantedFoundHint) {
  const Complaint complaint{{"pump.csv", 17, 4}, "a number", quote("n/a"), "a hint"};
  EXPECT_EQ(to_string(complaint), "pump.csv:17:4: expected a number, found \"n/a\" (a hint)");
}

TEST(Error, NamesFieldsInTheWordsOfASurface) {
  const InputError error(
      to_string({{.field = "dim"}, "at least 1", "0", fmt::format("or {}", field_text("missing", "zero"))}));
  EXPECT_EQ(std::string(error.what()), "dim: expected at least 1, found 0 (or missing = zero)");
  EXPECT_EQ(error.spelled_by([](auto name, auto value) { return fmt::format("<{}|{}>", name, value); }),
            "<dim|>: expected at least 1, found 0 (or <missing|zero>)");
  EXPECT_EQ(spelled("no field \x1c here \x1e"), "no field \x1c here \x1e");
}

TEST(Error, QuotedTextStaysOnOneLine) {
  EXPECT_EQ(quote("a\"b\\c\td\ne\rf\x01\x7f"), R"("a\"b\\c\td\ne\rf\x01\x7f")");
  EXPECT_EQ(quote(std::string(50, 'x'), 3), "\"xxx\"...");
  EXPECT_EQ(quote(""), "\"\"");
  EXPECT_EQ(quote("d\xc3\xa9j\xc3\xa0 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "\"d\xc3\xa9j\xc3\xa0 \xe2\x82\xac \xf0\x9f\x98\x80\"");
  EXPECT_EQ(quote("\xff\xc3 \xc0\xaf\xed\xa0\x80\xc2\x85\xf4\x90\x80\x80\xe2\x82"),
            R"("\xff\xc3 \xc0\xaf\xed\xa0\x80\u0085\xf4\x90\x80\x80\xe2\x82")");
  EXPECT_EQ(quote("a\xc3\xa9\xc3\xa9", 2), "\"a\xc3\xa9\"...");
}

TEST(Utf8, WhatActsOnATerminalIsShown) {
  EXPECT_EQ(printable("\x1b[31mred\x07\r\n\t\x7f"), R"(\x1b[31mred\x07\r\n\t\x7f)");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m \xe2\x80\xae"
                      "abc\xe2\x81\xa6 \xe2\x80\xa8 \xff"),
            R"(\u009b31m \u202eabc\u2066 \u2028 \xff)");
  EXPECT_EQ(printable("caf\xc3\xa9 \\ \xe6\xbc\xa2"), "caf\xc3\xa9 \\ \xe6\xbc\xa2");
  EXPECT_EQ(printable_lines("a\n\tb\x1b\r"), "a\n\tb\\x1b\\r");
}

TEST(Text, NamesInUtf8) {
  EXPECT_EQ(as_utf8("caf\xc3\xa9"), "caf\xc3\xa9");
  EXPECT_EQ(as_utf8("caf\xe9"), "caf\xc3\xa9") << "Latin-1";
  EXPECT_EQ(as_utf8("\xff\x80"), "\xc3\xbf\xc2\x80");
  EXPECT_EQ(as_utf8("\xc3\xa9 \xe9"), "\xc3\x83\xc2\xa9 \xc3\xa9") << "one or the other, not both";
  EXPECT_EQ(as_utf8(""), "");
}

TEST(Error, SuggestsNearNamesOnly) {
  const std::vector<std::string> names{"sinusoidal", "dft", "rope", "learned", "learned-frequency"};
  EXPECT_EQ(suggest("sinusoid", names), "did you mean sinusoidal?");
  EXPECT_EQ(suggest("dtf", names), "known: sinusoidal, dft, rope, learned, learned-frequency");
  EXPECT_EQ(suggest("dff", names), "did you mean dft?");
  EXPECT_EQ(suggest("learnd", names), "did you mean learned?");
  EXPECT_EQ(suggest(std::string(100, 'd'), {"dft"}), "known: dft");
  EXPECT_EQ(suggest("", {"dft"}), "known: dft");
}

TEST(Number, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_number<int>("42"), 42);
  EXPECT_EQ(parse_number<double>("+1.5e3"), 1500.0);
  for (const char* bad : {"", "+", "+-1", "1 ", " 1", "1x", "0x10", "1e400", "--1"}) {
    EXPECT_FALSE(parse_number<double>(bad)) << bad;
  }
  EXPECT_FALSE(parse_number<unsigned>("-1"));
  EXPECT_FALSE(parse_number<int>("3000000000"));
}

// Known answers of Philox4x32-10 from the authors' Random123 distribution.
TEST(Random, PhiloxGivesThePublishedNumbers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, SameSeedSameNumbersAndStreamsDiffer) {
  Random a(7, 3), b(7, 3), other_stream(7, 4), other_seed(8, 3);
  const std::uint64_t first = a.bits64();
  EXPECT_EQ(first, b.bits64());
  EXPECT_NE(first, other_stream.bits64());
  EXPECT_NE(first, other_seed.bits64());
}

TEST(Random, MomentsOfUniformAndNormal) {
  Random random(1);
  constexpr int kDraws = 200000;
  double sum = 0, square = 0, normal_sum = 0, normal_square = 0, normal_fourth = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = random.uniform(), z = random.normal();
    ASSERT_TRUE(u >= 0 && u < 1);
    sum += u;
    square += u * u;
    normal_sum += z;
    normal_square += z * z;
    normal_fourth += z * z * z * z;
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 0.003);
  EXPECT_NEAR(square / kDraws, 1.0 / 3, 0.003);
  EXPECT_NEAR(normal_sum / kDraws, 0, 0.01);
  EXPECT_NEAR(normal_square / kDraws, 1, 0.015);
  EXPECT_NEAR(normal_fourth / kDraws, 3, 0.12);
}

TEST(Random, BelowIsUnbiasedAndShufflePermutes) {
  Random random(5);
  std::array<int, 3> seen{};
  for (int i = 0; i < 30000; ++i) ++seen.at(random.below(3));
  for (const int n : seen) EXPECT_NEAR(n, 10000, 350);
  EXPECT_EQ(random.below(1), 0U);
  std::vector<int> items(100);
  std::iota(items.begin(), items.end(), 0);
  std::vector<int> shuffled = items;
  random.shuffle(std::span(shuffled));
  EXPECT_NE(shuffled, items);
  std::sort(shuffled.begin(), shuffled.end());
  EXPECT_EQ(shuffled, items);
}

TEST(Random, StreamOfANameIsItsFnvHash) {
  EXPECT_EQ(stream_of(""), 0xCBF29CE484222325U);
  EXPECT_EQ(stream_of("a"), 0xAF63DC4C8601EC8CU);
}

TEST(Threads, RunsEveryTaskOnce) {
  for (const std::size_t threads : {1, 2, 4, 7}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (const std::size_t count : {0, 1, 2, 5, 1000}) {
      std::vector<int> hits(count, 0);
      pool.run(count, [&](std::size_t i) { ++hits[i]; });
      EXPECT_EQ(hits, std::vector<int>(count, 1));
    }
  }
}

TEST(Threads, ThrowsTheFirstFailureAndStaysUsable) {
  ThreadPool pool(4);
  for (int round = 0; round < 50; ++round) {
    EXPECT_THROW(pool.run(100,
                          [](std::size_t i) {
                            if (i == 13) throw Error("thirteen");
                          }),
                 Error);
    std::atomic<int> sum{0};
    pool.run(10, [&](std::size_t i) { sum += static_cast<int>(i); });
    EXPECT_EQ(sum, 45);
  }
}

TEST(Threads, AWorkerThatWakesLateTouchesNothing) {
  ThreadPool pool(4);
  for (int round = 0; round < 20'000; ++round) {  // most workers find each call over; its task and memory are gone then
    std::vector<int> hits(2, 0);
    pool.run(hits.size(), [&hits](std::size_t i) { ++hits[i]; });
    ASSERT_EQ(hits, std::vector<int>(2, 1));
  }
}

TEST(Threads, NestedRunsAndSeveralCallersFinish) {
  ThreadPool pool(3);
  std::atomic<int> calls{0};
  pool.run(4, [&](std::size_t) { pool.run(5, [&](std::size_t) { ++calls; }); });
  EXPECT_EQ(calls, 20);
  std::thread other([&] { pool.run(100, [&](std::size_t) { ++calls; }); });
  pool.run(100, [&](std::size_t) { ++calls; });
  other.join();
  EXPECT_EQ(calls, 220);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

// The exit code of a child process that calls `body` and ends with what it returns; -1 where it was killed or hung.
int exit_code_of_fork(const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    ::_exit(body() ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Threads, APoolInAForkedChildRunsAndIsDestroyed) {
  if (kSanitized) GTEST_SKIP() << "the sanitizers' runtimes do not support threads after a fork of several threads";
  for (int round = 0; round < 20; ++round) {
    auto pool = std::make_unique<ThreadPool>(4);
    std::atomic<int> sum{0};
    pool->run(10, [&](std::size_t i) { sum += static_cast<int>(i); });
    ASSERT_EQ(exit_code_of_fork([&] {
                pool->run(10, [&](std::size_t i) { sum += static_cast<int>(i); });
                pool.reset();
                ThreadPool(3).run(10, [&](std::size_t i) { sum += static_cast<int>(i); });
                return sum == 3 * 45;
              }),
              0);
    ASSERT_EQ(exit_code_of_fork([&] {  // in the middle of the parent's work
                bool right = false;
                pool->run(8, [&](std::size_t i) {
                  if (i != 3) return;
                  right = exit_code_of_fork([&] {
                            pool.reset();
                            return true;
                          }) == 0;
                });
                return right;
              }),
              0);
    pool->run(10, [&](std::size_t i) { sum += static_cast<int>(i); });
    EXPECT_EQ(sum, 2 * 45);
  }
}

TEST(Threads, ParallelForCoversTheRangeOnce) {
  ThreadPool pool(2);
  for (const std::size_t count : {0, 1, 7, 64, 1001}) {
    for (const std::size_t grain : {0, 1, 10, 5000}) {
      std::vector<int> hits(count, 0);
      parallel_for(pool, count, grain, [&](std::size_t begin, std::size_t end) {
        ASSERT_LT(begin, end);
        for (std::size_t i = begin; i < end; ++i) ++hits[i];
      });
      EXPECT_EQ(hits, std::vector<int>(count, 1)) << count << " by " << grain;
    }
  }
}

TEST(Threads, EnvironmentSetsTheNumber) {
  setenv("FAITHFUL_THREADS", "3", 1);
  EXPECT_EQ(default_threads(), 3U);
  for (const char* bad : {"0", "two", "-1", "1025"}) {
    setenv("FAITHFUL_THREADS", bad, 1);
    EXPECT_EQ(testing::rejection([] { default_threads(); }),
              "FAITHFUL_THREADS: expected a number of threads from 1 to 1024, found " + quote(bad));
  }
  unsetenv("FAITHFUL_THREADS");
  EXPECT_GE(default_threads(), 1U);
}

// A clock and a screen of our own.
struct FakeScreen {
  double now = 0;
  std::string shown;
  ProgressSink sink(int columns) {
    return {[this](const std::string& text) { shown += text; }, [this] { return now; }, columns};
  }
};

TEST(Progress, DrawsABarWithTimeLeftAndErasesIt) {
  FakeScreen screen;
  {
    Progress progress("train", 10, screen.sink(80));
    progress.set_note("loss 0.31");
    screen.now = 4;
    progress.advance(2);
    EXPECT_EQ(screen.shown, "\r\x1b[Ktrain [####....................]  20 %  16 s left  loss 0.31");
    screen.shown.clear();
  }
  EXPECT_EQ(screen.shown, "\r\x1b[K");
}

TEST(Progress, PlainLinesWithoutATerminal) {
  FakeScreen screen;
  {
    Progress progress("read", 100, screen.sink(0));
    for (int second = 1; second <= 25; ++second) {
      screen.now = second;
      progress.advance(4);
    }
  }
  EXPECT_EQ(screen.shown, "read: 40/100, 15 s left\nread: 80/100, 5.0 s left\nread: 100/100, 0.0 s left\n");
}

TEST(Progress, QuickJobsShowNothing) {
  FakeScreen screen;
  {
    Progress bar("a", 2, screen.sink(80)), lines("b", 2, screen.sink(0));
    screen.now = 0.4;
    bar.advance(2);
    screen.now = 3;
    lines.advance(2);
  }
  EXPECT_EQ(screen.shown, "");
}

TEST(Progress, CutsTheBarToTheTerminal) {
  FakeScreen screen;
  Progress progress("title", 2, screen.sink(10));
  screen.now = 1;
  progress.advance();
  EXPECT_EQ(screen.shown, "\r\x1b[Ktitle [##");
}

TEST(Progress, DurationsForPeople) {
  EXPECT_EQ(duration_text(0.04), "0.0 s");
  EXPECT_EQ(duration_text(9.94), "9.9 s");
  EXPECT_EQ(duration_text(9.96), "10 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(7500), "2 h 05 min");
  EXPECT_EQ(duration_text(273600), "3 d 04 h");
  EXPECT_EQ(duration_text(INFINITY), "?");
}

TEST(Version, SaysVersionCommitCompiler) {
  const BuildInfo info = build_info();
  EXPECT_EQ(std::count(info.version.begin(), info.version.end(), '.'), 2);
  EXPECT_FALSE(info.commit.empty());
  EXPECT_NE(info.compiler.find("++ "), std::string::npos);
}

TEST(Cpu, UsesOneOfTheSetsOfThisMachine) {
  const std::vector<std::string> sets = instruction_sets();
  ASSERT_FALSE(sets.empty());
  EXPECT_EQ(sets.back(), "scalar");
  EXPECT_NE(std::find(sets.begin(), sets.end(), instruction_set()), sets.end());
  const std::string before = instruction_set();
  for (const std::string& name : sets) {
    use_instruction_set(name);
    EXPECT_EQ(instruction_set(), name);
    EXPECT_EQ(instruction_sets(), sets);
  }
  use_instruction_set(before);
}

}  // namespace
}  // namespace faithful
