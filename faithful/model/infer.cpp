#include "faithful/model/infer.h"

#include <algorithm>
#include <cassert>
#include <mutex>
#include <numeric>
#include <utility>

#include "faithful/engine/denormals.h"
#include "faithful/engine/tape.h"

namespace faithful {

// A thread borrows a tape for one pass. Memory of tapes is kept, so that later passes allocate nothing.
class Transformer::Tapes {
 public:
  class Borrowed {
   public:
    explicit Borrowed(Tapes& from) : from_(from), tape_(from.take()) {}
    ~Borrowed() { from_.give_back(std::move(tape_)); }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    engine::Tape<float>& operator*() const { return *tape_; }

   private:
    Tapes& from_;
    std::unique_ptr<engine::Tape<float>> tape_;
  };

 private:
  std::unique_ptr<engine::Tape<float>> take() {
    const std::scoped_lock lock(mutex_);
    if (free_.empty()) {
      free_.reserve(made_ + 1);  // so that give_back(), which destructors call, allocates nothing
      ++made_;
      return std::make_unique<engine::Tape<float>>();
    }
    std::unique_ptr<engine::Tape<float>> tape = std::move(free_.back());
    free_.pop_back();
    return tape;
  }
  void give_back(std::unique_ptr<engine::Tape<float>> tape) {
    const std::scoped_lock lock(mutex_);
    free_.push_back(std::move(tape));
  }

  std::mutex mutex_;
  std::size_t made_ = 0;  // tapes, at most
  std::vector<std::unique_ptr<engine::Tape<float>>> free_;
};

Transformer::Transformer(std::shared_ptr<const Classifier<float>> classifier)
    : classifier_(std::move(classifier)), tapes_(std::make_shared<Tapes>()) {}

Transformer::Transformer(Classifier<float> classifier)
    : Transformer(std::make_shared<const Classifier<float>>(std::move(classifier))) {}

Transformer Transformer::view_of(const Classifier<float>& classifier) {
  return Transformer(std::shared_ptr<const Classifier<float>>(std::shared_ptr<void>(), &classifier));
}

WindowShape Transformer::shape() const {
  const ModelConfig& of = config();
  return {of.input.channels, of.input.length, of.input.classes, of.has_times() ? of.position.time_step : 0};
}

const float* Transformer::forward(engine::Tape<float>& tape, const Samples<float>& samples,
                                  const AttentionMaps<float>& maps) const {
  tape.begin(classifier_->parameters(), {});
  return classifier_->logits(tape, samples, maps).data;
}

void Transformer::logits_into(const Samples<float>& samples, std::span<float> logits) const {
  const engine::FlushDenormals flush;
  const Tapes::Borrowed tape(*tapes_);
  assert(logits.size() == samples.count * config().outputs());
  std::copy_n(forward(*tape, samples, {}), logits.size(), logits.begin());
}

void Transformer::attention_into(const Samples<float>& samples, const AttentionMaps<float>& maps) const {
  const engine::FlushDenormals flush;
  const Tapes::Borrowed tape(*tapes_);
  forward(*tape, samples, maps);
}

void Transformer::gradient_into(const Samples<float>& samples, std::size_t class_number, std::span<float> out) const {
  const engine::FlushDenormals flush;
  const Tapes::Borrowed tape(*tapes_);
  classifier_->input_gradient_into(*tape, samples, class_number, out);
}

WindowBuffer::WindowBuffer(const WindowShape& shape, std::size_t most_windows)
    : time_step_(shape.time_step),
      values_(most_windows * shape.length * shape.channels),
      valid_(most_windows * shape.length),
      times_(shape.uses_times() ? valid_.size() : 0),
      labels_(most_windows) {}

bool are_padded(const Windows& windows, std::span<const std::uint32_t> numbers) {
  return std::ranges::any_of(numbers, [&](std::uint32_t i) { return windows[i].length < windows.length(); });
}

Samples<float> WindowBuffer::load(const Windows& windows, std::span<const std::uint32_t> numbers, ThreadPool& pool) {
  return load(windows, numbers, pool, are_padded(windows, numbers));
}

Samples<float> WindowBuffer::load(const Windows& windows, std::span<const std::uint32_t> numbers, ThreadPool& pool,
                                  bool padded) {
  count_ = numbers.size();
  const std::size_t samples = count_ * windows.length();
  assert(count_ <= most_windows() && samples * windows.channels() <= values_.size());
  const BatchBuffers buffers{.values = std::span(values_).first(samples * windows.channels()),
                             .mask = std::span(valid_).first(padded ? samples : 0),
                             .labels = std::span(labels_).first(count_),
                             .times = std::span(times_).first(times_.empty() ? 0 : samples),
                             .time_step = time_step_};
  windows.fill_into(numbers, buffers, pool);
  return {count_, buffers.values, buffers.mask, buffers.times};
}

void logits_into(const WindowModel& model, const Windows& windows, std::size_t first, ThreadPool& pool,
                 std::span<float> logits) {
  const WindowShape shape = model.shape();
  assert(windows.length() == shape.length && windows.channels() == shape.channels);
  const std::size_t outputs = shape.outputs(), count = logits.size() / outputs, batch = model.batch();
  const std::size_t batches = (count + batch - 1) / batch, workers = std::min(pool.size(), batches);
  // Each worker takes every workers-th batch: it needs one buffer, and the batches are alike.
  pool.run(workers, [&](std::size_t worker) {
    WindowBuffer buffer(shape, std::min(batch, count));
    std::vector<std::uint32_t> numbers(buffer.most_windows());
    for (std::size_t b = worker; b < batches; b += workers) {
      const std::size_t begin = b * batch, size = std::min(batch, count - begin);
      std::iota(numbers.begin(), numbers.end(), static_cast<std::uint32_t>(first + begin));
      model.logits_into(buffer.load(windows, std::span(numbers).first(size), pool),
                        logits.subspan(begin * outputs, size * outputs));
    }
  });
}

Matrix<float> probabilities_of(const WindowModel& model, const Windows& windows, ThreadPool& pool, std::size_t first,
                               std::size_t most) {
  const WindowShape shape = model.shape();
  const std::size_t count = std::min(most, windows.size() - first);
  std::vector<float> logits(count * shape.outputs());
  logits_into(model, windows, first, pool, logits);
  Matrix<float> probabilities(count, shape.classes);
  probabilities_into<float>(logits, shape.classes, probabilities.values);
  return probabilities;
}

}  // namespace faithful
