#include "faithful/encoding/bias.h"

#include <array>
#include <bit>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/random.h"
#include "faithful/encoding/options_internal.h"

namespace faithful {

namespace {

// values[h, i, j] = bias(h, i, j)
template <class Bias>
std::vector<double> fill_bias(std::size_t heads, std::size_t length, Bias&& bias) {
  std::vector<double> values;
  values.reserve(heads * length * length);
  for (std::size_t h = 0; h < heads; ++h) {
    for (std::size_t i = 0; i < length; ++i) {
      for (std::size_t j = 0; j < length; ++j) values.push_back(bias(h, i, j));
    }
  }
  return values;
}

std::vector<double> t5_values(std::span<const double> table, std::size_t heads, std::size_t length) {
  return fill_bias(heads, length, [&](std::size_t h, std::size_t i, std::size_t j) {
    return table[t5_bucket(static_cast<std::ptrdiff_t>(j) - static_cast<std::ptrdiff_t>(i)) * heads + h];
  });
}

std::vector<double> normal_values(std::size_t count, double deviation, std::uint64_t seed, const char* stream) {
  Random random(seed, stream_of(stream));
  std::vector<double> values(count);
  for (double& value : values) value = deviation * random.normal();
  return values;
}

std::vector<double> power_of_two_slopes(std::size_t heads) {
  std::vector<double> slopes(heads);
  for (std::size_t h = 0; h < heads; ++h) {
    slopes[h] = std::exp2(-8 * static_cast<double>(h + 1) / static_cast<double>(heads));
  }
  return slopes;
}

}  // namespace

std::size_t t5_bucket(std::ptrdiff_t offset) {
  // The integers from where on 8 + floor(8 ln(n/8) / ln(128/8)) grows: exact where logarithms would round.
  constexpr std::array<std::size_t, 7> kFurtherStarts = {12, 16, 23, 32, 46, 64, 91};
  const std::size_t direction = offset > 0 ? kT5Buckets / 2 : 0;
  const auto distance = static_cast<std::size_t>(offset < 0 ? -offset : offset);
  if (distance < 8) return direction + distance;
  std::size_t bucket = 8;
  for (const std::size_t start : kFurtherStarts) bucket += distance >= start ? 1 : 0;
  return direction + bucket;
}

Encoding make_t5(const EncodingOptions& options) {
  return {.values = t5_values(options.parameters, options.heads, options.length)};
}

std::vector<double> start_t5(const EncodingOptions& options) {
  return normal_values(kT5Buckets * options.heads, 0.02, options.seed, "t5");
}

std::vector<double> alibi_slopes(std::size_t heads) {
  const std::size_t power = std::bit_floor(heads);
  std::vector<double> slopes = power_of_two_slopes(power);
  if (power == heads) return slopes;
  const std::vector<double> twice = power_of_two_slopes(2 * power);
  for (std::size_t h = 0; slopes.size() < heads; h += 2) slopes.push_back(twice[h]);
  return slopes;
}

Encoding make_alibi(const EncodingOptions& options) {
  const std::vector<double> slopes = alibi_slopes(options.heads), positions = positions_of(options);
  return {.values = fill_bias(options.heads, options.length, [&](std::size_t h, std::size_t i, std::size_t j) {
            return 0 - slopes[h] * std::abs(positions[i] - positions[j]);
          })};
}

Encoding make_kerple(const EncodingOptions& options) {
  const std::span r1 = std::span(options.parameters).first(options.heads);
  const std::span r2 = std::span(options.parameters).last(options.heads);
  for (const double r : options.parameters) {
    if (!(r > 0) || !std::isfinite(r)) reject({{"parameters"}, "r1, r2 > 0 for kerple", fmt::format("{}", r)});
  }
  const std::vector<double> positions = positions_of(options);
  return {.values = fill_bias(options.heads, options.length, [&](std::size_t h, std::size_t i, std::size_t j) {
            return 0 - r1[h] * std::log1p(r2[h] * std::abs(positions[i] - positions[j]));
          })};
}

std::vector<double> start_kerple(const EncodingOptions& options) {
  return std::vector<double>(2 * options.heads, 1.0);
}

namespace {

// out = LN(p) u, where LN brings each row of p to mean 0 and variance 1.
std::vector<double> project_normalized(std::span<const double> p, std::span<const double> u, std::size_t length,
                                       std::size_t d) {
  std::vector<double> out(length * d);  // [S, d]
  for (std::size_t s = 0; s < length; ++s) {
    const std::span row = p.subspan(s * d, d);
    double mean = 0, variance = 0;
    for (const double x : row) mean += x / static_cast<double>(d);
    for (const double x : row) variance += (x - mean) * (x - mean) / static_cast<double>(d);
    const double inverse_deviation = 1 / std::sqrt(variance + 1e-5);
    for (std::size_t k = 0; k < d; ++k) {
      const double x = (row[k] - mean) * inverse_deviation;
      for (std::size_t c = 0; c < d; ++c) out[s * d + c] += x * u[k * d + c];
    }
  }
  return out;
}

}  // namespace

Encoding make_tupe(const EncodingOptions& options) {
  const std::size_t length = options.length, d = options.dim, width = head_width(options);
  const std::span all(options.parameters);
  const std::span p = all.first(length * d), uq = all.subspan(length * d, d * d);
  const std::span uk = all.subspan(length * d + d * d, d * d);
  const std::vector<double> q = project_normalized(p, uq, length, d), k = project_normalized(p, uk, length, d);
  const double scale = 1 / std::sqrt(2 * static_cast<double>(width));
  Encoding encoding;
  encoding.values = fill_bias(options.heads, length, [&](std::size_t h, std::size_t i, std::size_t j) {
    double dot = 0;
    for (std::size_t c = h * width; c < (h + 1) * width; ++c) dot += q[i * d + c] * k[j * d + c];
    return scale * dot;
  });
  if (options.tupe_relative) {
    const std::vector<double> relative = t5_values(all.subspan(length * d + 2 * d * d), options.heads, length);
    for (std::size_t i = 0; i < relative.size(); ++i) encoding.values[i] += relative[i];
  }
  return encoding;
}

std::vector<double> start_tupe(const EncodingOptions& options) {
  const std::size_t d = options.dim;
  if (d == 0) reject({{"--dim"}, "at least 1", "0"});
  head_width(options);
  checked_product({2, d, d}, "--dim");
  checked_product({options.length, d}, "--dim");
  std::vector<double> values = normal_values(options.length * d + 2 * d * d, 0.02, options.seed, "tupe");
  if (options.tupe_relative) {
    const std::vector<double> relative = start_t5(options);
    values.insert(values.end(), relative.begin(), relative.end());
  }
  return values;
}

}  // namespace faithful
