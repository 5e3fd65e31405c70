#include "faithful/predict/stream.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "faithful/base/threads.h"
#include "faithful/engine/denormals.h"
#include "faithful/engine/tape.h"

namespace faithful {

namespace {

// The last `window` rows of a stream in one stretch of memory: rows are added behind, and the window is moved to the
// front when there is no room left, so that a row is moved about once in its life.
template <class T>
class SlidingRows {
 public:
  SlidingRows(std::size_t window, std::size_t width) : window_(window), width_(width), rows_(2 * window * width) {}

  std::span<T> add() {
    if ((used_ + 1) * width_ > rows_.size()) {
      std::copy(rows_.end() - static_cast<std::ptrdiff_t>((window_ - 1) * width_), rows_.end(), rows_.begin());
      used_ = window_ - 1;
    }
    return std::span(rows_).subspan(used_++ * width_, width_);
  }
  bool full() const { return used_ >= window_; }
  std::span<const T> window() const { return std::span(rows_).subspan((used_ - window_) * width_, window_ * width_); }
  void clear() { used_ = 0; }

 private:
  std::size_t window_, width_, used_ = 0;
  std::vector<T> rows_;  // [2 * window, width]
};

}  // namespace

struct StreamPredictor::State {
  State(TrainedModel trained, const StreamOptions& options)
      : model(std::move(trained)),
        config(model.config()),
        scale(model.scaler.common),
        keeps_embedded(options.reuse && model.classifier.embeds_alone()),
        scaled(config.channels),
        rows(config.length, keeps_embedded ? config.width : config.channels),
        times(config.length, 1),
        positions(config.positions == "time" ? config.length : 0),
        probabilities(config.classes) {
    ThreadPool pool(1);
    model.classifier.parameters().pack(pool);
    // The tape's memory has its size after two passes: see Arena.
    const std::vector<float> zeros(config.channels, 0.0F);
    for (std::size_t t = 0; t < config.length + 1; ++t) push(zeros, 0);
    clear();
  }

  std::span<const float> push(std::span<const float> values, std::int64_t time) {
    const engine::FlushDenormals flush;
    scale_into(scale, values, scaled);
    times.add()[0] = time;
    tape.begin(model.classifier.parameters(), {});
    const std::span<float> row = rows.add();
    if (keeps_embedded) {
      const engine::Tensor<float> embedded = model.classifier.embed(tape, {.count = 1, .values = scaled});
      std::copy_n(embedded.data, row.size(), row.begin());
    } else {
      std::ranges::copy(scaled, row.begin());
    }
    if (!rows.full()) return {};
    const Samples<float> samples{.count = 1, .values = rows.window(), .valid = {}, .times = window_times()};
    const engine::Tensor<float> logits =
        keeps_embedded
            ? model.classifier.logits_of(tape, tape.input(samples.values.data(), {1, config.length, config.width}),
                                         {.count = 1, .values = {}, .valid = {}, .times = samples.times})
            : model.classifier.logits(tape, samples);
    probabilities_into<float>({logits.data, config.outputs()}, config.classes, probabilities);
    return probabilities;
  }

  // [length], or nothing where positions are not times.
  std::span<const float> window_times() {
    const std::span<const std::int64_t> window = times.window();
    for (std::size_t t = 0; t < positions.size(); ++t)
      positions[t] = static_cast<float>(static_cast<double>(window[t] - window[0]) / config.time_step);
    return positions;
  }

  void clear() {
    rows.clear();
    times.clear();
  }

  TrainedModel model;
  const ModelConfig& config;
  const Scale& scale;
  bool keeps_embedded;
  engine::Tape<float> tape;
  std::vector<float> scaled;  // [C], the newest sample
  SlidingRows<float> rows;    // [length, d] embedded, or [length, C] scaled
  SlidingRows<std::int64_t> times;
  std::vector<float> positions;      // [length], where positions are times
  std::vector<float> probabilities;  // [K]
};

StreamPredictor::StreamPredictor(TrainedModel model, const StreamOptions& options)
    : state_(std::make_unique<State>(std::move(model), options)) {}
StreamPredictor::~StreamPredictor() = default;
StreamPredictor::StreamPredictor(StreamPredictor&&) noexcept = default;
StreamPredictor& StreamPredictor::operator=(StreamPredictor&&) noexcept = default;

std::span<const float> StreamPredictor::push(std::span<const float> values, std::int64_t time) {
  assert(values.size() == state_->config.channels);
  return state_->push(values, time);
}

void StreamPredictor::reset() {
  state_->clear();
}

bool StreamPredictor::reuses() const {
  return state_->keeps_embedded;
}

const TrainedModel& StreamPredictor::model() const {
  return state_->model;
}

}  // namespace faithful
