#pragma once

#include <cstddef>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/encoding/encoding.h"

namespace faithful {

// T5 (Raffel et al. 2020), both directions, 32 buckets, offsets up to 128: the bucket of offset = j - i (key minus
// query). +16 if the key comes later; |offset| < 8 has a bucket each, then they begin at 8, 12, 16, 23, 32, 46, 64, 91.
inline constexpr std::size_t kT5Buckets = 32;
FAITHFUL_API std::size_t t5_bucket(std::ptrdiff_t offset);

// logit += table[bucket(j - i)][h]
Encoding make_t5(const EncodingOptions& options);
std::vector<double> start_t5(const EncodingOptions& options);  // [32, H], N(0, .02)

// ALiBi (Press et al. 2022): the slopes m_h = 2^(-8h/H), h = 1..H. H no power of two: the slopes of the largest power
// of two P below, then every second slope of 2P.
FAITHFUL_API std::vector<double> alibi_slopes(std::size_t heads);  // [H]

// logit -= m_h |i - j|
Encoding make_alibi(const EncodingOptions& options);

// KERPLE, logarithmic (Chi et al. 2022): logit -= r1_h ln(1 + r2_h |i - j|), r1 = r2 = 1 at the start.
Encoding make_kerple(const EncodingOptions& options);
std::vector<double> start_kerple(const EncodingOptions& options);  // [2, H], r1 then r2

// TUPE (Ke et al. 2021): logit += (LN(p_i) UQ_h) . (LN(p_j) UK_h) / sqrt(2 d_h) [+ t5's bias], where LN has no gain or
// shift (epsilon 1e-5) and UQ_h is columns h d_h .. (h+1) d_h - 1 of UQ. All N(0, .02) at the start.
Encoding make_tupe(const EncodingOptions& options);
std::vector<double> start_tupe(const EncodingOptions& options);  // p [S, d], UQ [d, d], UK [d, d] [, t5's table]

}  // namespace faithful
