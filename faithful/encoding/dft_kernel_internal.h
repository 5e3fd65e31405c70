#pragma once

#include <cstddef>
#include <span>

#include "faithful/encoding/dft.h"
#include "faithful/fourier/basis.h"

namespace faithful {

// Writes the codes of positions begin..end-1 to `rows`. With `stream` the stores go past the caches, which is twice as
// fast where the table is much larger than they are.
void fill_dft_rows(float* rows, const DftShape& shape, const RootTable& roots, std::size_t begin, std::size_t end,
                   bool stream);
void fill_dft_rows(double* rows, const DftShape& shape, const RootTable& roots, std::size_t begin, std::size_t end,
                   bool stream);

// The code of a real-valued position: its whole part goes through the table of roots, its fraction adds an angle below
// a quarter turn, so that large k lose nothing.
void fill_dft_row(std::span<double> row, double position, const DftShape& shape, const RootTable& roots);

// The three factors of a row: of phi_0, of the pairs, and of the last column where d is even.
struct DftFactors {
  double first, pair, last;
};
DftFactors dft_factors(const DftShape& shape);

}  // namespace faithful
