#include "faithful/analysis/frontier.h"

#include <algorithm>
#include <cmath>

#include "faithful/analysis/faithfulness.h"
#include "faithful/base/error.h"
#include "faithful/encoding/catalog.h"

namespace faithful {

namespace {

constexpr std::size_t kFrontierSamples = 200'000;  // decoded positions for each point: the noise is right to .1 %

FrontierPoint measure_point(const Encoding& encoding, std::size_t length, std::uint64_t seed, ThreadPool& pool) {
  const CodeGeometry geometry = make_geometry(make_codes(encoding, length, Precision::kFp64), pool);
  FrontierPoint point{.name = encoding.name};
  if (!(geometry.rms_norm > 0)) return point;  // a start at zero: nothing is told apart
  point.min_distance = HUGE_VAL;
  for (std::size_t s = 0; s < length; ++s) {
    for (std::size_t t = 0; t < s; ++t) point.min_distance = std::min(point.min_distance, geometry.distances(s, t));
  }
  const std::size_t draws = std::max<std::size_t>(16, kFrontierSamples / length);
  point.noise_sigma10 = decode_under_noise(geometry.reduced, geometry.distances, {.1}, draws, seed, pool).sigma10;
  point.spearman = distance_spearman(geometry.distances).value_or(0);
  point.pearson = distance_pearson(geometry.distances).value_or(0);
  return point;
}

// From an eighth of a position to S, in steps of a factor of about sqrt(2); S/6, the default, is among them.
std::vector<double> length_scales(std::size_t length) {
  const auto most = static_cast<double>(length);
  std::vector<double> scales = {most / 6, most};
  for (double scale = most / 6 / std::sqrt(2); scale > 0.12; scale /= std::sqrt(2)) scales.push_back(scale);
  for (double scale = most / 6 * std::sqrt(2); scale < 0.9 * most; scale *= std::sqrt(2)) scales.push_back(scale);
  std::ranges::sort(scales);
  return scales;
}

}  // namespace

Frontier make_frontier(const EncodingOptions& options, const AnalysisOptions& analysis) {
  if (options.length < 3 || options.length > kMostFrontierPositions)
    reject({{.field = "length"},
            "from 3 to " + std::to_string(kMostFrontierPositions) + " positions for a frontier",
            std::to_string(options.length)});
  if (options.dim < 2) reject({{.field = "dim"}, "at least 2 for a frontier", std::to_string(options.dim)});
  const PoolOrOwn threads(analysis.pool);
  EncodingOptions plain{.length = options.length, .dim = options.dim, .seed = options.seed};
  const auto measure = [&](const std::string& name, const EncodingOptions& with) {
    return measure_point(make_encoding(name, with), options.length, analysis.faithfulness.seed, *threads);
  };

  Frontier frontier;
  EncodingOptions flat = plain;
  flat.own.set("spectrum", "flat");
  frontier.spectral.push_back(measure("spectral", flat));
  frontier.spectral.back().length_scale = 0;
  for (const double scale : length_scales(options.length)) {
    EncodingOptions scaled = plain;
    scaled.own.set("length_scale", scale);
    frontier.spectral.push_back(measure("spectral", scaled));
    frontier.spectral.back().length_scale = scale;
  }
  frontier.note = make_encoding("spectral", plain).note;

  for (const CatalogEntry& entry : encoding_catalog()) {
    if (entry.kind != EncodingKind::kAdditive || entry.name.starts_with("spectral")) continue;
    EncodingOptions with = plain;
    if (entry.settle_in_model != nullptr) entry.settle_in_model(with, {});  // dft takes a period where S > d
    try {
      frontier.others.push_back(measure(entry.name, with));
    } catch (const InputError&) {
      continue;  // it has no such table: one-hot codes of more positions than dimensions
    }
  }
  return frontier;
}

}  // namespace faithful
