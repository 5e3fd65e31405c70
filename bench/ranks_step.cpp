// A training step over ranks, for bench/ranks_peers.py:
//
//   mpirun -n N ranks_step CASE THREADS SECONDS [gather]
//   mpirun -n 2 ranks_step link
//
// CASE: 64, 128, 256 (the model of engine_step of that width, batch 32) or dfstrans (as dfstrans_step, batch 16). Rank 0
// prints a line of JSON: milliseconds of a step (median), of them those in which it waits for other ranks, and the
// bytes of the gradients. `gather` instead of the chain: all shards' gradients go to rank 0, which adds them and sends
// the sum to all. (Their numbers do not matter to the time, and are zeros.) `link`: seconds that a message of 1 KB and
// one of 256 KB take from rank to rank, and those of adding 65,536 numbers.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/engine_case.h"
#include "faithful/base/number.h"
#include "faithful/base/random.h"
#include "faithful/engine/kernels.h"
#include "faithful/model/classifier.h"
#include "faithful/ranks/start.h"

namespace faithful::bench {
namespace {

using engine::Shards;
using engine::Tape;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Case {
  std::size_t batch = 0, at_once = 0;
  engine::Parameters<float>* parameters = nullptr;
  std::function<engine::Tensor<float>(Tape<float>&, std::size_t begin, std::size_t end)> loss;
};

// The shards of this rank alone, then all of them at rank 0, added in their order, and the sum to everyone.
class Gather {
 public:
  Gather(Ranks& ranks, const engine::Parameters<float>& parameters, std::size_t shards)
      : ranks_(ranks), own_(shards / ranks.size()), gradients_(shards, std::vector<float>(parameters.size())) {}

  // gradients_[0 .. own) are this rank's.
  void add_up() {
    std::vector<Transfer> transfers;
    for (std::size_t shard = 0; shard < gradients_.size(); ++shard) {
      const std::size_t rank = shard / own_;
      if (ranks_.is_first() && rank > 0)
        transfers.push_back(ranks_.start_receive(std::as_writable_bytes(std::span(gradients_[shard])), rank,
                                                 RankChannel::kPartialSums));
      if (!ranks_.is_first() && rank == ranks_.rank())
        transfers.push_back(
            ranks_.start_send(std::as_bytes(std::span(gradients_[shard - rank * own_])), 0, RankChannel::kPartialSums));
    }
    for (Transfer& transfer : transfers) ranks_.wait(transfer);
    std::vector<float>& sum = gradients_[0];
    if (ranks_.is_first()) {
      for (std::size_t shard = 1; shard < gradients_.size(); ++shard)
        engine::add(gradients_[shard].data(), sum.size(), sum.data());
      for (std::size_t rank = 1; rank < ranks_.size(); ++rank) {
        Transfer transfer = ranks_.start_send(std::as_bytes(std::span(sum)), rank, RankChannel::kSums);
        ranks_.wait(transfer);
      }
    } else {
      Transfer transfer = ranks_.start_receive(std::as_writable_bytes(std::span(sum)), 0, RankChannel::kSums);
      ranks_.wait(transfer);
    }
  }
  std::vector<float>& gradients(std::size_t shard) { return gradients_[shard]; }

