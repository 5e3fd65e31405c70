#include "faithful/diagnose/diagnoser.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/diagnose/attention_diagnosis.h"
#include "faithful/diagnose/normal.h"
#include "faithful/diagnose/normal_version.h"
#include "faithful/diagnose/relations.h"
#include "faithful/diagnose/suspects.h"

namespace faithful {

Matrix<double> gradient_times_input(std::span<const float> gradient, std::span<const float> window,
                                    std::span<const float> normal, std::size_t channels, std::size_t samples,
                                    std::size_t step) {
  Matrix<double> sums((samples + step - 1) / step, channels);
  for (std::size_t t = 0; t < samples; ++t) {
    for (std::size_t c = 0; c < channels; ++c) {
      const std::size_t i = t * channels + c;
      sums(t / step, c) +=
          static_cast<double>(gradient[i]) * (static_cast<double>(window[i]) - static_cast<double>(normal[i]));
    }
  }
  return sums;
}

namespace {

void add_standard_scores(std::vector<double>& sum, const std::vector<double>& weights, double factor) {
  if (weights.empty()) return;
  sum.resize(weights.size(), 0.0);
  const auto count = static_cast<double>(weights.size());
  double mean = 0, square = 0;
  for (const double weight : weights) mean += weight / count;
  for (const double weight : weights) square += (weight - mean) * (weight - mean) / count;
  // Rounding must not give a voice to weights that are all the same.
  if (std::sqrt(square) <= 1e-12 * std::abs(mean)) return;
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += factor * (weights[i] - mean) / std::sqrt(square);
}

}  // namespace

MethodAnswer combined(std::span<const MethodAnswer> methods, std::span<const Range> pieces, std::size_t most_spans) {
  MethodAnswer together{.method = "together"};
  const double factor = 1.0 / static_cast<double>(methods.size());
  for (const MethodAnswer& one : methods) {
    add_standard_scores(together.sensors, one.sensors, factor);
    add_standard_scores(together.times, one.times, factor);
  }
  together.spans = suspected_spans(pieces, together.times, most_spans);
  return together;
}

namespace {

enum MethodIndex : std::size_t { kAttention, kOcclusion, kGradient, kDisagreement, kPeak, kMean, kMethodCount };
constexpr const char* kMethodNames[] = {"attention",    "occlusion",    "gradient",
                                        "disagreement", "largest peak", "largest mean"};

// One window in memory, as the model takes it.
struct LoadedWindow {
  LoadedWindow(const Windows& windows, std::uint32_t number, const WindowShape& shape, ThreadPool& pool)
      : window(windows[number]), values(windows.length() * windows.channels()), valid(windows.length()) {
    if (shape.uses_times()) times.resize(windows.length());
    windows.fill_into({&number, 1}, {.values = values, .mask = valid, .times = times, .time_step = shape.time_step},
                      pool);
    if (window.length == windows.length()) valid.clear();
  }
  Samples<float> samples() const { return {.count = 1, .values = values, .valid = valid, .times = times}; }

  Window window;
  std::vector<float> values;        // [length, C]
  std::vector<std::uint8_t> valid;  // [length]; empty: no padding
  std::vector<float> times;
};

// The logit of a class, for windows that differ from the loaded one, which must outlive it, in their values alone.
WindowLogit logit_of(const WindowModel& model, std::size_t class_number, const LoadedWindow& window) {
  return [&model, class_number, &window](std::span<const float> values, std::span<double> out) {
    const std::size_t count = out.size(), outputs = model.shape().outputs();
    std::vector<std::uint8_t> valid;
    std::vector<float> times, logits(count * outputs);
    for (std::size_t i = 0; i < count; ++i) {
      valid.insert(valid.end(), window.valid.begin(), window.valid.end());
      times.insert(times.end(), window.times.begin(), window.times.end());
    }
    model.logits_into({.count = count, .values = values, .valid = valid, .times = times}, logits);
    for (std::size_t i = 0; i < count; ++i) {
      const float z = logits[i * outputs + (outputs == 1 ? 0 : class_number)];
      out[i] = static_cast<double>(outputs == 1 && class_number == 0 ? -z : z);
    }
  };
}

// The attention weights of one window, of the layout of AttentionMaps without B.
struct Maps {
  explicit Maps(const ModelConfig& of) {
    const std::size_t steps = of.steps(), rows = steps + (of.has_token() ? 1 : 0);
    if (!of.is_dfstrans()) {
      values.resize(of.body.layers * of.body.heads * rows * rows);
      return;
    }
    temporal.resize(of.input.channels * of.body.heads * steps * steps);
    spatial.resize(steps * of.body.heads * of.input.channels * of.input.channels);
  }

