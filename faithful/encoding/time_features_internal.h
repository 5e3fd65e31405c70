#pragma once

// What mtan and time2vec share: one linear and many periodic features of time t = s/(S-1),
// (w_0 t + b_0, sin(w_1 t + b_1), ..). Real-valued positions are scaled to [0, 1] in the same way.

#include <vector>

#include "faithful/encoding/entry_internal.h"

namespace faithful {

inline const OwnOption kTimeDim{{"time_dim", "D", "width of the time features", {.least = 1}}, std::size_t{16}};
inline std::size_t time_dim(const EncodingOptions& options) {
  return options.own.whole("time_dim");
}

// values [S, time_dim] of parameters [2, time_dim]: w, then b.
Encoding make_time_features(const EncodingOptions& options);

// Concatenated to the steps.
template <class T>
class TimeFeatures : public InModel<T> {
 public:
  TimeFeatures(const ModelPlace& place, Parameters<T>& parameters);

  void fill_tables() override;
  void initialize(Parameters<T>& parameters, std::uint64_t seed) const override;
  std::size_t columns_beside() const override { return time_dim(place_.options); }
  void begin(Tape<T>& tape, PositionPass<T>& pass) const override;

 protected:
  using InModel<T>::place_;

 private:
  Parameter frequencies_, phases_;  // w, b
  std::vector<T> index_;            // [S]: t of positions 0, 1, 2, ..
};

extern template class TimeFeatures<float>;
extern template class TimeFeatures<double>;

}  // namespace faithful
