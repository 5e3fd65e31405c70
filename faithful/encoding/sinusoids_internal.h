#pragma once

// What the encodings made of sines and cosines share.

#include <cstddef>
#include <span>
#include <vector>

#include "faithful/encoding/entry_internal.h"

namespace faithful {

inline const OwnOption kRho{{"rho", "R", "base of the geometric series of frequencies", {.above = 0}}, 1e4};

// Libraries disagree on these; the standards are the paper's.
inline const OwnOption kLayout{{"layout",
                                "L",
                                "sin cos sin cos .. (interleaved), or all sines, then all cosines (halves)",
                                {.choices = {"interleaved", "halves"}}},
                               "interleaved"};
inline const OwnOption kExponent{{"exponent",
                                  "E",
                                  "exponent of rho: 2i/d, or i/(d/2-1), whose lowest frequency is exactly 1/rho",
                                  {.choices = {"2i/d", "i/(d/2-1)"}}},
                                 "2i/d"};
inline const OwnOption kFirstPosition{{"first_position", "X", "number added to every position"}, 0.0};

// rho^(-2i/d), or the other exponents, for i = 0..ceil(d/2)-1, in radians per sample.
std::vector<double> sinusoid_frequencies(std::size_t d, double rho, bool two_over_dim = true);

// Row s: sin(p_s w_i) and cos(p_s w_i) in the layout of the options, w_i = stretch times the frequencies above; odd d
// ends with a lone sine.
Encoding make_sinusoids(const EncodingOptions& options, double stretch);

}  // namespace faithful
