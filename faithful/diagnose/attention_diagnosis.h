#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"

// Diagnosis by attention: where the attention weights of one window point. It shows what the model looked at, which
// does not prove that the score depends on it: see occlusion.h. All sums are in double.

namespace faithful {

// The attention of one window through a model that attends over steps (for each sensor) and over sensors (at each
// step). Rows are queries and sum to 1; columns are keys.
struct SpaceTimeAttention {
  std::size_t steps = 0, sensors = 0, heads = 0;  // S, C, H
  std::span<const float> temporal = {};           // [C, H, S, S]
  std::span<const float> spatial = {};            // [S, H, C, C]
  std::span<const std::uint8_t> valid = {};       // [S], 0: padding, which is no query; empty: no padding
};

// A[s], [S, S]: over steps, of one sensor, mean over heads.
FAITHFUL_API Matrix<double> temporal_map(const SpaceTimeAttention& attention, std::size_t sensor);

// B[t], [C, C]: over sensors, at one step, mean over heads.
FAITHFUL_API Matrix<double> spatial_map(const SpaceTimeAttention& attention, std::size_t step);

struct AttentionDiagnosis {
  Matrix<double> temporal;      // [S, S], A_G = mean over s of A[s]
  std::vector<double> steps;    // [S], a_t = column sums of A_G: when. They sum to the number of steps
  Matrix<double> spatial;       // [C, C], B_G = sum_t a_t B[t] / sum_t a_t
  std::vector<double> sensors;  // [C], b_s = column means of |B_G|: where. They sum to 1
};
FAITHFUL_API AttentionDiagnosis diagnose_attention(const SpaceTimeAttention& attention);

// The local versions: when for one sensor, the column sums of A[s], [S]; where at one step, the column means of |B[t]|,
// [C].
FAITHFUL_API std::vector<double> steps_of_sensor(const SpaceTimeAttention& attention, std::size_t sensor);
FAITHFUL_API std::vector<double> sensors_at_step(const SpaceTimeAttention& attention, std::size_t step);

// What one head does: over steps, mean over sensors, [S, S]; over sensors, mean over steps weighted as in B_G, [C, C].
FAITHFUL_API Matrix<double> temporal_head(const SpaceTimeAttention& attention, std::size_t head);
FAITHFUL_API Matrix<double> spatial_head(const SpaceTimeAttention& attention, std::size_t head,
                                         std::span<const double> steps);

// The attention of one window through an ordinary encoder, whose steps hold all sensors at once: it says when, and
// nothing about where.
struct EncoderAttention {
  std::size_t steps = 0, layers = 0, heads = 0;  // S, L, H
  bool token = false;                            // a class token is before the first step; only it is classified
  bool residual = true;                          // a layer adds to its input
  std::span<const float> maps = {};              // [L, H, R, R], R = S, and one more with a token
  std::span<const std::uint8_t> valid = {};      // [S], 0: padding; empty: no padding
};

// [S], sum 1: how much of each step reaches the classifier head, by attention rollout (Abnar and Zuidema 2020): the
// product over layers of (A_l + I) / 2, A_l the mean over heads (A_l alone without residual); its first row where there
// is a token, else the mean of its rows. Without layers every step counts the same.
FAITHFUL_API std::vector<double> attention_rollout(const EncoderAttention& attention);

}  // namespace faithful
