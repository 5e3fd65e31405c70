#pragma once

#include <vector>

#include "faithful/encoding/encoding.h"

namespace faithful {

// A free table: e(s) = table[s], U(-.02, .02) at the start.
Encoding make_learned(const EncodingOptions& options);
std::vector<double> start_learned(const EncodingOptions& options);  // [S, d]

// Lin et al. 2021: e(s) = sqrt(1/d) cos(w s + b), w_i = 10^(-9i/(d-1)) and b = 0 at the start.
Encoding make_learned_frequency(const EncodingOptions& options);
std::vector<double> start_learned_frequency(const EncodingOptions& options);  // [2, d], w then b

// One linear and many periodic features of time t = s/(S-1): (w_0 t + b_0, sin(w_1 t + b_1), ..). Real-valued
// positions are brought to [0, 1] alike. mtan: U(-1, 1) at the start; time2vec: N(0, 1).
Encoding make_time_features(const EncodingOptions& options);
std::vector<double> start_mtan(const EncodingOptions& options);      // [2, time_dim], w then b
std::vector<double> start_time2vec(const EncodingOptions& options);  // [2, time_dim], w then b

}  // namespace faithful
