#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"
#include "faithful/encoding/code_distances.h"
#include "faithful/encoding/encoding.h"

namespace faithful {

// The DFT encoding (Ide, Labaien, Chen 2024): e(s) = (phi_0(s), .., phi_{d-1}(s)), the real Fourier basis of d points
// read at position s: the one-hot vector of s, rotated. It repeats after d positions.
//
// With a period N >= d it is made of the lowest d modes of the N-point basis instead, times sqrt(N/d):
//   (1, sqrt(2) cos(w_k s), k = 1..m, sqrt(2) sin(w_k s), k = 1..m) / sqrt(d),   w_k = 2 pi k / N, m = floor((d-1)/2),
// and even d < N ends with sqrt(2/d) cos(w_{d/2} s). N = d is the encoding itself.
struct DftShape {
  std::size_t length = 0;  // S >= 1
  std::size_t dim = 0;     // d >= 1
  std::size_t period = 0;  // N >= d; 0: d
  double factor = 1;       // every value is multiplied by this

  std::size_t repeats_after() const { return period == 0 ? dim : period; }
};

// InputError if a table of that shape is impossible or would give two positions the same code.
FAITHFUL_API void check_dft_shape(const DftShape& shape);

// Writes the codes of positions 0..S-1, [S, d], from a table of N roots of unity; T is float or double. The bits do not
// depend on the number of threads, nor on the instruction set.
template <class T>
FAITHFUL_API void fill_dft_into(std::span<T> table, const DftShape& shape, ThreadPool& pool);

// Finds the position 0..N-1 whose code is nearest to a given vector, in O(N log N): exact for every code, and after
// any disturbance below half the smallest distance between codes (sqrt(2)/2 without a period).
class FAITHFUL_API DftDecoder {
 public:
  explicit DftDecoder(const DftShape& shape);  // it ignores the length
  ~DftDecoder();

  std::size_t nearest(std::span<const double> code) const;  // [d]

 private:
  struct Plan;
  std::unique_ptr<const Plan> plan_;
};

// The positions of all rows of a table [rows, d]. InputError (`place:row:column`) if a value is not finite.
FAITHFUL_API std::vector<std::size_t> decode_dft(const Matrix<double>& codes, std::size_t period = 0, double factor = 1,
                                                 const std::string& place = "table");

// How far the rows are from the codes of their positions: the table may have much noise, another period or factor, or
// no such codes.
FAITHFUL_API CodeDistances dft_distances(const Matrix<double>& codes, std::span<const std::size_t> positions,
                                         std::size_t period = 0, double factor = 1);

}  // namespace faithful
