#include <algorithm>

#include "faithful/encoding/added_table_internal.h"

namespace faithful {

double scale_factor_in_model(const ModelPlace& place) {
  EncodingOptions options = place.options;
  if (options.scale.rule == EncodingScale::Rule::kAsDefined) return 1;
  if (options.scale.rule == EncodingScale::Rule::kNumber) return options.scale.number;
  const std::vector<double> scaled = make_encoding(place.name, options).values;
  options.scale = {};
  const std::vector<double> plain = make_encoding(place.name, options).values;
  const auto largest = std::max_element(plain.begin(), plain.end());
  return scaled[static_cast<std::size_t>(largest - plain.begin())] / *largest;
}

template <class T>
void AddedTable<T>::fill_tables() {
  factor_ = scale_factor_in_model(place_);
  if (place_.by_time) return;
  const std::vector<double> codes = codes_at({});
  table_.assign(codes.begin(), codes.end());
}

template <class T>
std::vector<double> AddedTable<T>::codes_at(std::span<const T> times) const {
  EncodingOptions options = place_.options;
  options.positions.assign(times.begin(), times.end());
  options.scale = {};
  std::vector<double> codes = make_encoding(place_.name, options).values;
  for (double& code : codes) code *= factor_;
  return codes;
}

template <class T>
void AddedTable<T>::begin(Tape<T>& tape, PositionPass<T>& pass) const {
  const std::size_t steps = place_.steps(), each = steps * place_.width;
  if (pass.times.empty()) {
    pass.added = tape.input(table_.data(), {steps, place_.width});
    return;
  }
  T* all = tape.arena().template take<T>(pass.batch * each);  // uneven times give every sample a table of its own
  for (std::size_t b = 0; b < pass.batch; ++b) {
    const std::vector<double> codes = codes_at(pass.times.subspan(b * steps, steps));
    std::transform(codes.begin(), codes.end(), all + b * each, [](double code) { return static_cast<T>(code); });
  }
  pass.added = tape.input(all, {pass.batch, steps, place_.width});
}

template class AddedTable<float>;
template class AddedTable<double>;

}  // namespace faithful
