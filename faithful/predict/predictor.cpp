#include "faithful/predict/predictor.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <numeric>
#include <utility>

#include "faithful/base/error.h"
#include "faithful/predict/window_pass_internal.h"

namespace faithful {

using predict::WindowPass;

namespace {

WindowOptions window_options(const TrainedModel& model) {
  WindowOptions options = model.window;
  if (options.length == 0) options.stride = model.config().length;  // one window: no series is longer
  options.length = model.config().length;
  return options;
}

}  // namespace

struct Predictor::State {
  State(TrainedModel trained, const PredictorOptions& options)
      : model(std::move(trained)), pool(options.threads), batch(inference_batch(model.config(), options.most_batch)) {
    model.classifier.parameters().pack(pool);
  }

  // Windows first, first + 1, .. as many as out [.., K] has room for.
  void score(const Windows& windows, std::size_t first, std::span<float> out) {
    const std::size_t classes = model.config().classes, count = out.size() / classes;
    const std::size_t batches = (count + batch - 1) / batch;
    while (passes.size() < std::min(pool.size(), batches))
      passes.push_back(std::make_unique<WindowPass>(model.classifier, batch));
    std::atomic<std::size_t> next{0};
    pool.run(std::min(passes.size(), batches), [&](std::size_t worker) {
      std::vector<std::uint32_t> numbers(batch);
      for (std::size_t b = next++; b < batches; b = next++) {
        const std::size_t begin = b * batch, size = std::min(batch, count - begin);
        std::iota(numbers.begin(), numbers.end(), static_cast<std::uint32_t>(first + begin));
        passes[worker]->run(windows, std::span(numbers).first(size), pool,
                            out.subspan(begin * classes, size * classes));
      }
    });
  }

  TrainedModel model;
  ThreadPool pool;
  std::size_t batch;
  std::vector<std::unique_ptr<WindowPass>> passes;  // one per thread
};

Windows cut_for_model(const Dataset& dataset, const TrainedModel& model) {
  assert(dataset.channels == model.channels);
  const Split split = Split::hold_out_all(dataset, window_options(model));
  return std::move(cut_windows(split, Scaler(model.scaler)).test);
}

std::int32_t class_of(std::span<const float> probabilities, double threshold) {
  if (probabilities.size() == 2) return static_cast<double>(probabilities[1]) >= threshold ? 1 : 0;
  return static_cast<std::int32_t>(std::ranges::max_element(probabilities) - probabilities.begin());
}

Predictor::Predictor(TrainedModel model, const PredictorOptions& options)
    : state_(std::make_unique<State>(std::move(model), options)) {}
Predictor::~Predictor() = default;
Predictor::Predictor(Predictor&&) noexcept = default;
Predictor& Predictor::operator=(Predictor&&) noexcept = default;

const TrainedModel& Predictor::model() const {
  return state_->model;
}

Predictions Predictor::predict(const Dataset& dataset) {
  Predictions all;
  all.probabilities.columns = state_->model.config().classes;
  predict(dataset, [&](const Predictions& piece) {
    all.windows.insert(all.windows.end(), piece.windows.begin(), piece.windows.end());
    all.classes.insert(all.classes.end(), piece.classes.begin(), piece.classes.end());
    const std::vector<float>& values = piece.probabilities.values;
    all.probabilities.values.insert(all.probabilities.values.end(), values.begin(), values.end());
    all.probabilities.rows += piece.probabilities.rows;
  });
  return all;
}

Matrix<float> Predictor::probabilities(const Windows& windows) {
  Matrix<float> all(windows.size(), model().config().classes);
  state_->score(windows, 0, all.values);
  return all;
}

void Predictor::predict(const Dataset& dataset, const std::function<void(const Predictions&)>& take) {
  const Windows windows = cut_for_model(dataset, model());
  constexpr std::size_t kBatchesOfPiece = 64;  // enough to keep many threads busy
  const std::size_t piece = state_->batch * kBatchesOfPiece;
  for (std::size_t begin = 0; begin < windows.size(); begin += piece) {
    const std::size_t size = std::min(piece, windows.size() - begin);
    Predictions found;
    for (std::size_t i = 0; i < size; ++i) found.windows.push_back(windows[begin + i]);
    found.probabilities = Matrix<float>(size, model().config().classes);
    state_->score(windows, begin, found.probabilities.values);
    for (std::size_t i = 0; i < size; ++i)
      found.classes.push_back(class_of(found.probabilities.row(i), model().threshold));
    take(found);
  }
}

void Predictor::probabilities_into(std::span<const float> values, std::span<float> out) {
  const ModelConfig& config = model().config();
  const std::size_t window = config.length * config.channels, count = values.size() / window;
  assert(values.size() == count * window && out.size() == count * config.classes);
  if (config.positions == "time") throw Error("a model whose positions are times needs a data set with times");
  if (state_->passes.empty()) state_->passes.push_back(std::make_unique<WindowPass>(model().classifier, state_->batch));
  WindowPass& pass = *state_->passes[0];
  for (std::size_t begin = 0; begin < count; begin += state_->batch) {
    const std::size_t size = std::min(state_->batch, count - begin);
    scale_into(model().scaler.common, values.subspan(begin * window, size * window),
               pass.values().first(size * window));
    pass.run(size, out.subspan(begin * config.classes, size * config.classes));
  }
}

}  // namespace faithful