  std::vector<float> values, temporal, spatial;
};

// What the methods say about one window; pieces are its steps.
struct WindowAnswers {
  std::vector<Range> pieces;
  MethodAnswer methods[kMethodCount];
  WindowDetails details;
};

std::vector<Range> steps_of(const Window& window, std::size_t step) {
  std::vector<Range> steps;
  for (std::size_t begin = 0; begin < window.length; begin += step)
    steps.push_back({window.begin + begin, window.begin + std::min<std::size_t>(begin + step, window.length)});
  return steps;
}

std::vector<std::uint8_t> valid_steps(std::size_t valid, std::size_t steps) {
  std::vector<std::uint8_t> flags(steps, 0);
  std::fill_n(flags.begin(), valid, std::uint8_t{1});
  return flags;
}

void attend_space_time(const ModelConfig& config, const Maps& maps, WindowAnswers& out) {
  const std::vector<std::uint8_t> valid = valid_steps(out.pieces.size(), config.steps());
  const SpaceTimeAttention attention{config.steps(), config.input.channels, config.body.heads,
                                     maps.temporal,  maps.spatial,          valid};
  AttentionDiagnosis found = diagnose_attention(attention);
  WindowDetails& details = out.details;
  for (std::size_t h = 0; h < config.body.heads; ++h) {
    details.temporal_heads.push_back(temporal_head(attention, h));
    details.spatial_heads.push_back(spatial_head(attention, h, found.steps));
  }
  details.first_sensor = order_of(found.sensors)[0];
  details.first_step = order_of(found.steps)[0];
  details.steps_of_first = steps_of_sensor(attention, details.first_sensor);
  details.sensors_at_first = sensors_at_step(attention, details.first_step);
  details.temporal = std::move(found.temporal);
  details.spatial = std::move(found.spatial);
  found.steps.resize(out.pieces.size());  // the rest is padding
  for (double& weight : found.steps) weight /= static_cast<double>(out.pieces.size());
  out.methods[kAttention] = {kMethodNames[kAttention], std::move(found.sensors), std::move(found.steps)};
}

// The steps of a square map, without a token's row and column.
Matrix<double> steps_alone(std::span<const float> map, std::size_t rows, std::size_t steps) {
  Matrix<double> cut(steps, steps);
  const std::size_t first = rows - steps;
  for (std::size_t r = 0; r < steps; ++r)
    for (std::size_t c = 0; c < steps; ++c) cut(r, c) = static_cast<double>(map[(r + first) * rows + c + first]);
  return cut;
}

void attend_encoder(const ModelConfig& config, const Maps& maps, WindowAnswers& out) {
  const bool token = config.has_token();
  const std::size_t steps = config.steps(), rows = steps + (token ? 1 : 0);
  const std::vector<std::uint8_t> valid = valid_steps(out.pieces.size(), steps);
  std::vector<double> reached = attention_rollout({steps, config.body.layers, config.body.heads, token,
                                                   config.body.block != LayerBlock::kBare, maps.values, valid});
  out.details.temporal = Matrix<double>(steps, steps);
  for (std::size_t h = 0; config.body.layers > 0 && h < config.body.heads; ++h) {
    const std::size_t at = ((config.body.layers - 1) * config.body.heads + h) * rows * rows;
    Matrix<double> head = steps_alone(std::span(maps.values).subspan(at, rows * rows), rows, steps);
    for (std::size_t i = 0; i < head.values.size(); ++i)
      out.details.temporal.values[i] += head.values[i] / static_cast<double>(config.body.heads);
    out.details.temporal_heads.push_back(std::move(head));
  }
  reached.resize(out.pieces.size());
  out.methods[kAttention] = {kMethodNames[kAttention], {}, std::move(reached)};
}

// Spans of several steps become those steps, each with its part.
MethodAnswer occlusion_answer(const OcclusionDiagnosis& found, std::span<const Range> pieces, std::size_t begin) {
  MethodAnswer answer{kMethodNames[kOcclusion], found.sensors, {}};
  std::size_t at = 0;
  for (const Range& piece : pieces) {
    while (found.spans[at].end + begin <= piece.begin) ++at;
    answer.times.push_back(found.changes[at] * static_cast<double>(piece.length()) /
                           static_cast<double>(found.spans[at].length()));
  }
  return answer;
}

MethodAnswer gradient_answer(const Matrix<double>& effects) {
  MethodAnswer answer{kMethodNames[kGradient], std::vector<double>(effects.columns, 0.0),
                      std::vector<double>(effects.rows, 0.0)};
  for (std::size_t s = 0; s < effects.rows; ++s) {
    for (std::size_t c = 0; c < effects.columns; ++c) {
      answer.sensors[c] += effects(s, c);
      answer.times[s] += effects(s, c);
    }
  }
  return answer;
}

void compare_with_normal(const LoadedWindow& loaded, const Normal& normal, std::size_t step, WindowAnswers& out) {
  const std::size_t channels = normal.mean.columns, samples = loaded.window.length, steps = out.pieces.size();
  std::vector<double> z(samples * channels);
  deviations_into(normal, std::span(loaded.values).first(z.size()), z);
  MethodAnswer peak{kMethodNames[kPeak], std::vector<double>(channels, 0.0), std::vector<double>(steps, 0.0)};
  MethodAnswer mean{kMethodNames[kMean], std::vector<double>(channels, 0.0), std::vector<double>(steps, 0.0)};
  for (std::size_t i = 0; i < z.size(); ++i) {
    const std::size_t c = i % channels, s = i / channels / step;
    peak.sensors[c] = std::max(peak.sensors[c], z[i]);
    peak.times[s] = std::max(peak.times[s], z[i]);
    mean.sensors[c] += z[i] / static_cast<double>(samples);
    mean.times[s] += z[i];
  }
  for (std::size_t s = 0; s < steps; ++s) peak.times[s] *= static_cast<double>(out.pieces[s].length());
  out.methods[kPeak] = std::move(peak);
  out.methods[kMean] = std::move(mean);
}

// A sensor weighs by the mean square of its disagreements, a step by the sum of them.
void ask_the_others(const LoadedWindow& loaded, const Relations& relations, std::size_t step, WindowAnswers& out) {
  if (relations.weights.values.empty()) return;
  const std::size_t channels = relations.mean.size(), samples = loaded.window.length;
  std::vector<double> squares(samples * channels);
  disagreements_into(relations, std::span(loaded.values).first(squares.size()), squares);
  MethodAnswer answer{kMethodNames[kDisagreement], std::vector<double>(channels, 0.0),
                      std::vector<double>(out.pieces.size(), 0.0)};
  for (std::size_t i = 0; i < squares.size(); ++i) {
    answer.sensors[i % channels] += squares[i] / static_cast<double>(samples);
    answer.times[i / channels / step] += squares[i];
  }
  out.methods[kDisagreement] = std::move(answer);
}

// Adds one window's answer: sensors are averaged (the largest of peaks), times follow each other.
void add_window(MethodAnswer& sum, MethodAnswer one, std::size_t windows, bool largest) {
  sum.method = one.method;
  sum.sensors.resize(one.sensors.size(), 0.0);
  for (std::size_t c = 0; c < one.sensors.size(); ++c) {
    sum.sensors[c] = largest ? std::max(sum.sensors[c], one.sensors[c])
                             : sum.sensors[c] + one.sensors[c] / static_cast<double>(windows);
  }
  sum.times.insert(sum.times.end(), one.times.begin(), one.times.end());
}

}  // namespace

namespace {

// Samples of a step, by which times are told: the Transformer's own, else about as many as occlusion has spans.
std::size_t step_of(const WindowModel& model, std::size_t most_spans) {
  if (model.transformer() != nullptr) return model.transformer()->config().samples_per_step();
  return (model.shape().length + most_spans - 1) / most_spans;
}

// Maps grow with the square of the steps.
void check_maps(const ModelConfig& of) {
  constexpr double kMost = 1 << 27;
  const auto n = [](std::size_t size) { return static_cast<double>(size); };
  const double steps = n(of.steps()), sensors = n(of.input.channels), heads = n(of.body.heads);
  const double rows = steps + (of.has_token() ? 1 : 0);
  const double values =
      of.is_dfstrans() ? heads * steps * sensors * (steps + sensors) : n(of.body.layers) * heads * rows * rows;
  if (values <= kMost) return;
  reject({{"model"},
          fmt::format("attention maps of at most {} values a window", kMost),
          fmt::format("{}, of {} steps", values, of.steps()),
          fmt::format("train it with more samples a step: {}", field_text("segment"))});
}

// The methods that count together. Times: all of them. Sensors: attention, where it speaks about them, and
// disagreement, which names what is at fault rather than where the model noticed it; the others are checks. Where the
// relations of the sensors are not known: attention and occlusion.
MethodAnswer together_of(const std::vector<MethodAnswer>& methods, std::span<const Range> pieces, std::size_t most) {
  const auto chosen = [&](std::initializer_list<MethodIndex> indices) {
    std::vector<MethodAnswer> voices;
    for (const MethodIndex index : indices)
      std::ranges::copy_if(methods, std::back_inserter(voices),
                           [&](const MethodAnswer& one) { return one.method == kMethodNames[index]; });
    return combined(voices, pieces, most);
  };
  if (std::ranges::find(methods, kMethodNames[kDisagreement], &MethodAnswer::method) == methods.end())
    return chosen({kAttention, kOcclusion});
  MethodAnswer together = combined(methods, pieces, most);
  together.sensors = chosen({kAttention, kDisagreement}).sensors;
  return together;
}

}  // namespace

struct Diagnoser::State {
  State(const WindowModel& of, Normal usual, const DiagnosisOptions& how, ThreadPool& threads)
      : model(of), normal(std::move(usual)), options(how), pool(threads) {
    step = step_of(model, options.occlusion.most_spans);
    if (model.transformer() != nullptr) check_maps(model.transformer()->config());
    options.occlusion.batch = std::min(options.occlusion.batch, model.batch());
  }

