#pragma once

// What spectral and spectral-learned share: options, rows of the basis, and the operators with gradients.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "faithful/encoding/entry_internal.h"
#include "faithful/encoding/spectral.h"
#include "faithful/fourier/basis.h"

namespace faithful {

std::vector<OwnOption> spectral_options();
void check_spectral(const EncodingOptions& options);
std::size_t most_spectral_positions(const EncodingOptions& options);
std::string settle_spectral(EncodingOptions& options, std::optional<double> longest);

// The same place with period, basis and length scale settled by S, so that the times of a sample do not change them.
ModelPlace settled_spectral_place(ModelPlace place);

// ln g and its derivative by the logarithm of the length scale.
struct LogWeight {
  double value, slope;
};
LogWeight log_weight(const SpectralShape& shape, double log_length_scale, std::size_t k);

// The frequency k of a column; kNoFrequency where the column is 0.
inline constexpr std::size_t kNoFrequency = static_cast<std::size_t>(-1);
std::size_t column_frequency(const SpectralShape& shape, std::size_t column);

// Rows of the basis before they are weighted. The periodic basis has the rows of the DFT encoding.
class SpectralRows {
 public:
  explicit SpectralRows(const SpectralShape& shape);
  void row_into(std::span<double> row, std::size_t position) const;  // [d]
  void row_into(std::span<double> row, double position) const;       // [d]

 private:
  SpectralShape shape_;
  RootTable roots_;
};

// What columns are multiplied by, for ln g [frequencies()]: column [d].
template <class T>
void column_weights_into(std::span<T> column, const SpectralShape& shape, std::span<const T> log_g);

// The code of a row of the basis [d], at the norm of the shape. Both may be the same.
template <class T>
void weigh_row(const T* basis, const T* column, const SpectralShape& shape, T* code);

// ln g(w_k) for a learned ln L [1]: [frequencies()].
template <class T>
Tensor<T> learned_log_spectrum(Tape<T>& tape, Tensor<T> log_length_scale, const SpectralShape& shape);

// The codes of rows of the basis [.., d] for a learned ln g [frequencies()].
template <class T>
Tensor<T> learned_codes(Tape<T>& tape, Tensor<T> basis, Tensor<T> log_g, const SpectralShape& shape);

}  // namespace faithful
