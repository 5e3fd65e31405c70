#include <algorithm>
#include <cmath>

#include "faithful/encoding/operators_internal.h"
#include "faithful/encoding/time_features_internal.h"

namespace faithful {

Encoding make_time_features(const EncodingOptions& options) {
  const std::size_t width = time_dim(options);
  const std::span w = std::span(options.parameters).first(width), b = std::span(options.parameters).last(width);
  const std::vector<double> positions = positions_of(options);
  const auto [first, last] = std::minmax_element(positions.begin(), positions.end());
  const double span = *last > *first ? *last - *first : 1;
  Encoding encoding;
  for (std::size_t i = 1; i < width; ++i) encoding.frequencies.push_back(w[i] / span);
  encoding.values.reserve(positions.size() * width);
  for (const double position : positions) {
    const double t = (position - *first) / span;
    encoding.values.push_back(w[0] * t + b[0]);
    for (std::size_t i = 1; i < width; ++i) encoding.values.push_back(std::sin(w[i] * t + b[i]));
  }
  return encoding;
}

namespace {

template <class T>
void to_unit_range(std::span<T> times) {
  const auto [low, high] = std::minmax_element(times.begin(), times.end());
  const T first = *low, span = *high > *low ? *high - *low : T(1);
  for (T& time : times) time = (time - first) / span;
}

}  // namespace

template <class T>
TimeFeatures<T>::TimeFeatures(const ModelPlace& place, Parameters<T>& parameters)
    : InModel<T>(place, parameters),
      frequencies_(parameters.declare("encoding.frequencies", {time_dim(place.options)}, engine::zeros(), false)),
      phases_(parameters.declare("encoding.phases", {time_dim(place.options)}, engine::zeros(), false)) {}

template <class T>
void TimeFeatures<T>::fill_tables() {
  index_.resize(place_.steps());
  for (std::size_t s = 0; s < index_.size(); ++s) index_[s] = static_cast<T>(s);
  to_unit_range(std::span<T>(index_));
}

template <class T>
void TimeFeatures<T>::initialize(Parameters<T>& parameters, std::uint64_t seed) const {
  EncodingOptions options = place_.options;
  options.seed = seed;
  const std::vector<double> start = start_parameters(place_.name, options);  // w, then b
  write_values(parameters, frequencies_, std::span(start).first(start.size() / 2));
  write_values(parameters, phases_, std::span(start).last(start.size() / 2));
}

template <class T>
void TimeFeatures<T>::begin(Tape<T>& tape, PositionPass<T>& pass) const {
  std::span<const T> at = index_;
  if (!pass.times.empty()) {
    const std::size_t steps = place_.steps();
    T* own = tape.arena().template take<T>(pass.times.size());
    std::copy(pass.times.begin(), pass.times.end(), own);
    for (std::size_t b = 0; b < pass.batch; ++b) to_unit_range(std::span<T>(own + b * steps, steps));
    at = {own, pass.times.size()};
  }
  pass.beside = time_features(tape, at, tape[frequencies_], tape[phases_]);
}

template class TimeFeatures<float>;
template class TimeFeatures<double>;

}  // namespace faithful
