#pragma once

#include <cstddef>
#include <cstdint>
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

// The weight g(w) of a frequency, for the length scale L in positions.
enum class SpectrumKind : std::uint8_t {
  kExponential,  // 1 / (1 - 2 r cos w + r^2), r = exp(-1/L)
  kMatern,       // (1 + (w L)^2 / (2 nu))^-(nu + 1/2), nu the smoothness
  kGaussian,     // exp(-(w L)^2 / 2)
  kFlat,         // 1
};

enum class SpectralBasis : std::uint8_t { kPeriodic, kCosine };

// The spectral encoding: a basis of frequencies w_k = 2 pi k / P, each column times the square root of g(w_k).
//   periodic: the columns of the DFT encoding with period P; every code times the same factor, to RMS norm 1.
//   cosine:   sqrt(1/2), cos(w_k (s + 1/2)), k = 1 .. min(d, P/2) - 1; each code to norm 1. Further columns are 0.
// docs/spectral.md has the theorem and its proof.
struct SpectralShape {
  std::size_t length = 0;  // S >= 1
  std::size_t dim = 0;     // d >= 1
  SpectralBasis basis = SpectralBasis::kPeriodic;
  std::size_t period = 0;  // P >= d (periodic), or even and at least 2S (cosine)
  SpectrumKind spectrum = SpectrumKind::kExponential;
  double length_scale = 1;  // L > 0; kFlat has none
  double smoothness = 1.5;  // nu > 0, of kMatern
  double factor = 1;        // every value is multiplied by this

  std::size_t frequencies() const;  // how many have a weight: k = 0 .. frequencies() - 1
  bool has_inverse() const;         // the codes of all positions that the basis has are linearly independent
};

// The shape of a table of `spectral`, with the defaults filled in:
//   period 2N, where N is S, or what real-valued positions need if that is more (at least d in the periodic basis);
//   basis periodic if d is at least the period, else cosine; length scale N/6.
// InputError if there is no such table.
FAITHFUL_API SpectralShape spectral_shape(const EncodingOptions& options);

// "cosine basis, period 128, exponential spectrum, length scale 10.7"
FAITHFUL_API std::string to_string(const SpectralShape& shape);

// ln g(w_k), [frequencies()].
FAITHFUL_API std::vector<double> log_spectrum(const SpectralShape& shape);

// Writes the codes of positions 0..S-1, [S, d], in O(S d) from a table of roots of unity; T is float or double. The
// bits do not depend on the number of threads.
template <class T>
FAITHFUL_API void fill_spectral_into(std::span<T> table, const SpectralShape& shape, ThreadPool& pool);

// From codes back to positions, in O(P log P) for each.
class FAITHFUL_API SpectralDecoder {
 public:
  explicit SpectralDecoder(const SpectralShape& shape);
  ~SpectralDecoder();

  // The position 0..S-1 whose code is nearest to a vector [d]: exact for every code, and after any disturbance below
  // half the smallest distance between codes.
  std::size_t nearest(std::span<const double> code) const;

  // The exact inverse, where the shape has one: the weights of all positions of the basis whose codes add up to the
  // given vector. For the code of position s they are 1 at s and 0 elsewhere. Noise grows by up to the condition
  // number, so `nearest` is the better guess for a code with noise.
  std::vector<double> inverse(std::span<const double> code) const;

 private:
  struct Plan;
  std::unique_ptr<const Plan> plan_;
};

struct DecodedPositions {
  std::vector<std::size_t> positions;  // [rows]
  CodeDistances distances = {};
};

// The positions of all rows of a table [rows, d]. InputError (`place:row:column`) if a value is not finite.
FAITHFUL_API DecodedPositions decode_spectral(const Matrix<double>& codes, const SpectralShape& shape,
                                              const std::string& place = "table");

}  // namespace faithful
