// The training step of DESIGN's bars and its inference, timed in turns with oneDNN's sgemm so that both see the same
// machine.
//
//   engine_step [--width D]... [--threads N]... [--rounds R] [--shards K] [--json FILE] [--profile] [--infer]
//   [--positions S]... [--batch B] [--cpu]
//
// One line per case: milliseconds per step and the share (lower quartiles of the rounds) of sgemm's rate at n = 1024 on
// one core times the threads used. --cpu counts processor seconds instead of those on the wall: the figure to look at
// while others use the machine (it says nothing about how well threads share the work).

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/engine_case.h"
#include "faithful/base/cpu.h"
#include "faithful/base/number.h"

namespace faithful::engine {
namespace {

using testing::ReferenceBatch;
using testing::ReferenceConfig;
using testing::ReferenceModel;

bool count_cpu = false;

double now() {
  if (count_cpu) {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Work>
double seconds(const Work& work) {
  const double start = now();
  work();
  return now() - start;
}

// oneDNN's rate on one core, in operations per second; 0 where there is none.
double sgemm_rate(bench::SgemmPeer& sgemm) {
  return bench::SgemmPeer::exists() ? bench::SgemmPeer::kFlops / seconds([&] { sgemm.run(); }) : 0;
}

struct Options {
  std::vector<std::size_t> widths = {}, threads = {}, positions = {};
  std::size_t rounds = 7, shards = 8, batch = 32;
  bool profile = false, infer = false;
  std::string json = {};
};

struct Result {
  std::string name;
  double milliseconds, share, peak_mib;
};

Result measure(const Options& options, ReferenceConfig config, std::size_t threads, bench::SgemmPeer& sgemm) {
  ThreadPool pool(threads);
  ReferenceModel<float> model(config);
  const ReferenceBatch<float> batch(config, options.batch);
  Shards<float> shards(model.parameters, pool,
                       {.shards = options.shards, .at_once = samples_at_once(config.width, config.positions)});
  bench::ForwardPass forward(model, config, pool, options.shards);
  std::vector<float> logits(options.batch * config.classes);
  Profile profile;
  const auto step = [&](Profile* to) {
    if (options.infer) {
      forward.run(batch.x.data(), options.batch, logits.data());
      return;
    }
    shards.accumulate(
        options.batch,
        [&](Tape<float>& tape, std::size_t begin, std::size_t end) {
          return model.loss(tape, batch.x, batch.labels, begin, end);
        },
        to);
    shards.update({});
  };
  step(nullptr);
  const double once = seconds([&] { step(nullptr); });
  const auto repeats = static_cast<std::size_t>(std::max(1.0, 0.2 / once));
  const double flops =
      static_cast<double>(options.batch) * (options.infer ? bench::flops_forward(config) : bench::flops_step(config));
  std::vector<double> times, shares;
  for (std::size_t round = 0; round < options.rounds; ++round) {
    const double before = sgemm_rate(sgemm);
    const double time = seconds([&] {
                          for (std::size_t i = 0; i < repeats; ++i) step(nullptr);
                        }) /
                        static_cast<double>(repeats);
    const double rate = (before + sgemm_rate(sgemm)) / 2;
    times.push_back(time);
    if (rate > 0) shares.push_back(flops / time / rate / (count_cpu ? 1 : static_cast<double>(threads)));
  }
  if (options.profile && !options.infer && threads == 1) {
    const double whole = seconds([&] { step(&profile); });
    fmt::print("  {:<24}{:>12}{:>12}\n", "operator", "forward %", "backward %");
    for (const Profile::Entry& entry : profile.entries()) {
      fmt::print("  {:<24}{:>12.1f}{:>12.1f}\n", entry.name, 100 * entry.forward / whole, 100 * entry.backward / whole);
    }
  }
  const std::string name = fmt::format("engine_{}_d{}_s{}_b{}_t{}", options.infer ? "infer" : "step", config.width,
                                       config.positions, options.batch, threads);
  return {name, 1e3 * bench::lower_quartile(times), shares.empty() ? 0 : bench::lower_quartile(shares),
          static_cast<double>(shards.peak_bytes()) / 1048576.0};
}

int run(const Options& options) {
  bench::SgemmPeer sgemm;
  std::vector<Result> results;
  sgemm_rate(sgemm);
  fmt::print("instruction set {}, sgemm {:.1f} GFLOP/s on one core, {} rounds\n", instruction_set(),
             sgemm_rate(sgemm) / 1e9, options.rounds);
  fmt::print("{:<32}{:>12}{:>16}{:>14}\n", "case", "ms", "% of sgemm", "memory MiB");
  for (const std::size_t positions : options.positions) {
    for (const std::size_t width : options.widths) {
      for (const std::size_t threads : options.threads) {
        const Result r = measure(options, bench::case_of(width, positions), threads, sgemm);
        fmt::print("{:<32}{:>12.2f}{:>16.1f}{:>14.1f}\n", r.name, r.milliseconds, 100 * r.share, r.peak_mib);
        std::fflush(stdout);
        results.push_back(r);
      }
    }
  }
  if (!options.json.empty()) {
    std::ofstream file(options.json);
    std::string separator = "[\n";
    for (const Result& r : results) {
      file << separator
           << fmt::format(
                  R"(  {{"name": "{}", "value": {:.4f}, "unit": "ms", "peer": "oneDNN sgemm", "ratio": {:.4f}}})",
                  r.name, r.milliseconds, r.share);
      separator = ",\n";
    }
    file << "\n]\n";
    if (!file) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace faithful::engine

int main(int argc, char** argv) {
  faithful::engine::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--profile") {
      options.profile = true;
    } else if (flag == "--cpu") {
      faithful::engine::count_cpu = true;
    } else if (flag == "--infer") {
      options.infer = true;
    } else if (flag == "--json" && i + 1 < argc) {
      options.json = argv[++i];
    } else {
      const auto number = i + 1 < argc ? faithful::parse_number<std::size_t>(argv[++i]) : std::nullopt;
      if (!number || *number == 0) {
        fmt::print(stderr, "engine_step: expected a number of at least 1 after {}\n", flag);
        return 2;
      }
      if (flag == "--width")
        options.widths.push_back(*number);
      else if (flag == "--threads")
        options.threads.push_back(*number);
      else if (flag == "--positions")
        options.positions.push_back(*number);
      else if (flag == "--rounds")
        options.rounds = *number;
      else if (flag == "--shards")
        options.shards = *number;
      else if (flag == "--batch")
        options.batch = *number;
      else {
        fmt::print(stderr, "engine_step: {} is not known\n", flag);
        return 2;
      }
    }
  }
  if (options.widths.empty()) options.widths = {64, 128, 256};
  if (options.threads.empty()) options.threads = {1, 2};
  if (options.positions.empty()) options.positions = {100};
  return faithful::engine::run(options);
}
