#include "faithful/analysis/analysis.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "faithful/analysis/extent.h"
#include "faithful/analysis/findings.h"
#include "faithful/analysis/reconstruction.h"
#include "faithful/base/error.h"
#include "faithful/encoding/catalog.h"

namespace faithful {

namespace {

constexpr std::array kSweep = {.5, 1.0, 2.0, 4.0, 8.0};  // bins; always reported

bool has_rows_of_table(EncodingKind kind) {
  return kind == EncodingKind::kAdditive || kind == EncodingKind::kConcatenated || kind == EncodingKind::kRotary;
}

void check_options(const AnalysisOptions& options) {
  if (!(options.sigma_bins > 0) || !std::isfinite(options.sigma_bins)) {
    reject({{.field = "sigma_bins"}, "a positive number", fmt::format("{}", options.sigma_bins)});
  }
}

void check_length(const Place& place, std::size_t length) {
  if (length <= kMostPositions) return;
  reject({place, fmt::format("at most {} positions", kMostPositions), fmt::format("{}", length),
          "every pair of positions is compared"});
}

// The positions of the deltas: as asked, or 5, 40, 75 where they exist, or the middle of a short table.
std::vector<std::size_t> delta_positions(const AnalysisOptions& options, std::size_t end) {
  for (const std::size_t position : options.at) {
    if (position >= end) {
      reject({{.field = "at"},
              fmt::format("positions below {} (the smaller of length and dim)", end),
              fmt::format("{}", position)});
    }
  }
  if (!options.at.empty()) return options.at;
  std::vector<std::size_t> positions;
  for (const std::size_t position : {5, 40, 75}) {
    if (position < end) positions.push_back(position);
  }
  if (positions.empty()) positions.push_back(end / 2);
  return positions;
}

std::vector<double> sweep_with(double sigma_bins) {
  std::vector<double> sweep(kSweep.begin(), kSweep.end());
  if (std::ranges::find(sweep, sigma_bins) == sweep.end()) sweep.push_back(sigma_bins);
  std::ranges::sort(sweep);
  return sweep;
}

// As in the paper's figure: exact where the frequencies are those of the basis (dft), else smoothed. A periodogram is
// smoothed too, to be compared with the others.
Spectrum make_spectrum(const FrequencyLines& lines, double sigma_bins) {
  Spectrum spectrum;
  spectrum.from_periodogram = lines.from_periodogram;
  spectrum.lowest_bin_share = lowest_bin_share(lines);
  const auto exact = exact_density(lines);
  spectrum.smoothed = lines.from_periodogram || !exact;
  FrequencyDensity density = spectrum.smoothed ? smoothed_density(lines, sigma_bins) : *exact;
  spectrum.g = std::move(density.g);
  spectrum.normalizer = density.normalizer;
  if (spectrum.smoothed) spectrum.sigma_bins = sigma_bins;
  return spectrum;
}

void add_frequencies(Analysis& analysis, const FrequencyLines& lines, const AnalysisOptions& options,
                     std::span<const std::size_t> positions) {
  analysis.spectrum = make_spectrum(lines, options.sigma_bins);
  if (!(analysis.spectrum->normalizer > 0)) {  // a table of zeros
    analysis.spectrum.reset();
    return;
  }
  analysis.reconstruction = reconstruct_deltas(lines, positions, sweep_with(options.sigma_bins));
  const RealTransform transform(lines.d);
  for (const std::size_t position : positions) {
    std::vector<double> f(lines.d, 0.0);
    f[position] = 1;
    analysis.curves.push_back({position, reconstruct(f, analysis.spectrum->g, Weighting::kPerFrequency, transform)});
  }
}

// What the heat map shows.
Matrix<double> shown_table(const Encoding& encoding) {
  if (encoding.kind == EncodingKind::kNone) return {};
  if (encoding.shape.size() == 2) return Matrix<double>(encoding.shape[0], encoding.shape[1], encoding.values);
  const std::size_t rows = encoding.shape[1], columns = encoding.shape[2];
  return Matrix<double>(
      rows, columns, {encoding.values.begin(), encoding.values.begin() + static_cast<std::ptrdiff_t>(rows * columns)});
}

// The measures that need one table only.
Analysis analyze_one(const Encoding& encoding, std::size_t length, std::size_t dim, const AnalysisOptions& options) {
  const PoolOrOwn threads(options.pool);
  ThreadPool& pool = *threads;
  Analysis analysis;
  analysis.name = encoding.name;
  analysis.kind = encoding.kind;
  analysis.note = encoding.note;
  analysis.length = length;
  analysis.dim = dim;
  CodeGeometry geometry = make_geometry(make_codes(encoding, length, Precision::kFp64), pool);
  analysis.rms_norm = geometry.rms_norm;
  analysis.table = shown_table(encoding);
  analysis.faithfulness = measure_faithfulness(encoding, length, geometry, options.faithfulness, pool);
  const bool table = has_rows_of_table(encoding.kind);
  const std::size_t width = table ? encoding.shape[1] : dim;
  const auto positions = delta_positions(options, table ? std::min(length, width) : length);
  if (table) {
    const FrequencyLines lines = encoding.frequencies.empty() ? lines_of_periodogram(geometry.gram, width)
                                                              : lines_of_frequencies(encoding.frequencies, width);
    add_frequencies(analysis, lines, options, positions);
  }
  if (geometry.rms_norm > 0) analysis.ridge = invert_deltas(geometry.gram, positions, options.ridge);
  analysis.cosines = std::move(geometry.gram);
  return analysis;
}

}  // namespace

Analysis analyze(const std::string& name, const EncodingOptions& encoding_options, const AnalysisOptions& options) {
  check_options(options);
  check_length({.field = "length"}, encoding_options.length);
  const Encoding encoding = make_encoding(name, encoding_options);
  Analysis analysis = analyze_one(encoding, encoding_options.length, encoding_options.dim, options);
  const bool scaled = encoding_options.own.text("rope_scaling") != "none";
  if (analysis.spectrum && catalog_entry(name).geometric && !scaled) {
    analysis.spectrum->crossover = crossover(encoding.shape[1], encoding_options.own.real("rho"));
  }
  const FirstCollision first =
      find_first_collision(name, encoding_options, analysis.faithfulness.collisions, options.search_values);
  analysis.faithfulness.first_collision = first.length;
  analysis.faithfulness.collision_search_limit = first.limit;
  const OffsetResolution offsets = resolve_offsets(name, encoding_options);
  analysis.faithfulness.distinct_offsets = offsets.distinct_offsets;
  analysis.faithfulness.sign_seen = offsets.sign_seen;
  return analysis;
}

Analysis analyze_table(const std::string& name, const Matrix<double>& table, const AnalysisOptions& options) {
  check_options(options);
  if (table.values.empty()) reject({{name}, "a table with rows and columns", "an empty one"});
  check_length({name}, table.rows);
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    if (std::isfinite(table.values[i])) continue;
    reject(
        {{name, i / table.columns + 1, i % table.columns + 1}, "a finite number", fmt::format("{}", table.values[i])});
  }
  const Encoding encoding{
      .name = name, .kind = EncodingKind::kAdditive, .shape = {table.rows, table.columns}, .values = table.values};
  Analysis analysis = analyze_one(encoding, table.rows, table.columns, options);
  analysis.kind.reset();
  analysis.findings =
      diagnose_table(table, analysis.faithfulness, analysis.spectrum ? analysis.spectrum->lowest_bin_share : 0);
  return analysis;
}

}  // namespace faithful
