// A training step of DFStrans at its published size (20 sensors x 8000 samples, 80 segments of 100, d = 240, batch 16)
// in turns with oneDNN's sgemm, so that both see the same machine.
//
//   dfstrans_step [--threads N] [--rounds R] [--batch B] [--published] [--profile] [--cpu]
//
// Lines of JSON for tools/bench: ms, GFLOP/s and the share of sgemm's rate on one core times the threads (lower
// quartiles of the rounds), and the memory of the activations. --published: every sensor and step has attention weights
// of its own. --profile: seconds per operator of one step on one thread instead. --cpu: by processor seconds, for a
// busy machine.

#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/clock.h"
#include "bench/engine_case.h"
#include "bench/figure.h"
#include "faithful/base/number.h"
#include "faithful/base/random.h"
#include "faithful/engine/shards.h"
#include "faithful/model/classifier.h"

namespace faithful::bench {
namespace {

using engine::Shards;
using engine::Tape;
using engine::bench::SgemmPeer;

struct Options {
  std::size_t threads = default_threads(), rounds = 7, batch = 16;
  bool published = false, profile = false, cpu = false;
};

ModelConfig config_of(const Options& options) {
  ModelConfig config = preset("dfstrans");
  config.input.channels = 20;
  config.input.length = 8000;
  config.body.sensor_weights = config.body.step_weights = options.published;
  return config;
}

// Floating-point operations of the products of a training step, per sample: two for each multiplication and addition of
// a pass forwards, twice that backwards, less the gradient of the input, which nobody needs. Convolutions count as they
// are defined (filters x taps for every position), attention as its two products; norms, softmax, pooling and the
// update count nothing.
double flops_step(const ModelConfig& config) {
  const auto n = [](std::size_t size) { return static_cast<double>(size); };
  const double tokens = n(config.input.channels * config.steps()), d = n(config.body.width);
  const double heads = n(config.body.heads * config.key_width());
  double convolutions = 0, first = 0;
  for (std::size_t i = 0, length = config.input.segment, in = 1; i < config.input.stages;
       ++i, length /= 2, in = config.input.filters) {
    const double stage = tokens * n(length * config.input.filters * config.input.kernel * in);
    if (i == 0) first = stage;
    convolutions += stage;
  }
  const double projections = 2 * tokens * d * 4 * heads;
  const double attention = 2 * tokens * heads * n(config.steps() + config.input.channels);
  const double feed_forward = 2 * tokens * d * n(config.hidden());
  const double head = n(config.head.hidden) * (n(config.input.channels) * d + n(config.outputs()));
  return 2 * (3 * (convolutions + projections + attention + feed_forward + head) - first);
}

class Step {
 public:
  explicit Step(const Options& options)
      : options_(options),
        pool_(options.profile ? 1 : options.threads),
        model_(config_of(options)),
        values_(options.batch * model_.config().input.length * model_.config().input.channels),
        labels_(options.batch),
        shards_((model_.initialize(1), model_.parameters()), pool_, {.shards = 8, .seed = 1}) {
    Random random(3);
    for (float& value : values_) value = static_cast<float>(random.uniform());
    for (std::size_t b = 0; b < labels_.size(); ++b) labels_[b] = static_cast<std::int32_t>(b % 2);
  }

  void run(engine::Profile* profile = nullptr) {
    const Samples<float> samples{.count = options_.batch, .values = values_};
    shards_.accumulate(
        options_.batch,
        [&](Tape<float>& tape, std::size_t begin, std::size_t end) {
          return model_.loss(tape, samples.part(begin, end), std::span(labels_).subspan(begin, end - begin), {});
        },
        profile);
    shards_.update({.rate = 1e-5});
  }
  double flops() const { return static_cast<double>(options_.batch) * flops_step(model_.config()); }
  double activation_mib() const { return static_cast<double>(shards_.peak_bytes()) / 1048576; }

 private:
  Options options_;
  ThreadPool pool_;
  Classifier<float> model_;
  std::vector<float> values_;
  std::vector<std::int32_t> labels_;
  Shards<float> shards_;
};

// The most memory that the program ever had, from the kernel; 0 where it does not say.
double peak_mib() {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  char line[256];
  double kib = 0;
  while (file != nullptr && std::fgets(line, sizeof line, file) != nullptr) std::sscanf(line, "VmHWM: %lf", &kib);
  if (file != nullptr) std::fclose(file);
  return kib / 1024;
}

void print_profile(Step& step) {
  engine::Profile profile;
  step.run();
  const double whole = cpu_seconds([&] { step.run(&profile); });
  fmt::print("{:<24}{:>14}{:>14}   of {:.0f} ms on one thread\n", "operator", "forward ms", "backward ms", 1e3 * whole);
  for (const engine::Profile::Entry& entry : profile.entries()) {
    fmt::print("{:<24}{:>14.1f}{:>14.1f}\n", entry.name, 1e3 * entry.forward, 1e3 * entry.backward);
  }
}

void measure(Step& step, const Options& options) {
  SgemmPeer sgemm;
  const auto timed = [&](auto&& call) { return options.cpu ? cpu_seconds(call) : seconds(call); };
  const auto rate = [&] { return SgemmPeer::exists() ? SgemmPeer::kFlops / timed([&] { sgemm.run(); }) : 0; };
  const double used = options.cpu ? 1 : static_cast<double>(options.threads);  // cores whose seconds count
  step.run();
  rate();
  std::vector<double> times, shares;
  for (std::size_t round = 0; round < options.rounds; ++round) {
    const double before = rate(), time = timed([&] { step.run(); }), peer = (before + rate()) / 2;
    times.push_back(time);
    if (peer > 0) shares.push_back(step.flops() / time / peer / used);
  }
  const double time = engine::bench::lower_quartile(times);
  const std::string name =
      fmt::format("dfstrans_step_b{}_t{}{}", options.batch, options.threads, options.published ? "_published" : "");
  const std::string peer = options.cpu ? "oneDNN sgemm, by cpu" : fmt::format("oneDNN sgemm x {}", options.threads);
  print_figure(name, 1e3 * time, "ms");
  print_figure(name + "_rate", step.flops() / time / 1e9, "GFLOP/s", shares.empty() ? "" : peer,
               shares.empty() ? 0 : engine::bench::lower_quartile(shares));
  print_figure(name + "_activations", step.activation_mib(), "MiB");
  print_figure(name + "_memory", peak_mib(), "MiB");
}

}  // namespace
}  // namespace faithful::bench

int main(int argc, char** argv) {
  faithful::bench::Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--published") {
      options.published = true;
    } else if (flag == "--cpu") {
      options.cpu = true;
    } else if (flag == "--profile") {
      options.profile = true;
    } else {
      const std::size_t number = i + 1 < argc ? faithful::parse_number<std::size_t>(argv[++i]).value_or(0) : 0;
      std::size_t* target = flag == "--threads"  ? &options.threads
                            : flag == "--rounds" ? &options.rounds
                            : flag == "--batch"  ? &options.batch
                                                 : nullptr;
      if (target == nullptr || number == 0) {
        fmt::print(stderr, "dfstrans_step: expected --threads, --rounds or --batch and a number, found {}\n", flag);
        return 2;
      }
      *target = number;
    }
  }
  faithful::bench::Step step(options);
  if (options.profile) {
    faithful::bench::print_profile(step);
  } else {
    faithful::bench::measure(step, options);
  }
  return 0;
}
