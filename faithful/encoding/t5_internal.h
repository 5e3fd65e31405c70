#pragma once

// The buckets of t5, which tupe can add too.

#include <cstddef>
#include <span>
#include <vector>

#include "faithful/encoding/in_model_internal.h"

namespace faithful {

inline constexpr std::size_t kT5Buckets = 32;

// The bucket of offset = j - i (key minus query), both directions, up to 128: +16 if the key comes later; they begin at
// |offset| = 0, 1, .., 7, 8, 12, 16, 23, 32, 46, 64, 91.
std::size_t t5_bucket(double offset);

std::vector<double> start_t5(const EncodingOptions& options);  // [32, H]

// [H, S, S]: table[bucket(p_j - p_i)][h]
std::vector<double> t5_values(std::span<const double> table, std::size_t heads, std::span<const double> positions);

// A learned table of buckets, shared by all layers.
template <class T>
class T5Buckets {
 public:
  void declare(const ModelPlace& place, Parameters<T>& parameters);
  void fill_tables(const ModelPlace& place);
  Tensor<T> bias(Tape<T>& tape) const;                      // [H, 2 rows - 1]
  engine::OffsetFunction<T> function(Tape<T>& tape) const;  // the same of any offset

 private:
  Parameter table_;                    // [32, H]
  std::vector<std::uint32_t> bucket_;  // [2 rows - 1], of each offset
};

extern template class T5Buckets<float>;
extern template class T5Buckets<double>;

}  // namespace faithful
