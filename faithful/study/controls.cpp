#include "faithful/study/controls.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "faithful/analysis/faithfulness.h"
#include "faithful/base/error.h"
#include "faithful/base/random.h"
#include "faithful/encoding/catalog.h"
#include "faithful/train/score.h"

namespace faithful {

namespace {

constexpr std::size_t kAtATime = 128;  // made windows in memory
constexpr std::size_t kBatch = 32;

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
  const std::string& name = config.encoding;
  for (const char* fixed : {"learned", "erpe", "tupe", "onehot", "haar"})
    if (name == fixed) return fmt::format("{} has codes for the {} steps it was made for only", name, config.steps());
  if (name != "dft") return "";
  const std::size_t period = config.period == 0 ? config.width : config.period;
  const std::size_t wanted = (config.length * factor + config.segment - 1) / config.segment;
  return wanted <= period ? "" : fmt::format("dft repeats after {} steps, and there are {}", period, wanted);
}

// The same weights in a model of longer windows.
Classifier<float> lengthened(const Classifier<float>& model, std::size_t factor) {
  ModelConfig config = model.config();
  config.length *= factor;
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
  for (const Stretch& stretch : stretches_of(test)) {
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

Matrix<double> to_double(std::span<const float> values, std::size_t rows, std::size_t columns) {
  return Matrix<double>(rows, columns, std::vector<double>(values.begin(), values.end()));
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

// The waves of learned-frequency, mtan and time2vec with the frequencies and phases of now.
Matrix<double> wave_codes(const Classifier<float>& model) {
  const ModelConfig& config = model.config();
  EncodingOptions options = encoding_options(config);
  std::size_t width = 0;
  for (const char* name : {"encoding.frequencies", "encoding.phases"}) {
    const std::span<const float> part = parameter(model, name, width);
    options.parameters.insert(options.parameters.end(), part.begin(), part.end());
  }
  return Matrix<double>(config.steps(), width, make_encoding(config.encoding, options).values);
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
  Matrix<float> answers(count, config.classes);
  for (std::size_t first = 0; first < count; first += kAtATime) {
    const std::size_t here = std::min(kAtATime, count - first);
    Dataset dataset{.name = "made", .channels = numbered_channels(config.channels)};
    for (std::size_t k = 0; k < config.classes; ++k) dataset.classes.push_back(std::to_string(k));
    for (std::size_t i = 0; i < here; ++i) {
      dataset.series.push_back(make(first + i));
      dataset.series.back().name = std::to_string(i);
      dataset.series.back().label = 0;
    }
    const WindowSets sets = held_out(dataset, config.length);
    const Matrix<float> own = score_windows(model, sets.test, pool, kBatch);
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
  const ModelConfig& config = fit.model.config();
  if (fit.split.window.length == 0) return {{}, "every series is one window"};
  if (fit.split.kind == SplitKind::kRandom) return {{}, "longer windows of a random split are in all of its parts"};
  if (std::string note = no_longer_codes(config, factor); !note.empty()) return {{}, note};
  const std::size_t length = config.length * factor;
  const std::vector<Window> places = longer_windows(fit.sets.test, length, fit.split.window.label);
  if (places.empty()) return {{}, fmt::format("no stretch of the test part is {} samples long", length)};
  const Classifier<float> model = lengthened(fit.model, factor);
  const Scaler scaler(fit.scaler);
  std::vector<std::int32_t> labels;
  for (const Window& place : places) labels.push_back(place.label);
  const auto make = [&](std::size_t i) {
    const Series& source = fit.sets.test.dataset().series[places[i].series];
    const std::size_t channels = source.values.columns;
    Series series{.values = Matrix<float>(length, channels)};
    scale_into(scaler.of(source.name),
               std::span(source.values.values).subspan(places[i].begin * channels, length * channels),
               series.values.values);
    if (!source.times.empty()) {
      const auto first = source.times.begin() + static_cast<std::ptrdiff_t>(places[i].begin);
      series.times.assign(first, first + static_cast<std::ptrdiff_t>(length));
    }
    return series;
  };
  const Matrix<float> answers = score_made_windows(model, places.size(), make, pool);
  return {measures_of(score_answers(answers, labels, {fit.threshold, false, prevalence})), ""};
}

Matrix<double> added_codes(const Classifier<float>& model) {
  const ModelConfig& config = model.config();
  const CatalogEntry& entry = catalog_entry(config.encoding);
  std::size_t width = 0;
  if (config.encoding == "learned") {
    const std::span<const float> table = parameter(model, "encoding.table", width);
    return to_double(table, config.steps(), width);
  }
  if (config.encoding == "learned-frequency") return wave_codes(model);
  if (entry.kind == EncodingKind::kConcatenated && config.mtan == "concat") {
    const Matrix<double> waves = wave_codes(model);
    const std::span<const float> embedding = parameter(model, "embedding.weight", width);
    return product(waves, embedding, width, width - waves.columns, config.width);
  }
  if (entry.kind != EncodingKind::kAdditive) return {};
  return Matrix<double>(config.steps(), config.width, make_encoding(config.encoding, encoding_options(config)).values);
}

Matrix<double> projected_codes(const Classifier<float>& model) {
  const Matrix<double> codes = added_codes(model);
  std::size_t width = 0;
  const bool dfstrans = model.config().is_dfstrans();
  const std::span<const float> qkv =
      parameter(model, dfstrans ? "temporal.qkv.weight" : "layers.0.attention.qkv.weight", width);
  if (codes.rows == 0 || qkv.empty() || model.config().sensor_weights) return {};
  return product(codes, qkv, width, 0, 2 * model.config().heads * model.config().key_width());
}

Measures projected_faithfulness(const Classifier<float>& model, ThreadPool& pool) {
  const Matrix<double> codes = projected_codes(model);
  Measures measures;
  if (codes.rows < 2 || codes.rows > 1024) return measures;  // longer ones take more time than they are worth
  const Encoding table{.name = model.config().encoding,
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
  const bool added = catalog_entry(config.encoding).kind == EncodingKind::kAdditive;
  const std::size_t count = std::min(kMost, windows.size());
  if (codes.rows == 0 || !added || count == 0 || config.positions == "time") return StudyRun::kNone;
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
      for (std::size_t k = 0; k < config.width; ++k)
        square += static_cast<double>(steps.row(r)[k]) * static_cast<double>(steps.row(r)[k]);
    rows += steps.rows();
  }
  return rms_norm(codes) / std::sqrt(square / static_cast<double>(rows));
}

}  // namespace faithful
