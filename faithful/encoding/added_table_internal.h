#pragma once

#include <span>
#include <vector>

#include "faithful/encoding/in_model_internal.h"

namespace faithful {

// What codes are multiplied by, so that the table of positions 0, 1, 2, .. has the norm that options.scale asks for.
// The same factor serves real-valued times, and codes whose parameters training moves.
double scale_factor_in_model(const ModelPlace& place);

// A fixed table, added to the steps: the numbers that make_encoding gives, at 0, 1, 2, .. or at each sample's times.
template <class T>
class AddedTable : public InModel<T> {
 public:
  using InModel<T>::InModel;

  void fill_tables() override;
  void begin(Tape<T>& tape, PositionPass<T>& pass) const override;

 protected:
  using InModel<T>::place_;

 private:
  std::vector<double> codes_at(std::span<const T> times) const;  // [S, d]; empty: at 0, 1, 2, ..

  std::vector<T> table_;  // [S, d], where positions are 0, 1, 2, ..
  double factor_ = 1;
};

extern template class AddedTable<float>;
extern template class AddedTable<double>;

}  // namespace faithful
