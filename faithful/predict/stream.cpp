#include "faithful/predict/stream.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "faithful/base/error.h"
#include "faithful/data/times.h"
#include "faithful/model/infer.h"

namespace faithful {

namespace {

// The last `window` rows of a stream in one stretch of memory: rows are added at the end, and the window is moved to the
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
  explicit State(TrainedModel trained)
      : model(std::move(trained)),
        shape(model.shape()),
        rows(shape.length, shape.channels),
        times(shape.length, 1),
        furthest(shape.length, 1),
        last_read(shape.channels),
        is_read(shape.channels),
        positions(shape.uses_times() ? shape.length : 0),
        scaled(model.scaler.scaling == Scaling::kWindow ? shape.length * shape.channels : 0),
        logits(shape.outputs()),
        probabilities(shape.classes) {
    // The memory of a pass has its size after two passes: see Arena.
    const std::vector<float> zeros(shape.channels, 0.0F);
    for (std::size_t t = 0; t < shape.length + 1; ++t) push(zeros, 0, {});
    clear();
  }

  std::span<const float> push(std::span<const float> values, std::int64_t time, std::span<const std::uint8_t> given) {
    const std::span<float> row = rows.add();
    if (scaled.empty())
      scale_into(model.scaler.common, values, row);
    else
      std::ranges::copy(values, row.begin());
    times.add()[0] = time;
    FurthestReading& reading = furthest.add()[0];
    reading = {};
    take_further(model, values, count++, reading);
    for (std::size_t c = 0; c < values.size(); ++c) {
      if (given.empty() ? !std::isnan(values[c]) : given[c] != 0) last_read[c] = count;
      is_read[c] = last_read[c] > 0 && last_read[c] + shape.length > count ? 1 : 0;
    }
    if (!rows.full()) return {};
    refused.clear();
    try {
      model.predictor->logits_into({.count = 1, .values = window_values(), .valid = {}, .times = window_times()},
                                   logits);
      probabilities_into<float>(logits, shape.classes, probabilities);
    } catch (const InputError& error) {  // the sample counts all the same
      if (!shape.uses_times()) throw;
      refused = error.what();
      std::ranges::fill(probabilities, std::numeric_limits<float>::quiet_NaN());
    }
    return probabilities;
  }

  // [length, C], scaled.
  std::span<const float> window_values() {
    if (scaled.empty()) return rows.window();
    scale_window_into(model.scaler, model.scaler.common, rows.window(), scaled);
    return scaled;
  }

  // [length], or nothing where positions are not times.
  std::span<const float> window_times() {
    const std::span<const std::int64_t> window = times.window();
    for (std::size_t t = 0; t < positions.size(); ++t)
      positions[t] =
          static_cast<float>(static_cast<double>(nanoseconds_between(window[0], window[t])) / shape.time_step);
    return positions;
  }

  PredictionCheck check() const {
    FurthestReading worst;
    for (const FurthestReading& one : furthest.window())
      if (one.distance > worst.distance) worst = one;
    PredictionCheck found = check_prediction(model, worst, is_read, probabilities);
    found.refused = refused;
    return found;
  }

  void clear() {
    rows.clear();
    times.clear();
    furthest.clear();
    std::ranges::fill(last_read, 0);
    count = 0;
  }

  TrainedModel model;
  WindowShape shape;
  SlidingRows<float> rows;  // [length, C], scaled, or as measured where each window is scaled by itself
  SlidingRows<std::int64_t> times;
  SlidingRows<FurthestReading> furthest;  // [length], of each sample
  std::size_t count = 0;                  // samples
  std::vector<std::size_t> last_read;     // [C]: number of the last sample with a reading, from 1; 0: none
  std::vector<std::uint8_t> is_read;      // [C]: whether the window has a reading of the channel
  std::vector<float> positions;           // [length], where positions are times
  std::vector<float> scaled;              // [length, C], where each window is scaled by itself
  std::vector<float> logits, probabilities;
  std::string refused;  // what the model said of the window's times, where it does not take them
};

StreamPredictor::StreamPredictor(TrainedModel model) : state_(std::make_unique<State>(std::move(model))) {}
StreamPredictor::~StreamPredictor() = default;
StreamPredictor::StreamPredictor(StreamPredictor&&) noexcept = default;
StreamPredictor& StreamPredictor::operator=(StreamPredictor&&) noexcept = default;

std::span<const float> StreamPredictor::push(std::span<const float> values, std::int64_t time,
                                             std::span<const std::uint8_t> is_read) {
  assert(values.size() == state_->shape.channels);
  return state_->push(values, time, is_read);
}

PredictionCheck StreamPredictor::check() const {
  return state_->check();
}

void StreamPredictor::reset() {
  state_->clear();
}

const TrainedModel& StreamPredictor::model() const {
  return state_->model;
}

}  // namespace faithful
