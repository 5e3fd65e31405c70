#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/encoding/encoding.h"

namespace faithful {

// rho^(-2i/d) (or the other exponent step) for i = 0..ceil(d/2)-1, in radians per sample.
FAITHFUL_API std::vector<double> sinusoid_frequencies(
    std::size_t d, double rho, SinusoidalConvention::Step step = SinusoidalConvention::Step::kTwoOverDim);

// Row s: sin(p_s w_i) and cos(p_s w_i) in the layout of the convention; odd d ends its frequencies with a lone sine.
FAITHFUL_API std::vector<double> sinusoid_table(std::span<const double> positions, std::span<const double> frequencies,
                                                std::size_t d, const SinusoidalConvention& convention);  // [S, d]

// The original encoding (Vaswani et al. 2017): e_{2i}(s) = sin(s rho^(-2i/d)), e_{2i+1}(s) = cos(s rho^(-2i/d)).
Encoding make_sinusoidal(const EncodingOptions& options);

// tAPE (Foumani et al. 2024): the same with every frequency times d/S.
Encoding make_tape(const EncodingOptions& options);

}  // namespace faithful
