// What each encoding costs: a training step with it, in turns with the same step without any encoding.
//
//   bench_encoding_step [--times] [NAME...]
//
// C = 38, d = 64, H = 4, two layers, feed-forward 4d, mean pooling, on one thread by processor seconds: S = 100 with
// batch 32, and S = 1,000 with batch 2. Lines of JSON for tools/bench: ms, its median ratio to that of `none`, and the memory of
// the activations. --times: positions are uneven times, for the encodings that take them.

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bench/clock.h"
#include "bench/figure.h"
#include "faithful/base/random.h"
#include "faithful/encoding/catalog.h"
#include "faithful/engine/shards.h"
#include "faithful/model/classifier.h"

namespace faithful::bench {
namespace {

constexpr std::size_t kRounds = 7;

ModelConfig config_of(const std::string& encoding, std::size_t length, bool times) {
  ModelConfig config = preset("plain");
  config.input.channels = 38;
  config.input.length = length;
  config.input.classes = 2;
  config.position.encoding = encoding;
  if (times) {
    config.position.source = PositionSource::kTime;
    config.position.time_step = 1;
  }
  std::vector<std::string> notes;
  settle_position(config, static_cast<double>(length), notes);
  return config;
}

class Step {
 public:
  Step(const std::string& encoding, std::size_t length, std::size_t batch, bool times)
      : batch_(batch),
        pool_(1),
        model_(config_of(encoding, length, times)),
        values_(batch * length * model_.config().input.channels),
        labels_(batch),
        shards_((model_.initialize(1), model_.parameters()), pool_, {.shards = 2, .seed = 1}) {
    Random random(3);
    for (float& value : values_) value = static_cast<float>(random.uniform());
    for (std::size_t b = 0; b < batch; ++b) {
      labels_[b] = static_cast<std::int32_t>(b % 2);
      double time = 0;
      for (std::size_t s = 0; times && s < length; ++s) {
        times_.push_back(static_cast<float>(time));
        time += random.uniform(0.2, 1.4);
      }
    }
  }

  double run() {
    return cpu_seconds([&] {
      const Samples<float> samples{.count = batch_, .values = values_, .times = times_};
      model_.parameters().pack(pool_);
      shards_.accumulate(batch_, [&](engine::Tape<float>& tape, std::size_t begin, std::size_t end) {
        return model_.loss(tape, samples.part(begin, end), std::span(labels_).subspan(begin, end - begin), {});
      });
      shards_.update({.rate = 1e-5});
    });
  }
  double activation_mib() const { return static_cast<double>(shards_.peak_bytes()) / 1048576; }

 private:
  std::size_t batch_;
  ThreadPool pool_;
  Classifier<float> model_;
  std::vector<float> values_, times_;
  std::vector<std::int32_t> labels_;
  engine::Shards<float> shards_;
};

void measure(const std::string& encoding, std::size_t length, std::size_t batch, bool times) {
  Step none("none", length, batch, false), step(encoding, length, batch, times);
  none.run();
  step.run();
  std::vector<double> ratios, seconds;
  for (std::size_t round = 0; round < kRounds; ++round) {
    const double before = none.run(), time = step.run(), after = none.run();
    seconds.push_back(time);
    ratios.push_back(time / ((before + after) / 2));
  }
  const std::string name = fmt::format("encoding_step_{}{}_s{}", encoding, times ? "_times" : "", length);
  print_figure(name, 1e3 * median(seconds), "ms");
  print_figure(name + "_cost", median(ratios), "x none");
  print_figure(name + "_activations", step.activation_mib(), "MiB");
}

bool is_possible(const std::string& encoding, std::size_t length, bool times) {
  if (times && !catalog_entry(encoding).real_positions) return false;
  try {
    check_config(config_of(encoding, length, times), "");
    return true;
  } catch (const InputError&) {
    return false;  // onehot where S > d
  }
}

}  // namespace
}  // namespace faithful::bench

int main(int argc, char** argv) {
  using namespace faithful;
  bool times = false;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--times") {
      times = true;
    } else {
      names.emplace_back(argv[i]);
    }
  }
  if (names.empty()) {
    for (const CatalogEntry& entry : encoding_catalog()) names.push_back(entry.name);
  }
  for (const std::string& name : names) {
    for (const auto& [length, batch] : {std::pair<std::size_t, std::size_t>{100, 32}, {1000, 2}}) {
      if (bench::is_possible(name, length, times)) bench::measure(name, length, batch, times);
    }
  }
  return 0;
}