 private:
  Ranks& ranks_;
  std::size_t own_;  // shards of each rank
  std::vector<std::vector<float>> gradients_;
};

constexpr std::size_t kShards = 8;

// Steps for some seconds; prints their median.
void measure(Ranks& ranks, const Case& one, const std::string& name, std::size_t threads, double seconds, bool gather) {
  ThreadPool pool(threads);
  Shards<float> shards(*one.parameters, pool,
                       {.shards = gather ? kShards / ranks.size() : kShards,
                        .at_once = one.at_once,
                        .ranks = gather || ranks.is_alone() ? nullptr : &ranks});
  const std::size_t batch = gather ? one.batch / ranks.size() : one.batch;
  std::optional<Gather> gatherer;
  if (gather) gatherer.emplace(ranks, *one.parameters, kShards);
  double waited = 0;
  const auto step = [&] {
    shards.accumulate(batch, one.loss);
    if (gather) {
      const double start = now();
      gatherer->add_up();
      waited += now() - start;
    }
    shards.update({.rate = 1e-5}, 1 / std::max(1.0, shards.gradient_norm()));
  };
  for (int i = 0; i < 3; ++i) step();
  waited = -shards.wait_seconds();
  std::vector<double> times;
  const double start = now();
  for (bool more = true; more;) {
    const double before = now();
    step();
    times.push_back(now() - before);
    more = ranks.is_alone() ? now() - start < seconds : ranks.broadcast(now() - start < seconds ? "1" : "0") == "1";
  }
  waited += gather ? 0 : shards.wait_seconds();
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  if (!ranks.is_first()) return;
  fmt::print(
      R"({{"case": "{}", "ranks": {}, "threads": {}, "how": "{}", "ms": {:.4f}, "wait_ms": {:.4f}, "bytes": {}}})"
      "\n",
      name, ranks.size(), threads, gather ? "gather" : "chain", 1e3 * times[times.size() / 2],
      1e3 * waited / static_cast<double>(times.size()), 4 * one.parameters->size());
}

// Half of the time of a message there and back, median.
double hop(Ranks& ranks, std::size_t bytes) {
  std::vector<std::byte> buffer(bytes);
  std::vector<double> times;
  const auto pass = [&](bool sends) {
    Transfer transfer = sends ? ranks.start_send(buffer, 1 - ranks.rank(), RankChannel::kSums)
                              : ranks.start_receive(buffer, 1 - ranks.rank(), RankChannel::kSums);
    ranks.wait(transfer);
  };
  for (int i = 0; i < 300; ++i) {
    const double start = now();
    pass(ranks.is_first());
    pass(!ranks.is_first());
    times.push_back((now() - start) / 2);
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

void measure_link(Ranks& ranks) {
  const double small = hop(ranks, 1024), large = hop(ranks, 4 * engine::kBucketNumbers);
  std::vector<float> x(engine::kBucketNumbers, 1.0F), y(engine::kBucketNumbers, 1.0F);
  std::vector<double> times;
  for (int i = 0; i < 300; ++i) {
    const double start = now();
    engine::add(x.data(), x.size(), y.data());
    times.push_back(now() - start);
  }
  std::ranges::sort(times);
  if (ranks.is_first())
    fmt::print(R"({{"small": {:.9f}, "bucket": {:.9f}, "add": {:.9f}}})"
               "\n",
               small, large, times[times.size() / 2]);
}

void run(Ranks& ranks, const std::string& name, std::size_t threads, double seconds, bool gather) {
  if (name != "dfstrans") {
    const auto config = engine::bench::case_of(parse_number<std::size_t>(name).value_or(64));
    engine::testing::ReferenceModel<float> model(config);
    const engine::testing::ReferenceBatch<float> batch(config, 32);
    measure(ranks,
            {32, engine::samples_at_once(config.width, config.positions), &model.parameters,
             [&](Tape<float>& tape, std::size_t begin, std::size_t end) {
               return model.loss(tape, batch.x, batch.labels, begin, end);
             }},
            name, threads, seconds, gather);
    return;
  }
  ModelConfig config = preset("dfstrans");
  config.input.channels = 20;
  config.input.length = 8000;
  Classifier<float> model(config);
  model.initialize(1);
  std::vector<float> values(16 * config.input.length * config.input.channels);
  Random random(3);
  for (float& value : values) value = static_cast<float>(random.uniform());
  const std::vector<std::int32_t> labels = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
  const Samples<float> samples{.count = 16, .values = values};
  measure(ranks,
          {16, 0, &model.parameters(),
           [&](Tape<float>& tape, std::size_t begin, std::size_t end) {
             return model.loss(tape, samples.part(begin, end), std::span(labels).subspan(begin, end - begin), {});
           }},
          name, threads, seconds, gather);
}

}  // namespace
}  // namespace faithful::bench

int main(int argc, char** argv) {
  const bool link = argc == 2 && std::string(argv[1]) == "link";
  if (argc < 4 && !link) {
    fmt::print(stderr, "ranks_step: expected CASE THREADS SECONDS [gather]\n");
    return 2;
  }
  const auto ranks =
      faithful::start_ranks({.report = [](const std::string& line) { fmt::print(stderr, "ranks_step: {}\n", line); }});
  if (link)
    faithful::bench::measure_link(*ranks);
  else
    faithful::bench::run(*ranks, argv[1], faithful::parse_number<std::size_t>(argv[2]).value_or(1),
                         faithful::parse_number<double>(argv[3]).value_or(1),
                         argc > 4 && std::string(argv[4]) == "gather");
  ranks->finish();
}
