#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "faithful/analysis/measures.h"
#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/base/threads.h"

namespace faithful {

// `codes` [S, r] at RMS norm 1. Only inner products with the noise matter: those of `draws` noise vectors are drawn
// from N(0, G), G the Gram matrix, each used at every position and every sigma.
FAITHFUL_API NoiseDecoding decode_under_noise(const Matrix<double>& codes, const Matrix<double>& distances,
                                              const std::vector<double>& sigmas, std::size_t draws, std::uint64_t seed,
                                              ThreadPool& pool);

}  // namespace faithful
