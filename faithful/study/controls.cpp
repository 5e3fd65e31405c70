#include "faithful/study/controls.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "faithful/analysis/faithfulness.h"
#include "faithful/base/error.h"
#include "faithful/base/random.h"
#include "faithful/encoding/catalog.h"
#include "faithful/model/infer.h"

namespace faithful {

namespace {

constexpr std::size_t kMadeAtATime = 128;  // made windows in memory

// A data set of these series, to be read as it is: one window each.
WindowSets held_out(const Dataset& dataset, std::size_t length) {
  const std::size_t channels = dataset.channels.size();
  ScalerRecord as_it_is{ScalerKind::kNone, {std::vector<float>(channels, 0), std::vector<float>(channels, 1)}, {}};
  return cut_windows(Split::hold_out_all(dataset, {.length = length, .stride = length}), Scaler(std::move(as_it_is)));
}

// Window i of a set as a series of its own, scaled.
Series series_of(const Windows& windows, std::size_t i, ThreadPool& pool) {
  const Window& window = windows[i];
  const std::size_t channels = windows.channels();
  std::vector<float> values(windows.length() * channels);
  const std::uint32_t number[] = {static_cast<std::uint32_t>(i)};
  windows.fill_into(number, {.values = values}, pool);
  values.resize(window.length * channels);
  Series series{.values = Matrix<float>(window.length, channels, std::move(values))};
  const std::vector<std::int64_t>& times = windows.dataset().series[window.series].times;
  if (!times.empty()) {
    const auto first = times.begin() + static_cast<std::ptrdiff_t>(window.begin);
    series.times.assign(first, first + static_cast<std::ptrdiff_t>(window.length));
  }
  return series;
}

void shuffle_rows(Matrix<float>& values, Random& random) {
  std::vector<std::size_t> order(values.rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(std::span(order));
  Matrix<float> shuffled(values.rows, values.columns);
  for (std::size_t t = 0; t < order.size(); ++t) std::ranges::copy(values.row(order[t]), shuffled.row(t).begin());
  values = std::move(shuffled);
}

// Why an encoding cannot be asked about longer windows; empty where it can.
std::string no_longer_codes(const ModelConfig& config, std::size_t factor) {
  const std::string& name = config.position.encoding;
  if (catalog_entry(name).fixed_length)
    return fmt::format("{} has codes only for the {} steps it was made for", name, config.steps());
  const CatalogEntry& entry = catalog_entry(name);
  const std::size_t wanted = (config.input.length * factor + config.samples_per_step() - 1) / config.samples_per_step();
  const std::size_t most = entry.most_positions == nullptr ? wanted : entry.most_positions(encoding_options(config));
  return wanted <= most ? "" : fmt::format("{} repeats after {} steps, and there are {}", name, most, wanted);
}

// The same weights in a model of longer windows.
Classifier<float> lengthened(const Classifier<float>& model, std::size_t factor) {
  ModelConfig config = model.config();
  config.input.length *= factor;
  Classifier<float> longer(config);
  const auto& from = model.parameters();
  for (const engine::ParameterEntry& entry : longer.parameters().entries()) {
    const engine::ParameterEntry* old = from.find(entry.name);
    if (old == nullptr || old->shape.count() != entry.shape.count())
      reject({{entry.name}, "weights that do not depend on the length", "others"});
    std::copy_n(from.values().begin() + static_cast<std::ptrdiff_t>(old->offset), old->shape.count(),
                longer.parameters().mutable_values().begin() + static_cast<std::ptrdiff_t>(entry.offset));
  }
  return longer;
}

// Places of windows of `length` inside of the test part: those that begin where a test window does and end before the
// last test window of its stretch ends.
std::vector<Window> longer_windows(const Windows& test, std::size_t length, LabelRule rule) {
  std::vector<Window> longer;
  for (const Range& stretch : stretches_of(test)) {
    std::uint32_t end = 0;
    for (std::size_t i = stretch.begin; i < stretch.end; ++i) end = std::max(end, test[i].begin + test[i].length);
    for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
      Window window = test[i];
      if (window.begin + length > end) continue;
      window.length = static_cast<std::uint32_t>(length);
      window.label = window_label(test.dataset().series[window.series], window.begin, window.begin + length, rule);
      longer.push_back(window);
    }
  }
  return longer;
}

std::span<const float> parameter(const Classifier<float>& model, const std::string& name, std::size_t& columns) {
  const engine::ParameterEntry* entry = model.parameters().find(name);
  if (entry == nullptr) return {};
  columns = entry->shape.width();
  return model.parameters().values().subspan(entry->offset, entry->shape.count());
}

// a [n, k] times rows first .. first+k-1 of every row of w [m, width]: [n, m].
Matrix<double> product(const Matrix<double>& a, std::span<const float> w, std::size_t width, std::size_t first,
                       std::size_t rows) {
  Matrix<double> out(a.rows, rows);
  for (std::size_t s = 0; s < a.rows; ++s)
    for (std::size_t r = 0; r < rows; ++r) {
      double sum = 0;
      for (std::size_t k = 0; k < a.columns; ++k) sum += a(s, k) * static_cast<double>(w[r * width + first + k]);
      out(s, r) = sum;
    }
  return out;
}

// The table of the encoding with the parameters of now.
Matrix<double> table_of(const Classifier<float>& model) {
  const ModelConfig& config = model.config();
  const CatalogEntry& entry = catalog_entry(config.position.encoding);
  EncodingOptions options = encoding_options(config);
  if (entry.scales_start) options.scale = {};
  std::size_t width = 0;
  for (const std::string& name : entry.parameters_in_model) {
    const std::span<const float> part = parameter(model, name, width);
    options.parameters.insert(options.parameters.end(), part.begin(), part.end());
  }
  const Encoding table = make_encoding(entry.name, options);
  return Matrix<double>(table.shape[0], table.shape[1], table.values);
}

double rms_norm(const Matrix<double>& codes) {
  double square = 0;
  for (const double value : codes.values) square += value * value;
  return std::sqrt(square / static_cast<double>(codes.rows));
}

}  // namespace

Matrix<float> score_made_windows(const Classifier<float>& model, std::size_t count,
                                 const std::function<Series(std::size_t)>& make, ThreadPool& pool) {
  const ModelConfig& config = model.config();
  Matrix<float> answers(count, config.input.classes);
  for (std::size_t first = 0; first < count; first += kMadeAtATime) {
    const std::size_t here = std::min(kMadeAtATime, count - first);
    Dataset dataset{.name = "made", .channels = numbered_channels(config.input.channels)};
    for (std::size_t k = 0; k < config.input.classes; ++k) dataset.classes.push_back(std::to_string(k));
    for (std::size_t i = 0; i < here; ++i) {
      dataset.series.push_back(make(first + i));
      dataset.series.back().name = std::to_string(i);
      dataset.series.back().label = 0;
    }
    const WindowSets sets = held_out(dataset, config.input.length);
    const Matrix<float> own = probabilities_of(Transformer::view_of(model), sets.test, pool);
    std::ranges::copy(own.values, answers.row(first).data());
  }
  return answers;
}

Matrix<float> score_shuffled(const Classifier<float>& model, const Windows& windows, std::uint64_t seed,
                             ThreadPool& pool) {
  return score_made_windows(
      model, windows.size(),
      [&](std::size_t i) {
        Series series = series_of(windows, i, pool);
        Random random(seed, stream_of("study.shuffle") + i);
        shuffle_rows(series.values, random);
        return series;
      },
      pool);
}

LongerScores score_longer(const FitResult& fit, std::size_t factor, double prevalence, ThreadPool& pool) {
  const Classifier<float>& trained = fit.model.transformer()->classifier();
  const ModelConfig& config = trained.config();
  if (fit.model.takes_whole_series()) return {{}, "every series is one window"};
  if (fit.split == SplitKind::kRandom) return {{}, "longer windows of a random split would lie in several parts"};
  if (std::string note = no_longer_codes(config, factor); !note.empty()) return {{}, note};
  const std::size_t length = config.input.length * factor;
  const std::vector<Window> places = longer_windows(fit.sets.test, length, fit.model.window.label_rule);
  if (places.empty()) return {{}, fmt::format("no stretch of the test part is {} samples long", length)};
  const Classifier<float> model = lengthened(trained, factor);
  const Scaler scaler(fit.model.scaler);
  std::vector<std::int32_t> labels;
  for (const Window& place : places) labels.push_back(place.label);
  const auto make = [&](std::size_t i) {
    const Series& source = fit.sets.test.dataset().series[places[i].series];
    const std::size_t channels = source.values.columns;
    Series series{.values = Matrix<float>(length, channels)};
    scale_window_into(scaler.record(), scaler.of(source.name),
                      std::span(source.values.values).subspan(places[i].begin * channels, length * channels),
                      series.values.values);
    if (!source.times.empty()) {
      const auto first = source.times.begin() + static_cast<std::ptrdiff_t>(places[i].begin);
      series.times.assign(first, first + static_cast<std::ptrdiff_t>(length));
    }
    return series;
  };
  const Matrix<float> answers = score_made_windows(model, places.size(), make, pool);
  return {measures_of(score_predictions(answers, labels, {fit.model.threshold, false, prevalence})), ""};
}

Matrix<double> added_codes(const Classifier<float>& model) {
  const ModelConfig& config = model.config();
  const EncodingKind kind = catalog_entry(config.position.encoding).kind;
  if (kind == EncodingKind::kAdditive) return table_of(model);
  if (kind != EncodingKind::kConcatenated) return {};
  std::size_t width = 0;
  const std::span<const float> embedding = parameter(model, "embedding.weight", width);
  const InputConfig& input = config.input;
  const std::size_t of_data =
      input.segment * (input.filters == 0 ? (1 + input.differences) * input.channels : input.filters);
  if (width <= of_data) return {};  // queries and keys are made of it
  return product(table_of(model), embedding, width, of_data, config.body.width);
}

Matrix<double> projected_codes(const Classifier<float>& model) {
  const Matrix<double> codes = added_codes(model);
  std::size_t width = 0;
  const bool dfstrans = model.config().is_dfstrans();
  const std::span<const float> qkv =
      parameter(model, dfstrans ? "temporal.qkv.weight" : "layers.0.attention.qkv.weight", width);
  if (codes.rows == 0 || qkv.empty() || model.config().body.sensor_weights) return {};
  return product(codes, qkv, width, 0, 2 * model.config().body.heads * model.config().key_width());
}

Measures projected_faithfulness(const Classifier<float>& model, ThreadPool& pool) {
  const Matrix<double> codes = projected_codes(model);
  Measures measures;
  if (codes.rows < 2 || codes.rows > 1024) return measures;  // longer ones take more time than they are worth
  const Encoding table{.name = model.config().position.encoding,
                       .kind = EncodingKind::kAdditive,
                       .shape = {codes.rows, codes.columns},
                       .values = codes.values};
  const Faithfulness found =
      measure_faithfulness(table, codes.rows, make_geometry(codes, pool), {.noise_samples = 20'000}, pool);
  measures.add("min_distance", found.min_distance);
  measures.add("stable_rank", found.stable_rank);
  measures.add("effective_rank", found.effective_rank);
  measures.add("gram_deviation", found.gram_deviation);
  if (found.noise) measures.add("noise_sigma10", found.noise->sigma10);
  measures.add("spearman", found.spearman);
  return measures;
}

double norm_ratio(const Classifier<float>& model, const Windows& windows, ThreadPool& pool) {
  constexpr std::size_t kMost = 64;
  const ModelConfig& config = model.config();
  const Matrix<double> codes = added_codes(model);
  const bool added = catalog_entry(config.position.encoding).kind == EncodingKind::kAdditive;
  const std::size_t count = std::min(kMost, windows.size());
  if (codes.rows == 0 || !added || count == 0 || config.has_times()) return StudyRun::kNone;
  std::vector<std::uint32_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::uint32_t>(windows.size() * i / count);
  std::vector<float> values(count * windows.length() * windows.channels());
  windows.fill_into(numbers, {.values = values}, pool);
  double square = 0;
  std::size_t rows = 0;
  engine::Tape<float> tape;
  for (std::size_t i = 0; i < count; ++i) {
    tape.begin(model.parameters(), {});
    const std::span<const float> own =
        std::span<const float>(values).subspan(values.size() / count * i, values.size() / count);
    const engine::Tensor<float> steps = model.embedded_steps(tape, {.count = 1, .values = own});
    for (std::size_t r = 0; r < steps.rows(); ++r)
      for (std::size_t k = 0; k < config.body.width; ++k)
        square += static_cast<double>(steps.row(r)[k]) * static_cast<double>(steps.row(r)[k]);
    rows += steps.rows();
  }
  return rms_norm(codes) / std::sqrt(square / static_cast<double>(rows));
}

}  // namespace faithful