  WindowAnswers look_into(const Windows& windows, std::uint32_t number) const {
    const LoadedWindow loaded(windows, number, model.shape(), pool);
    const Window& window = loaded.window;
    WindowAnswers out;
    out.pieces = steps_of(window, step);
    out.details.span = {window.begin, window.begin + window.length};
    out.details.step = step;
    const std::vector<float> usual = normal_version(normal, loaded.values, window.length);
    out.details.occlusion = diagnose_occlusion(logit_of(model, options.class_number, loaded), loaded.values, usual,
                                               normal.mean.columns, window.length, step, options.occlusion, pool);
    out.methods[kOcclusion] = occlusion_answer(out.details.occlusion, out.pieces, window.begin);
    if (model.transformer() != nullptr) look_inside(*model.transformer(), loaded, usual, out);
    compare_with_normal(loaded, normal, step, out);
    ask_the_others(loaded, normal.relations, step, out);
    return out;
  }

  // Attention and gradient.
  void look_inside(const Transformer& transformer, const LoadedWindow& loaded, std::span<const float> usual,
                   WindowAnswers& out) const {
    const ModelConfig& config = transformer.config();
    Maps maps(config);
    transformer.attention_into(loaded.samples(),
                               {.values = maps.values, .temporal = maps.temporal, .spatial = maps.spatial});
    config.is_dfstrans() ? attend_space_time(config, maps, out) : attend_encoder(config, maps, out);
    out.methods[kGradient] =
        gradient_answer(gradient_times_input(gradient_from_normal(transformer, loaded, usual), loaded.values, usual,
                                             normal.mean.columns, loaded.window.length, step));
  }

