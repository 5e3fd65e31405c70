// A training step of the default recipe (preset "standard") as a worker of bench/recipe_peers.py: one request per line
// of standard input, one line of JSON as answer. SHAPE is CxTxK: channels, samples of a window, classes.
//
//   train SHAPE THREADS BATCH      {"ms": per step, "flops": of its products}
//   augmented SHAPE THREADS BATCH  the same with the augmentation of the batch
//   profile SHAPE BATCH            {"operators": [[name, forward %, backward %], ...]}
//   weights SHAPE FILE             {"tensors": [[name, [sizes]], ...]}: FILE gets all weights, the encoding's table, an
//                                  input x and its logits, as raw float32
//
//   --cpu counts processor seconds instead of those on the wall: for a busy machine, with one thread

#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "bench/predict_case.h"
#include "bench/worker.h"
#include "faithful/base/cpu.h"
#include "faithful/engine/schedule.h"
#include "faithful/engine/shards.h"
#include "faithful/model/classifier.h"
#include "faithful/train/augment_internal.h"
#include "faithful/train/options.h"

namespace faithful::bench {
namespace {

ModelConfig config_of(const std::string& shape) {
  ModelConfig config = preset("standard");
  char x = 0;
  std::istringstream(shape) >> config.input.channels >> x >> config.input.length >> x >> config.input.classes;
  settle(config);
  return config;
}

// Floating-point operations of the products of one pass forwards, per sample, and those of the branches alone.
struct Flops {
  double all, branches;
};
Flops flops_forward(const ModelConfig& c) {
  const auto number = [](std::size_t n) { return static_cast<double>(n); };
  const double steps = number(c.steps()), rows = number(c.steps() * c.input.segment), d = number(c.body.width);
  const double columns = number(c.input.channels * (1 + c.input.differences));
  const double width = number(c.input.branches * c.input.filters);
  constexpr double kBlockKernel = 5;
  double branches = 0;
  for (std::size_t i = 0; i < c.input.branches; ++i) {
    branches += 2 * rows * number(branch_kernel(c.input, i)) * columns * number(c.input.filters);
  }
  const double blocks = number(c.input.blocks) * rows * width * (width + kBlockKernel);
  const double embedding = steps * number(c.input.segment) * width * d;
  const double layers = number(c.body.layers) * (steps * 12 * d * d + 2 * steps * steps * d);
  return {branches + 2 * (blocks + embedding + layers + d * number(c.outputs())), branches};
}

// Backwards takes twice that, less the gradient of the samples and their differences, which nobody needs.
double flops_step(const ModelConfig& c) {
  const Flops forward = flops_forward(c);
  return 3 * forward.all - forward.branches;
}

// All that a step needs, kept from request to request. The same as in faithful/train/train.cpp.
class Case {
 public:
  Case(const std::string& shape, std::size_t threads, std::size_t batch)
      : options_(train_preset("standard")),
        pool_(threads),
        model_(config_of(shape)),
        values_(random_values(batch * config().input.length * config().input.channels)),
        shards_((model_.initialize(1), model_.parameters()), pool_, {.shards = 2, .seed = 1}),
        augmenter_(options_.augmentation, 1) {
    for (std::size_t i = 0; i < batch; ++i) labels_.push_back(static_cast<std::int32_t>(i % config().input.classes));
  }

  void train(bool augmented, engine::Profile* profile = nullptr) {
    Samples<float> samples{.count = labels_.size(), .values = values_};
    if (augmented) samples = augmenter_.changed(samples, config().input.channels, shards_.step(), pool_);
    shards_.accumulate(
        labels_.size(),
        [&](engine::Tape<float>& tape, std::size_t begin, std::size_t end) {
          return model_.loss(tape, samples.part(begin, end), std::span(labels_).subspan(begin, end - begin),
                             {.scale = 1 / static_cast<double>(labels_.size()), .smoothing = options_.smoothing});
        },
        profile);
    const double norm = shards_.gradient_norm();
    shards_.update({.rate = 1e-3, .decay = options_.decay}, clip_factor(norm, options_.clip_norm));
  }
  const ModelConfig& config() const { return model_.config(); }
  const Classifier<float>& model() const { return model_; }
  const std::vector<float>& values() const { return values_; }

 private:
  TrainOptions options_;
  ThreadPool pool_;
  Classifier<float> model_;
  std::vector<float> values_;  // [B, T, C]
  std::vector<std::int32_t> labels_;
  engine::Shards<float> shards_;
  train::Augmenter augmenter_;
};

bool count_cpu = false;

std::string time_case(const std::string& kind, const std::string& shape, std::size_t threads, std::size_t batch) {
  static std::map<std::tuple<std::string, std::size_t, std::size_t>, Case> cases;
  Case& c = cases.try_emplace({shape, threads, batch}, shape, threads, batch).first->second;
  const auto step = [&] { c.train(kind == "augmented"); };
  double time = timed(step);
  if (count_cpu) {
    constexpr int kSteps = 30;
    time = cpu_seconds([&] {
             for (int i = 0; i < kSteps; ++i) step();
           }) /
           kSteps;
  }
  return fmt::format(R"({{"ms": {:.5f}, "flops": {:.6g}}})", 1e3 * time,
                     static_cast<double>(batch) * flops_step(c.config()));
}

std::string write_weights(const std::string& shape, const std::string& path) {
  Case c(shape, 1, 2);
  const ModelConfig& config = c.config();
  TensorFile file(path);
  file.write(c.model().parameters());
  const Encoding encoding = make_encoding(config.position.encoding, encoding_options(config));
  file.write("position", std::vector<float>(encoding.values.begin(), encoding.values.end()), encoding.shape);
  engine::Tape<float> tape;
  tape.begin(c.model().parameters(), {});
  const engine::Tensor<float> logits = c.model().logits(tape, {.count = 2, .values = c.values()});
  file.write("x", c.values(), {2, config.input.length, config.input.channels});
  file.write("logits", std::span(logits.data, logits.shape.count()), {2, config.outputs()});
  return file.answer();
}

std::string answer(const std::string& line) {
  std::istringstream words(line);
  std::string kind, shape, file;
  std::size_t threads = 0, batch = 0;
  words >> kind >> shape;
  if ((kind == "train" || kind == "augmented") && words >> threads >> batch) {
    return time_case(kind, shape, threads, batch);
  }
  if (kind == "profile" && words >> batch) {
    Case c(shape, 1, batch);
    return profile_of([&](engine::Profile* profile) { c.train(false, profile); });
  }
  if (kind == "weights" && words >> file) return write_weights(shape, file);
  return R"({"error": "not a request"})";
}

}  // namespace
}  // namespace faithful::bench

int main(int argc, char** argv) {
  faithful::bench::count_cpu = argc > 1 && std::string(argv[1]) == "--cpu";
  faithful::bench::serve("recipe, " + faithful::instruction_set(), faithful::bench::answer);
}
