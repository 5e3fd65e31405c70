#include "faithful/model/position.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/encoding/bias.h"
#include "faithful/encoding/catalog.h"
#include "faithful/model/operators_internal.h"

namespace faithful {

using engine::Parameters;
using engine::Tape;
using engine::Tensor;

namespace {

constexpr double kDeviation = 0.02;  // of what starts as N(0, .02): t5, tupe, shaw

// t of the time features: positions brought to [0, 1].
template <class T>
void to_unit_range(std::span<T> times) {
  const auto [low, high] = std::minmax_element(times.begin(), times.end());
  const T first = *low, span = *high > *low ? *high - *low : T(1);
  for (T& time : times) time = (time - first) / span;
}

}  // namespace

template <class T>
Position<T>::Position(const ModelConfig& config, Parameters<T>& parameters)
    : config_(config),
      kind_(catalog_entry(config.encoding).kind),
      rows_(config.steps() + (config.pooling == "token" ? 1 : 0)) {
  const std::size_t d = config.width, heads = config.heads, features = is("learned-frequency") ? d : config.time_dim;
  if (is("learned")) table_ = parameters.declare("encoding.table", {config.steps(), d}, engine::zeros(), false);
  if (has_waves()) {
    frequencies_ = parameters.declare("encoding.frequencies", {features}, engine::zeros(), false);
    phases_ = parameters.declare("encoding.phases", {features}, engine::zeros(), false);
  }
  if (has_buckets()) {
    buckets_ = parameters.declare("encoding.buckets", {kT5Buckets, heads}, engine::normal(kDeviation), false);
  }
  if (is("tupe")) {
    const std::size_t out = heads * config.key_width();
    codes_ = parameters.declare("encoding.positions", {config.steps(), d}, engine::normal(kDeviation), false);
    query_weight_ = parameters.declare("encoding.query.weight", {out, d}, engine::normal(kDeviation));
    key_weight_ = parameters.declare("encoding.key.weight", {out, d}, engine::normal(kDeviation));
    if (config.pooling == "token") {
      token_ = parameters.declare("encoding.token", {2, heads}, engine::normal(kDeviation), false);
    }
  }
  if (config.decays()) {  // no shard ever leaves anything for this statistic, so that every update shrinks it
    decay_ = parameters.declare({.name = "encoding.decay",
                                 .shape = {1},
                                 .initializer = engine::ones(),
                                 .statistic = true,
                                 .momentum = 1 - std::sqrt(2 / static_cast<double>(d))});
  }
  for (std::size_t l = 0; l < config.layers; ++l) declare_layer(l, parameters);
}

template <class T>
void Position<T>::declare_layer(std::size_t number, Parameters<T>& parameters) {
  const std::string name = fmt::format("layers.{}.attention.", number);
  const std::size_t heads = config_.heads, width = config_.key_width(), vectors = 2 * config_.clip + 1;
  Layer layer;
  if (is("shaw")) {
    const auto start = engine::normal(kDeviation);
    layer.relative_keys = parameters.declare(name + "relative_keys", {vectors, width}, start, false);
    layer.relative_values = parameters.declare(name + "relative_values", {vectors, width}, start, false);
  }
  if (is("kerple")) layer.log_rates = parameters.declare(name + "log_rates", {2, heads}, engine::zeros(), false);
  if (is("erpe")) {
    layer.offset_weights = parameters.declare(name + "offset_weights", {heads, 2 * rows_ - 1}, engine::zeros(), false);
  }
  if (replaces_queries()) {
    const std::size_t out = 2 * heads * width;
    layer.time_weight = parameters.declare(name + "time.weight", {out, config_.time_dim}, engine::xavier_uniform());
    layer.time_bias = parameters.declare(name + "time.bias", {out}, engine::zeros(), false);
  }
  layers_.push_back(layer);
}

// The scale rule looks at the table of positions 0, 1, 2, ..: the factor it asks for there serves all times, and stays
// a factor of what is learned.
template <class T>
double Position<T>::scale_factor() const {
  EncodingOptions options = encoding_options(config_);
  if (options.scale.rule == EncodingScale::Rule::kAsDefined) return 1;
  if (options.scale.rule == EncodingScale::Rule::kNumber) return options.scale.number;
  const std::vector<double> scaled = make_encoding(config_.encoding, options).values;
  options.scale = {};
  const std::vector<double> plain = make_encoding(config_.encoding, options).values;
  const auto largest = std::max_element(plain.begin(), plain.end());
  return scaled[static_cast<std::size_t>(largest - plain.begin())] / *largest;
}

template <class T>
void Position<T>::fill_tables() {
  index_.resize(rows_);
  for (std::size_t s = 0; s < rows_; ++s) index_[s] = static_cast<T>(s);
  const std::span<const T> steps = std::span<const T>(index_).first(config_.steps());
  const bool fixed_code = kind_ == EncodingKind::kAdditive && !catalog_entry(config_.encoding).learned();
  if (fixed_code || is("learned-frequency")) factor_ = scale_factor();
  if (kind_ == EncodingKind::kRotary) {
    EncodingOptions options = encoding_options(config_);
    options.length = 1;
    rotations_ = make_encoding(config_.encoding, options).frequencies;
  }
  if (config_.positions == "index" && (fixed_code || kind_ == EncodingKind::kRotary)) {
    const std::vector<double> codes = fixed_code ? codes_of({}) : angles_of(index_);
    fixed_.assign(codes.begin(), codes.end());
  }
  const auto last = static_cast<std::ptrdiff_t>(rows_ - 1);
  if (is("alibi")) {
    for (const double slope : alibi_slopes(config_.heads)) {
      for (std::ptrdiff_t o = -last; o <= last; ++o) {
        fixed_.push_back(static_cast<T>(-slope * static_cast<double>(std::abs(o))));
      }
    }
  }
  if (has_buckets()) {
    for (std::ptrdiff_t o = -last; o <= last; ++o) bucket_.push_back(static_cast<std::uint32_t>(t5_bucket(o)));
  }
  if (kind_ == EncodingKind::kConcatenated) {
    index_.assign(steps.begin(), steps.end());
    to_unit_range(std::span<T>(index_));
  }
  ones_.assign(config_.width, T(1));
  zeros_.assign(config_.width, T(0));
}

template <class T>
void Position<T>::initialize(Parameters<T>& parameters, std::uint64_t seed) const {
  EncodingOptions options = encoding_options(config_);
  options.seed = seed;
  const auto write = [&](engine::Parameter parameter, std::span<const double> values) {
    std::transform(values.begin(), values.end(), parameters.mutable_values_of(parameter).begin(),
                   [](double value) { return static_cast<T>(value); });
  };
  if (is("learned")) write(table_, make_encoding("learned", options).values);
  if (has_waves()) {
    const std::vector<double> start = start_parameters(config_.encoding, options);  // w, then b
    write(frequencies_, std::span(start).first(start.size() / 2));
    write(phases_, std::span(start).last(start.size() / 2));
  }
}

template <class T>
std::size_t Position<T>::concatenated_columns() const {
  return kind_ == EncodingKind::kConcatenated && !replaces_queries() ? config_.time_dim : 0;
}

template <class T>
bool Position<T>::replaces_queries() const {
  return is("mtan") && config_.mtan == "attention";
}

template <class T>
std::vector<double> Position<T>::codes_of(std::span<const T> times) const {
  EncodingOptions options = encoding_options(config_);
  options.positions.assign(times.begin(), times.end());
  options.scale = {};
  std::vector<double> codes = make_encoding(config_.encoding, options).values;
  for (double& code : codes) code *= factor_;
  return codes;
}

// Brought to [-pi, pi] in double: a float of many turns has no digits left for the angle.
template <class T>
std::vector<double> Position<T>::angles_of(std::span<const T> times) const {
  std::vector<double> angles;
  angles.reserve(times.size() * rotations_.size());
  for (const T time : times) {
    for (const double rotation : rotations_) {
      angles.push_back(std::remainder(rotation * static_cast<double>(time), 2 * std::numbers::pi));
    }
  }
  return angles;
}

// Uneven times give every sample a table of its own.
template <class T>
std::span<const T> Position<T>::codes_at(Tape<T>& tape, std::span<const T> times) const {
  const std::size_t steps = config_.steps(), batch = times.size() / steps;
  std::vector<T> with_token;  // a class token stands one step before the first
  T* all = nullptr;
  std::size_t each = 0;
  for (std::size_t b = 0; b < batch; ++b) {
    const std::span<const T> of_sample = times.subspan(b * steps, steps);
    if (is("dft")) {
      const auto [low, high] = std::minmax_element(of_sample.begin(), of_sample.end());
      const std::size_t period = config_.period == 0 ? config_.width : config_.period;
      if (static_cast<double>(*high - *low) >= static_cast<double>(period)) {
        reject({{"times"},
                fmt::format("windows shorter than {} time steps, the period of the encoding", period),
                fmt::format("one of {} steps", *high - *low)});
      }
    }
    if (rows_ > steps) {
      with_token.assign(1, *std::min_element(of_sample.begin(), of_sample.end()) - 1);
      with_token.insert(with_token.end(), of_sample.begin(), of_sample.end());
    }
    const std::vector<double> codes = kind_ != EncodingKind::kRotary
                                          ? codes_of(of_sample)
                                          : angles_of(rows_ > steps ? std::span<const T>(with_token) : of_sample);
    if (all == nullptr) {
      each = codes.size();
      all = tape.arena().template take<T>(batch * each);
    }
    std::transform(codes.begin(), codes.end(), all + b * each, [](double value) { return static_cast<T>(value); });
  }
  return {all, batch * each};
}

template <class T>
Tensor<T> Position<T>::waves(Tape<T>& tape, std::size_t batch, std::span<const T> times) const {
  const bool cosines = is("learned-frequency");
  std::span<const T> at = std::span<const T>(index_).first(config_.steps());
  if (!times.empty()) {
    T* own = tape.arena().template take<T>(times.size());
    std::copy(times.begin(), times.end(), own);
    for (std::size_t b = 0; b < batch && !cosines; ++b) {
      to_unit_range(std::span<T>(own + b * config_.steps(), config_.steps()));
    }
    at = {own, times.size()};
  }
  return cosines ? model::cosine_features(tape, at, tape[frequencies_], tape[phases_],
                                          factor_ / std::sqrt(static_cast<double>(config_.width)))
                 : model::time_features(tape, at, tape[frequencies_], tape[phases_]);
}

// The position parts of queries and keys, the same for all layers. The product of content parts and that of position
// parts are both divided by sqrt(2 d_h): that is the one scale of the wider queries and keys.
template <class T>
void Position<T>::begin_tupe(Tape<T>& tape, Pass& pass) const {
  const std::size_t d = config_.width;
  const Tensor<T> normed =
      layer_norm(tape, tape[codes_], {}, tape.input(ones_.data(), {d}), tape.input(zeros_.data(), {d}));
  pass.query_part = linear(tape, normed, tape[query_weight_]);
  pass.key_part = linear(tape, normed, tape[key_weight_]);
  if (config_.pooling != "token") return;
  const double factor = std::sqrt(2 * static_cast<double>(config_.key_width()));
  pass.query_part = model::with_token_terms(tape, pass.query_part, tape[token_], factor, true);
  pass.key_part = model::with_token_terms(tape, pass.key_part, tape[token_], factor, false);
}

template <class T>
typename Position<T>::Pass Position<T>::begin(Tape<T>& tape, std::size_t batch, std::span<const T> times) const {
  const std::size_t steps = config_.steps(), d = config_.width, pairs = config_.key_width() / 2;
  Pass pass{.batch = batch};
  if (is("learned")) {
    pass.added = tape[table_];
  } else if (is("learned-frequency")) {
    pass.added = waves(tape, batch, times);
  } else if (kind_ == EncodingKind::kAdditive) {
    pass.added = times.empty() ? tape.input(fixed_.data(), {steps, d})
                               : tape.input(codes_at(tape, times).data(), {batch, steps, d});
  } else if (kind_ == EncodingKind::kConcatenated) {
    pass.features = waves(tape, batch, times);
  } else if (kind_ == EncodingKind::kRotary) {
    if (times.empty()) pass.angles = tape.input(fixed_.data(), {rows_, pairs});
    if (!times.empty()) pass.row_angles = codes_at(tape, times);
  }
  if (config_.decays()) {
    pass.added = scale(tape, pass.added, static_cast<double>(tape.parameters().values_of(decay_)[0]));
  }
  if (is("alibi")) pass.bias = tape.input(fixed_.data(), {config_.heads, 2 * rows_ - 1});
  if (has_buckets()) pass.bias = model::gather_columns(tape, tape[buckets_], std::span(bucket_));
  if (is("tupe")) begin_tupe(tape, pass);
  return pass;
}

template <class T>
Tensor<T> Position<T>::concatenate(Tape<T>& tape, Tensor<T> x, const Pass& pass) const {
  if (concatenated_columns() == 0) return x;
  const Tensor<T> parts[] = {x, pass.features};
  return concat(tape, std::span<const Tensor<T>>(parts));
}

template <class T>
Tensor<T> Position<T>::add_to(Tape<T>& tape, Tensor<T> h, const Pass& pass) const {
  return pass.added ? add(tape, h, pass.added) : h;
}

template <class T>
void Position<T>::enter(Tape<T>& tape, std::size_t layer, const Pass& pass, engine::AttentionInputs<T>& inputs) const {
  const Layer& own = layers_[layer];
  const std::size_t heads = config_.heads, width = heads * config_.key_width();
  inputs.pairing = config_.pairing == "halves" ? engine::Pairing::kHalves : engine::Pairing::kInterleaved;
  inputs.offset_bias = pass.bias;
  inputs.angles = pass.angles;
  if (!pass.row_angles.empty()) {
    inputs.query = model::rotate(tape, inputs.query, pass.row_angles, heads, inputs.pairing);
    inputs.key = model::rotate(tape, inputs.key, pass.row_angles, heads, inputs.pairing);
  }
  if (is("shaw")) {
    inputs.relative_keys = tape[own.relative_keys];
    inputs.relative_values = tape[own.relative_values];
  }
  if (is("kerple")) inputs.offset_bias = model::kerple_bias(tape, tape[own.log_rates], rows_);
  if (is("erpe")) inputs.offset_weights = tape[own.offset_weights];
  if (is("tupe")) {
    inputs.query = model::beside_in_heads(tape, inputs.query, pass.query_part, heads);
    inputs.key = model::beside_in_heads(tape, inputs.key, pass.key_part, heads);
    inputs.scale = 1 / std::sqrt(2 * static_cast<double>(config_.key_width()));
  }
  if (replaces_queries()) {
    const std::size_t steps = config_.steps(), widths[] = {width, width};
    const Tensor<T> both = linear(tape, pass.features, tape[own.time_weight], tape[own.time_bias]);
    const bool shared = both.rows() == steps;  // the same times for all samples
    Tensor<T> parts[2];
    tape.split(shared ? repeat(tape, both, pass.batch) : tape.reshape(both, {pass.batch, steps, 2 * width}), widths,
               parts);
    inputs.query = parts[0];
    inputs.key = parts[1];
  }
}

template class Position<float>;
template class Position<double>;

}  // namespace faithful
