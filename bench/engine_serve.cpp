// The engine as a worker of bench/engine_peers.py: one request per line of standard input, one line of JSON as answer.
//
//   train WIDTH THREADS BATCH   {"ms": per step, "flops": of a step}
//   infer WIDTH THREADS BATCH   the same of a pass forwards
//   sgemm N                     {"gflops": of N threads at once, each with its own product, added up}
//   peak N                      {"gflops": of multiply-adds in registers, likewise}: what a product cannot exceed
//   profile WIDTH               {"operators": [[name, forward %, backward %], ...]}
//   weights WIDTH FILE          {"tensors": [[name, [sizes]], ...]}: FILE gets all weights, then an input x and its
//                               logits, as raw float32, so that a peer can show that it computes the same

#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>

#include <fmt/format.h>

#include "bench/engine_case.h"
#include "bench/fma_peak.h"
#include "bench/worker.h"
#include "faithful/base/cpu.h"

namespace faithful::engine::bench {
namespace {

using faithful::bench::timed;
using testing::ReferenceBatch;
using testing::ReferenceConfig;
using testing::ReferenceModel;

constexpr std::size_t kShards = 8;  // the engine's default

// A model with all that a step of it needs, kept from request to request.
class Case {
 public:
  Case(std::size_t width, std::size_t threads, std::size_t batch)
      : config_(case_of(width)),
        pool_(threads),
        model_(config_),
        batch_(config_, batch),
        shards_(model_.parameters, pool_, {.shards = kShards, .at_once = samples_at_once(width, config_.positions)}),
        forward_(model_, config_, pool_, kShards) {}

  void train(Profile* profile = nullptr) {
    shards_.accumulate(
        batch_.labels.size(),
        [&](Tape<float>& tape, std::size_t begin, std::size_t end) {
          return model_.loss(tape, batch_.x, batch_.labels, begin, end);
        },
        profile);
    shards_.update({});
  }
  std::vector<float> infer() {
    std::vector<float> logits(batch_.labels.size() * config_.classes);
    forward_.run(batch_.x.data(), batch_.labels.size(), logits.data());
    return logits;
  }
  const ReferenceConfig& config() const { return config_; }
  const ReferenceModel<float>& model() const { return model_; }
  const std::vector<float>& x() const { return batch_.x; }

 private:
  ReferenceConfig config_;
  ThreadPool pool_;
  ReferenceModel<float> model_;
  ReferenceBatch<float> batch_;
  Shards<float> shards_;
  ForwardPass forward_;
};

std::string time_case(const std::string& kind, std::size_t width, std::size_t threads, std::size_t batch) {
  static std::map<std::tuple<std::size_t, std::size_t, std::size_t>, Case> cases;
  const auto key = std::make_tuple(width, threads, batch);
  Case& c = cases.try_emplace(key, width, threads, batch).first->second;
  const bool trains = kind == "train";
  const double time = trains ? timed([&] { c.train(); }) : timed([&] { (void)c.infer(); });
  const double flops = static_cast<double>(batch) * (trains ? flops_step(c.config()) : flops_forward(c.config()));
  return fmt::format(R"({{"ms": {:.5f}, "flops": {:.6g}}})", 1e3 * time, flops);
}

// rate_of_one() on every one of some threads at once, added up.
template <class Rate>
std::string added_rates(std::size_t threads, const Rate& rate_of_one) {
  std::vector<double> rates(threads);
  std::vector<std::jthread> workers;
  for (std::size_t i = 0; i < threads; ++i) {
    workers.emplace_back([&, i] { rates[i] = rate_of_one(); });
  }
  workers.clear();
  double all = 0;
  for (const double rate : rates) all += rate;
  return fmt::format(R"({{"gflops": {:.3f}}})", all / 1e9);
}

std::string time_sgemm(std::size_t threads) {
  if (!SgemmPeer::exists()) return R"({"gflops": null})";
  return added_rates(threads, [] {
    SgemmPeer peer;
    return SgemmPeer::kFlops / timed([&] { peer.run(); });
  });
}

std::string write_weights(std::size_t width, const std::string& path) {
  Case c(width, 1, 2);
  faithful::bench::TensorFile file(path);
  file.write(c.model().parameters);
  file.write("x", c.x(), {2, c.config().positions, c.config().channels});
  file.write("logits", c.infer(), {2, c.config().classes});
  return file.answer();
}

std::string answer(const std::string& line) {
  std::istringstream words(line);
  std::string kind, file;
  std::size_t width = 0, threads = 0, batch = 0;
  words >> kind;
  if ((kind == "train" || kind == "infer") && words >> width >> threads >> batch) {
    return time_case(kind, width, threads, batch);
  }
  if (kind == "sgemm" && words >> threads) return time_sgemm(threads);
  if (kind == "peak" && words >> threads)
    return added_rates(threads, [] { return faithful::bench::fma_peak(faithful::bench::kTurn); });
  if (kind == "profile" && words >> width) {
    Case c(width, 1, 32);
    return faithful::bench::profile_of([&](Profile* profile) { c.train(profile); });
  }
  if (kind == "weights" && words >> width >> file) return write_weights(width, file);
  return R"({"error": "not a request"})";
}

}  // namespace
}  // namespace faithful::engine::bench

int main() {
  faithful::bench::serve("faithful, " + faithful::instruction_set(), faithful::engine::bench::answer);
}
