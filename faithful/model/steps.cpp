// How samples become steps.

#include <algorithm>

#include "faithful/model/body_internal.h"

namespace faithful::model {

namespace {

// Where a sample's values stand when they are arranged anew.
struct Arrangement {
  std::size_t batch, length, padded, channels;
  std::size_t time_stride, channel_stride;
  std::span<const std::uint8_t> valid;

  // Calls body(first value of a sample as given, its first value as arranged, whether it is there).
  template <class Visit>
  void for_each_sample(const Visit& visit) const {
    for (std::size_t b = 0; b < batch; ++b) {
      for (std::size_t t = 0; t < padded; ++t) {
        const std::size_t given = b * length + t;
        const bool there = t < length && (valid.empty() || valid[given] != 0);
        visit(given * channels, b * padded * channels + t * time_stride, there);
      }
    }
  }
};

// [B, S * samples per step]: which samples are there; empty where all are.
template <class T>
std::span<const std::uint8_t> padded_valid(Tape<T>& tape, const ModelConfig& config, const Samples<T>& samples) {
  const std::size_t padded = config.steps() * config.samples_per_step();
  if (padded == config.input.length) return samples.valid;
  auto* valid = tape.arena().template take<std::uint8_t>(samples.count * padded);
  std::fill_n(valid, samples.count * padded, std::uint8_t{0});
  for (std::size_t b = 0; b < samples.count; ++b) {
    if (samples.valid.empty()) std::fill_n(valid + b * padded, config.input.length, std::uint8_t{1});
    if (!samples.valid.empty())
      std::copy_n(&samples.valid[b * config.input.length], config.input.length, valid + b * padded);
  }
  return {valid, samples.count * padded};
}

}  // namespace

template <class T>
Tensor<T> filled_samples(Tape<T>& tape, const ModelConfig& config, const Samples<T>& samples, Order order) {
  const auto timing = tape.time("fill");
  const std::size_t batch = samples.count, channels = config.input.channels,
                    padded = config.steps() * config.samples_per_step();
  const bool wanted = tape.recording() && !samples.gradients.empty(), by_sensor = order == Order::kSensorFirst;
  const engine::Shape given{batch, config.input.length, channels};
  const Tensor<T> x = wanted ? tape.variable(const_cast<T*>(samples.values.data()), given, samples.gradients.data())
                             : tape.input(samples.values.data(), given);
  if (!by_sensor && padded == config.input.length && samples.valid.empty()) return x;
  const Arrangement places{
      batch, config.input.length, padded, channels, by_sensor ? 1 : channels, by_sensor ? padded : 1, samples.valid};
  const engine::Shape shape =
      by_sensor ? engine::Shape{batch, channels, padded} : engine::Shape{batch, padded, channels};
  const Tensor<T> y =
      wanted ? tape.make(shape) : tape.input(tape.arena().template take<T>(batch * padded * channels), shape);
  places.for_each_sample([&](std::size_t from, std::size_t to, bool there) {
    for (std::size_t c = 0; c < channels; ++c) y.data[to + c * places.channel_stride] = there ? x.data[from + c] : T(0);
  });
  if (!wanted) return y;
  tape.record("fill", y, [&tape, x, y, places] {
    const T* dy = tape.gradient_of(y);
    T* dx = tape.gradient_to_add(x);
    places.for_each_sample([&](std::size_t to, std::size_t from, bool there) {
      for (std::size_t c = 0; there && c < places.channels; ++c) dx[to + c] += dy[from + c * places.channel_stride];
    });
  });
  return y;
}

template <class T>
Tensor<T> averaged_samples(Tape<T>& tape, const ModelConfig& config, const Samples<T>& samples) {
  const Tensor<T> x = filled_samples(tape, config, samples, Order::kTimeFirst);
  if (config.input.average == 1) return x;
  const std::size_t rows = config.steps() * config.input.segment, channels = config.input.channels;
  const Tensor<T> groups = tape.reshape(x, {samples.count * rows, config.input.average, channels});
  const Tensor<T> means = mean_pool(tape, groups, {padded_valid(tape, config, samples)});
  return tape.reshape(means, {samples.count, rows, channels});
}

template <class T>
Differences<T>::Differences(const ModelConfig& config, Parameters<T>& parameters, Order order)
    : config_(config), by_sensor_(order == Order::kSensorFirst) {
  const std::size_t orders = config.input.differences, channels = config.input.channels;
  if (orders == 0) return;
  const engine::Shape shape = by_sensor_ ? engine::Shape{channels, orders} : engine::Shape{orders * channels};
  if (config.input.branches > 0) {
    ones_.assign(shape.count(), T(1));
    zeros_.assign(shape.count(), T(0));
  } else {
    gain_ = parameters.declare("differences.weight", shape, engine::ones(), false);
    offset_ = parameters.declare("differences.bias", shape, engine::zeros(), false);
  }
  const auto statistic = [&](const char* name, engine::Initializer start) {
    return parameters.declare({.name = name, .shape = shape, .initializer = start, .decays = false, .statistic = true});
  };
  mean_ = statistic("differences.mean", engine::zeros());
  variance_ = statistic("differences.variance", engine::ones());
}

template <class T>
std::span<const std::uint8_t> valid_rows(Tape<T>& tape, const ModelConfig& config, const Samples<T>& samples) {
  const std::span<const std::uint8_t> each = padded_valid(tape, config, samples);
  const std::size_t average = config.input.average;
  if (each.empty() || average == 1) return each;
  const std::size_t rows = each.size() / average;
  auto* valid = tape.arena().template take<std::uint8_t>(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto group = each.subspan(r * average, average);
    valid[r] = std::any_of(group.begin(), group.end(), [](auto v) { return v != 0; });
  }
  return {valid, rows};
}

template <class T>
Tensor<T> Differences<T>::append(Tape<T>& tape, Tensor<T> x, const Samples<T>& samples) const {
  const std::size_t orders = config_.input.differences, batch = samples.count, channels = config_.input.channels;
  const std::size_t rows = config_.steps() * config_.input.segment;
  if (by_sensor_) x = tape.reshape(x, {batch, channels, rows, 1});
  if (orders == 0) return x;
  std::span<const std::uint8_t> valid = valid_rows(tape, config_, samples);
  if (by_sensor_) valid = for_each_sensor(tape, valid, batch, channels);
  const Tensor<T> sequences = tape.reshape(x, {x.rows() / rows, rows, x.width()});
  Tensor<T> of_orders[3];
  for (std::size_t n = 0; n < orders; ++n) of_orders[n] = difference(tape, sequences, n + 1, {valid});
  Tensor<T> all = concat(tape, std::span<const Tensor<T>>(of_orders, orders));
  if (by_sensor_) all = tape.reshape(all, {batch, channels, rows, orders});
  const bool fixed = !ones_.empty();
  const Tensor<T> gain = fixed ? tape.input(ones_.data(), {ones_.size()}) : tape[gain_];
  const Tensor<T> offset = fixed ? tape.input(zeros_.data(), {zeros_.size()}) : tape[offset_];
  all = batch_norm(tape, all, gain, offset, tape[mean_], tape[variance_], {.mask = {valid}});
  const Tensor<T> parts[] = {x, all};
  return concat(tape, std::span<const Tensor<T>>(parts));
}

template <class T>
std::span<const std::uint8_t> valid_steps(Tape<T>& tape, const ModelConfig& config, const Samples<T>& samples,
                                          bool with_token) {
  if (samples.valid.empty()) return {};
  const std::size_t steps = config.steps(), first = with_token ? 1 : 0, rows = steps + first;
  auto* valid = tape.arena().template take<std::uint8_t>(samples.count * rows);
  for (std::size_t b = 0; b < samples.count; ++b) {
    const std::uint8_t* of_sample = samples.valid.data() + b * config.input.length;
    valid[b * rows] = 1;
    for (std::size_t s = 0; s < steps; ++s) {
      const std::size_t begin = s * config.samples_per_step(),
                        end = std::min(begin + config.samples_per_step(), config.input.length);
      valid[b * rows + first + s] = std::any_of(of_sample + begin, of_sample + end, [](auto v) { return v != 0; });
    }
  }
  return {valid, samples.count * rows};
}

template <class T>
std::span<const T> step_times(Tape<T>& tape, const ModelConfig& config, const Samples<T>& samples) {
  if (!config.has_times()) return {};
  const std::size_t steps = config.steps();
  T* times = tape.arena().template take<T>(samples.count * steps);
  const auto there = [&](std::size_t at) { return samples.valid.empty() || samples.valid[at] != 0; };
  for (std::size_t b = 0; b < samples.count; ++b) {
    const std::size_t first = b * config.input.length, end = first + config.input.length;
    std::size_t at = first;
    while (at < end && !there(at)) ++at;
    T time = at < end ? samples.times[at] : T(0);
    for (std::size_t s = 0; s < steps; ++s) {
      const std::size_t last = std::min(first + (s + 1) * config.samples_per_step(), end);
      for (at = first + s * config.samples_per_step(); at < last && !there(at);) ++at;
      if (at < last) time = samples.times[at];
      times[b * steps + s] = time;
    }
  }
  return {times, samples.count * steps};
}

template Tensor<float> filled_samples(Tape<float>&, const ModelConfig&, const Samples<float>&, Order);
template Tensor<double> filled_samples(Tape<double>&, const ModelConfig&, const Samples<double>&, Order);
template Tensor<float> averaged_samples(Tape<float>&, const ModelConfig&, const Samples<float>&);
template Tensor<double> averaged_samples(Tape<double>&, const ModelConfig&, const Samples<double>&);
template std::span<const std::uint8_t> valid_rows(Tape<float>&, const ModelConfig&, const Samples<float>&);
template std::span<const std::uint8_t> valid_rows(Tape<double>&, const ModelConfig&, const Samples<double>&);
template class Differences<float>;
template class Differences<double>;
template std::span<const std::uint8_t> valid_steps(Tape<float>&, const ModelConfig&, const Samples<float>&, bool);
template std::span<const std::uint8_t> valid_steps(Tape<double>&, const ModelConfig&, const Samples<double>&, bool);
template std::span<const float> step_times(Tape<float>&, const ModelConfig&, const Samples<float>&);
template std::span<const double> step_times(Tape<double>&, const ModelConfig&, const Samples<double>&);

}  // namespace faithful::model