  // The mean gradient on the straight way from its normal version to the window.
  std::vector<float> gradient_from_normal(const Transformer& transformer, const LoadedWindow& loaded,
                                          std::span<const float> usual) const {
    const auto points = static_cast<float>(options.gradient_points);
    LoadedWindow between = loaded;
    std::vector<float> mean(loaded.values.size(), 0.0F), gradient(mean.size());
    for (std::size_t point = 0; point < options.gradient_points; ++point) {
      const float share = (static_cast<float>(point) + 0.5F) / points;
      for (std::size_t i = 0; i < usual.size(); ++i)
        between.values[i] = usual[i] + share * (loaded.values[i] - usual[i]);
      transformer.gradient_into(between.samples(), options.class_number, gradient);
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += gradient[i] / points;
    }
    return mean;
  }

  const WindowModel& model;
  std::size_t step = 1;  // samples
  Normal normal;
  DiagnosisOptions options;
  ThreadPool& pool;
};

Diagnoser::Diagnoser(const WindowModel& model, Normal normal, const DiagnosisOptions& options, ThreadPool& pool)
    : state_(std::make_unique<State>(model, std::move(normal), options, pool)) {}
Diagnoser::~Diagnoser() = default;

Diagnosis Diagnoser::diagnose(const Windows& windows, const Alarm& alarm) {
  assert(!alarm.windows.empty());
  std::vector<std::uint32_t> numbers = alarm.windows;
  std::ranges::sort(numbers);
  Diagnosis found;
  found.alarm = alarm;
  MethodAnswer answers[kMethodCount];
  for (const std::uint32_t number : numbers) {
    WindowAnswers one = state_->look_into(windows, number);
    found.pieces.insert(found.pieces.end(), one.pieces.begin(), one.pieces.end());
    for (std::size_t m = 0; m < kMethodCount; ++m)
      add_window(answers[m], std::move(one.methods[m]), numbers.size(), m == kPeak);
    if (number == alarm.windows.front()) found.details = std::move(one.details);
  }
  const std::size_t most = state_->options.most_spans;
  for (std::size_t m = 0; m < kMethodCount; ++m) {
    if (answers[m].method.empty()) continue;  // the model has none
    answers[m].spans = suspected_spans(found.pieces, answers[m].times, most);
    (m < kPeak ? found.methods : found.baselines).push_back(std::move(answers[m]));
  }
  found.together = together_of(found.methods, found.pieces, most);
  return found;
}

std::vector<MethodAgreement> agreements(const Diagnosis& diagnosis) {
  std::vector<MethodAgreement> all;
  for (std::size_t a = 0; a < diagnosis.methods.size(); ++a) {
    for (std::size_t b = a + 1; b < diagnosis.methods.size(); ++b) {
      const MethodAnswer &first = diagnosis.methods[a], &second = diagnosis.methods[b];
      MethodAgreement pair{first.method, second.method, {}, agreement(first.times, second.times)};
      if (!first.sensors.empty() && !second.sensors.empty()) pair.sensors = agreement(first.sensors, second.sensors);
      all.push_back(std::move(pair));
    }
  }
  return all;
}

}  // namespace faithful
