#include "faithful/analysis/faithfulness.h"

#include <algorithm>
#include <cmath>

#include "faithful/analysis/linear_algebra.h"

namespace faithful {

namespace {

// Codes at RMS norm 1 that are nearer than this are the same up to the rounding of the reduction.
constexpr double kResolved = 64 * 0x1p-52;

bool all_finite(const Matrix<double>& matrix) {
  return std::ranges::all_of(matrix.values, [](double value) { return std::isfinite(value); });
}

double rms_norm(const Matrix<double>& rows) {
  // Scaled by the largest value, so that the squares neither overflow nor vanish.
  double largest = 0;
  for (const double value : rows.values) largest = std::max(largest, std::abs(value));
  if (largest == 0) return 0;
  double sum = 0;
  for (const double value : rows.values) sum += (value / largest) * (value / largest);
  return largest * std::sqrt(sum / static_cast<double>(rows.rows));
}

std::size_t count_above(const std::vector<double>& singular_values, double share) {
  if (singular_values.empty() || singular_values[0] == 0) return 0;
  return static_cast<std::size_t>(
      std::ranges::count_if(singular_values, [&](double value) { return value > share * singular_values[0]; }));
}

double effective_rank(const std::vector<double>& singular_values) {
  double sum = 0, entropy = 0;
  for (const double value : singular_values) sum += value;
  for (const double value : singular_values) {
    if (value > 0) entropy -= value / sum * std::log(value / sum);
  }
  return std::exp(entropy);
}

void measure_conditioning(Faithfulness& result) {
  const std::vector<double>& values = result.singular_values;
  result.rank[0] = count_above(values, epsilon(Precision::kFp64));
  if (values.empty() || values[0] == 0) return;
  result.singular = values.back() <= epsilon(Precision::kFp64) * values[0];
  result.condition = values.back() > 0 ? values[0] / values.back() : HUGE_VAL;
  double squares = 0;
  for (const double value : values) squares += (value / values[0]) * (value / values[0]);
  result.stable_rank = squares;
  result.effective_rank = effective_rank(values);
}

// Rounded to 8 or 11 digits, singular values are counted down to 1e-3 of the largest: their squares, from the Gram
// matrix at a quarter of the cost, are right to 1e-8 there. Finer formats need the table itself.
std::size_t rank_of_rounded(Matrix<double> codes, Precision precision, ThreadPool& pool) {
  if (precision == Precision::kFp32 || codes.columns <= codes.rows) {
    return count_above(singular_values(reduced_rows(std::move(codes), pool)), epsilon(precision));
  }
  return count_above(singular_values(wide_gram_matrix(codes, pool)), epsilon(precision) * epsilon(precision));
}

void measure_rounded(Faithfulness& result, const Encoding& encoding, std::size_t length, ThreadPool& pool) {
  for (std::size_t i = 0; i < kPrecisions.size(); ++i) {
    const Precision precision = kPrecisions[i];
    Matrix<double> codes = make_codes(encoding, length, precision);
    result.collisions[i] = count_collisions(
        encoding.kind == EncodingKind::kRelativeVectors ? make_collision_rows(encoding, length, precision) : codes);
    // Infinite: beyond the format's largest number.
    if (precision == Precision::kFp64 || !all_finite(codes)) continue;
    result.rank[i] = rank_of_rounded(std::move(codes), precision, pool);
  }
}

void measure_gram(Faithfulness& result, const Matrix<double>& gram) {
  const std::size_t length = gram.rows;
  std::vector<double> norms(length);
  for (std::size_t s = 0; s < length; ++s) norms[s] = std::sqrt(gram(s, s));
  if (std::ranges::any_of(norms, [](double norm) { return !(norm > 1e-150); })) return;  // a zero code has no direction
  double largest = 0, squares = 0;
  for (std::size_t s = 0; s < length; ++s) {
    for (std::size_t t = 0; t < s; ++t) {
      const double cosine = gram(s, t) / (norms[s] * norms[t]);
      largest = std::max(largest, std::abs(cosine));
      squares += 2 * cosine * cosine;
    }
  }
  result.gram_deviation = std::sqrt(squares / static_cast<double>(length));
  if (length > 1) result.coherence = std::min(1.0, largest);
}

std::optional<double> min_distance(const CodeGeometry& geometry, const Collisions& exact) {
  if (geometry.gram.rows < 2) return std::nullopt;
  if (exact.pairs > 0) return 0;
  double least = HUGE_VAL;
  for (std::size_t s = 0; s < geometry.distances.rows; ++s) {
    for (std::size_t t = 0; t < s; ++t) least = std::min(least, geometry.distances(s, t));
  }
  return least;
}

// The kernel whose shift invariance is asked: the bias itself, per head, or the codes' Gram matrix. Relative vectors
// depend only on j - i, by construction.
std::optional<double> encoding_shift_defect(const Encoding& encoding, std::size_t length,
                                            const CodeGeometry& geometry) {
  switch (encoding.kind) {
    case EncodingKind::kNone:
    case EncodingKind::kFromSignal:
    case EncodingKind::kStochastic:
      return std::nullopt;
    case EncodingKind::kRelativeVectors:
      return geometry.rms_norm > 0 ? std::optional(0.0) : std::nullopt;
    case EncodingKind::kLogitBias:
    case EncodingKind::kWeightBias: {
      double sum = 0;
      const std::size_t heads = encoding.shape[0], size = length * length;
      for (std::size_t h = 0; h < heads; ++h) {
        const auto values = std::span(encoding.values).subspan(h * size, size);
        const auto defect = shift_defect(Matrix<double>(length, length, {values.begin(), values.end()}));
        if (!defect) return std::nullopt;
        sum += *defect;
      }
      return sum / static_cast<double>(heads);
    }
    default:
      return shift_defect(geometry.gram);
  }
}

}  // namespace

CodeGeometry make_geometry(Matrix<double> codes, ThreadPool& pool) {
  CodeGeometry geometry;
  geometry.rms_norm = rms_norm(codes);
  geometry.reduced = reduced_rows(std::move(codes), pool);
  if (geometry.rms_norm > 0) {
    for (double& value : geometry.reduced.values) value /= geometry.rms_norm;
  }
  geometry.gram = gram_matrix(geometry.reduced);
  geometry.distances = pair_distances(geometry.reduced);
  for (double& distance : geometry.distances.values) {
    if (distance < kResolved) distance = 0;
  }
  return geometry;
}

Faithfulness measure_faithfulness(const Encoding& encoding, std::size_t length, const CodeGeometry& geometry,
                                  const FaithfulnessOptions& options, ThreadPool& pool) {
  Faithfulness result;
  result.singular_values = singular_values(geometry.reduced);
  measure_conditioning(result);
  for (double& value : result.singular_values) value *= geometry.rms_norm;
  measure_rounded(result, encoding, length, pool);
  result.min_distance = min_distance(geometry, result.collisions[0]);
  if (geometry.rms_norm > 0) measure_gram(result, geometry.gram);
  if (length > 1 && geometry.rms_norm > 0) {
    const std::size_t draws = std::max<std::size_t>(16, (options.noise_samples + length - 1) / length);
    result.noise =
        decode_under_noise(geometry.reduced, geometry.distances, options.noise_sigmas, draws, options.seed, pool);
  }
  result.spearman = distance_spearman(geometry.distances);
  result.pearson = distance_pearson(geometry.distances);
  result.monotone_share = monotone_share(geometry.distances);
  result.shift_defect = encoding_shift_defect(encoding, length, geometry);
  return result;
}

}  // namespace faithful
