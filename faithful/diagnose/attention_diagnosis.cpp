#include "faithful/diagnose/attention_diagnosis.h"

#include <cassert>
#include <cmath>
#include <numeric>

namespace faithful {

namespace {

// The mean of `heads` square maps that lie one after the other.
Matrix<double> mean_of_heads(std::span<const float> maps, std::size_t heads, std::size_t size) {
  assert(heads > 0 && maps.size() == heads * size * size);
  Matrix<double> mean(size, size);
  for (std::size_t h = 0; h < heads; ++h) {
    const std::span<const float> map = maps.subspan(h * size * size, size * size);
    for (std::size_t i = 0; i < map.size(); ++i) mean.values[i] += static_cast<double>(map[i]);
  }
  for (double& weight : mean.values) weight /= static_cast<double>(heads);
  return mean;
}

bool is_valid(std::span<const std::uint8_t> valid, std::size_t step) {
  return valid.empty() || valid[step] != 0;
}

// Sums over the rows of steps that are there.
std::vector<double> column_sums(const Matrix<double>& map, std::span<const std::uint8_t> valid) {
  std::vector<double> sums(map.columns, 0.0);
  for (std::size_t r = 0; r < map.rows; ++r) {
    if (!is_valid(valid, r)) continue;
    for (std::size_t c = 0; c < map.columns; ++c) sums[c] += map(r, c);
  }
  return sums;
}

std::vector<double> absolute_column_means(const Matrix<double>& map) {
  std::vector<double> means(map.columns, 0.0);
  for (std::size_t r = 0; r < map.rows; ++r)
    for (std::size_t c = 0; c < map.columns; ++c) means[c] += std::abs(map(r, c));
  for (double& mean : means) mean /= static_cast<double>(map.rows);
  return means;
}

void add(Matrix<double>& sum, const Matrix<double>& map, double factor) {
  for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += factor * map.values[i];
}

Matrix<double> product(const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> result(a.rows, b.columns);
  for (std::size_t r = 0; r < a.rows; ++r)
    for (std::size_t k = 0; k < a.columns; ++k)
      for (std::size_t c = 0; c < b.columns; ++c) result(r, c) += a(r, k) * b(k, c);
  return result;
}

}  // namespace

Matrix<double> temporal_map(const SpaceTimeAttention& attention, std::size_t sensor) {
  const std::size_t size = attention.heads * attention.steps * attention.steps;
  return mean_of_heads(attention.temporal.subspan(sensor * size, size), attention.heads, attention.steps);
}

Matrix<double> spatial_map(const SpaceTimeAttention& attention, std::size_t step) {
  const std::size_t size = attention.heads * attention.sensors * attention.sensors;
  return mean_of_heads(attention.spatial.subspan(step * size, size), attention.heads, attention.sensors);
}

AttentionDiagnosis diagnose_attention(const SpaceTimeAttention& attention) {
  AttentionDiagnosis found;
  found.temporal = Matrix<double>(attention.steps, attention.steps);
  for (std::size_t s = 0; s < attention.sensors; ++s)
    add(found.temporal, temporal_map(attention, s), 1.0 / static_cast<double>(attention.sensors));
  found.steps = column_sums(found.temporal, attention.valid);
  const double total = std::accumulate(found.steps.begin(), found.steps.end(), 0.0);
  found.spatial = Matrix<double>(attention.sensors, attention.sensors);
  for (std::size_t t = 0; t < attention.steps; ++t)
    if (found.steps[t] != 0) add(found.spatial, spatial_map(attention, t), found.steps[t] / total);
  found.sensors = absolute_column_means(found.spatial);
  return found;
}

std::vector<double> steps_of_sensor(const SpaceTimeAttention& attention, std::size_t sensor) {
  return column_sums(temporal_map(attention, sensor), attention.valid);
}

std::vector<double> sensors_at_step(const SpaceTimeAttention& attention, std::size_t step) {
  return absolute_column_means(spatial_map(attention, step));
}

Matrix<double> temporal_head(const SpaceTimeAttention& attention, std::size_t head) {
  const std::size_t size = attention.steps * attention.steps;
  Matrix<double> sum(attention.steps, attention.steps);
  for (std::size_t s = 0; s < attention.sensors; ++s) {
    const auto map = attention.temporal.subspan((s * attention.heads + head) * size, size);
    add(sum, mean_of_heads(map, 1, attention.steps), 1.0 / static_cast<double>(attention.sensors));
  }
  return sum;
}

Matrix<double> spatial_head(const SpaceTimeAttention& attention, std::size_t head, std::span<const double> steps) {
  const std::size_t size = attention.sensors * attention.sensors;
  const double total = std::accumulate(steps.begin(), steps.end(), 0.0);
  Matrix<double> sum(attention.sensors, attention.sensors);
  for (std::size_t t = 0; t < attention.steps; ++t) {
    const auto map = attention.spatial.subspan((t * attention.heads + head) * size, size);
    if (steps[t] != 0) add(sum, mean_of_heads(map, 1, attention.sensors), steps[t] / total);
  }
  return sum;
}

std::vector<double> attention_rollout(const EncoderAttention& attention) {
  const std::size_t first = attention.token ? 1 : 0, rows = attention.steps + first;
  const std::size_t size = attention.heads * rows * rows;
  Matrix<double> flow(rows, rows);
  for (std::size_t r = 0; r < rows; ++r) flow(r, r) = 1;
  for (std::size_t l = 0; l < attention.layers; ++l) {
    Matrix<double> layer = mean_of_heads(attention.maps.subspan(l * size, size), attention.heads, rows);
    if (attention.residual) {
      for (double& weight : layer.values) weight /= 2;
      for (std::size_t r = 0; r < rows; ++r) layer(r, r) += 0.5;
    }
    flow = product(layer, flow);
  }
  std::vector<double> reached(attention.steps, 0.0);
  for (std::size_t r = 0; r < rows; ++r) {
    const bool is_read = attention.token ? r == 0 : is_valid(attention.valid, r);
    if (!is_read) continue;
    for (std::size_t s = 0; s < attention.steps; ++s)
      if (is_valid(attention.valid, s)) reached[s] += flow(r, s + first);
  }
  const double total = std::accumulate(reached.begin(), reached.end(), 0.0);
  for (double& weight : reached) weight = total > 0 ? weight / total : 1.0 / static_cast<double>(attention.steps);
  return reached;
}

}  // namespace faithful
