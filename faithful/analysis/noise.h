#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"

namespace faithful {

// How well positions can be distinguished under noise: N(0, sigma^2) is added to every coordinate of a code of RMS
// norm 1, and the nearest code is taken (of equally near ones, the first).
struct NoiseDecoding {
  std::vector<double> sigmas;
  std::vector<double> error_rates;           // share of wrong positions, per sigma
  std::vector<double> mean_absolute_errors;  // |decoded - true| in positions, per sigma
  double sigma10 = 0;                        // the sigma at which 10 % are wrong
};

// `codes` [S, r] at RMS norm 1. Only inner products with the noise matter: those of `draws` noise vectors are drawn
// from N(0, G), G the Gram matrix, each used at every position and every sigma.
FAITHFUL_API NoiseDecoding decode_under_noise(const Matrix<double>& codes, const Matrix<double>& distances,
                                              const std::vector<double>& sigmas, std::size_t draws, std::uint64_t seed,
                                              ThreadPool& pool);

}  // namespace faithful
