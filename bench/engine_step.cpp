// The training step of DESIGN's bars and its inference, timed in turns with oneDNN's sgemm so that both see the same
// machine.
//
//   engine_step [--width D]... [--threads N]... [--rounds R] [--shards K] [--json FILE] [--profile] [--infer]
//   [--positions S]... [--batch B] [--cpu]
//
// One line per case: milliseconds per step (lower quartile of the rounds), and the share of sgemm's rate at n = 1024 on
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

#include "faithful/base/cpu.h"
#include "faithful/base/number.h"
#include "tests/engine/oracle_blas.h"
#include "tests/engine/reference_model.h"

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

double lower_quartile(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 4];
}

// Floating-point operations of the products of one pass forwards, per sample; backwards takes twice that, less the
// gradient of the input, which nobody needs.
double flops_forward(const ReferenceConfig& c) {
  const double s = static_cast<double>(c.positions), d = static_cast<double>(c.width);
  const double layer = s * 12 * d * d + 2 * s * s * d;
  return 2 * (s * d * static_cast<double>(c.channels) + static_cast<double>(c.layers) * layer);
}
double flops_step(const ReferenceConfig& c) {
  return 3 * flops_forward(c) -
         2 * static_cast<double>(c.positions) * static_cast<double>(c.width) * static_cast<double>(c.channels);
}

// oneDNN's rate on one core, in operations per second; 0 where there is no oneDNN.
class Sgemm {
 public:
  double rate() {
    const auto all = oracle_sgemms();
    if (all.empty()) return 0;
    constexpr double n = kSize;
    return 2 * n * n * n / seconds([&] { all[0].second(kSize, kSize, kSize, a_.data(), b_.data(), c_.data()); });
  }

 private:
  static constexpr std::size_t kSize = 1024;
  std::vector<float> a_ = std::vector<float>(kSize * kSize, 0.5F), b_ = a_, c_ = a_;
};

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

Result measure(const Options& options, ReferenceConfig config, std::size_t threads, Sgemm& sgemm) {
  ThreadPool pool(threads);
  ReferenceModel<float> model(config);
  const ReferenceBatch<float> batch(config, options.batch);
  Shards<float> shards(model.parameters, pool, {.shards = options.shards});
  Profile profile;
  const auto step = [&](Profile* to) {
    if (options.infer) {
      shards.infer(options.batch, [&](Tape<float>& tape, std::size_t begin, std::size_t end) {
        model.logits(tape, batch.x.data() + begin * config.positions * config.channels, end - begin);
      });
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
      static_cast<double>(options.batch) * (options.infer ? flops_forward(config) : flops_step(config));
  std::vector<double> times, shares;
  for (std::size_t round = 0; round < options.rounds; ++round) {
    const double before = sgemm.rate();
    const double time = seconds([&] {
                          for (std::size_t i = 0; i < repeats; ++i) step(nullptr);
                        }) /
                        static_cast<double>(repeats);
    const double rate = (before + sgemm.rate()) / 2;
    times.push_back(time);
    if (rate > 0) shares.push_back(-flops / time / rate / (count_cpu ? 1 : static_cast<double>(threads)));
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
  return {name, 1e3 * lower_quartile(times), shares.empty() ? 0 : -lower_quartile(shares),
          static_cast<double>(shards.peak_bytes()) / 1048576.0};
}

int run(const Options& options) {
  Sgemm sgemm;
  std::vector<Result> results;
  sgemm.rate();
  fmt::print("instruction set {}, sgemm {:.1f} GFLOP/s on one core, {} rounds\n", instruction_set(), sgemm.rate() / 1e9,
             options.rounds);
  fmt::print("{:<32}{:>12}{:>16}{:>14}\n", "case", "ms", "% of sgemm", "memory MiB");
  for (const std::size_t positions : options.positions) {
    for (const std::size_t width : options.widths) {
      for (const std::size_t threads : options.threads) {
        const ReferenceConfig config{
            .width = width, .heads = width > 128 ? std::size_t{8} : std::size_t{4}, .positions = positions};
        const Result r = measure(options, config, threads, sgemm);
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
