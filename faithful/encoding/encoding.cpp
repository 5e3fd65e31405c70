#include "faithful/encoding/encoding.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/number.h"
#include "faithful/encoding/catalog.h"
#include "faithful/encoding/options_internal.h"

namespace faithful {

std::string_view to_string(EncodingKind kind) {
  switch (kind) {
    case EncodingKind::kNone:
      return "none";
    case EncodingKind::kAdditive:
      return "additive";
    case EncodingKind::kConcatenated:
      return "concatenated";
    case EncodingKind::kRotary:
      return "rotary";
    case EncodingKind::kLogitBias:
      return "logit bias";
    case EncodingKind::kRelativeVectors:
      return "relative keys and values";
    case EncodingKind::kWeightBias:
      return "post-softmax weights";
  }
  return "";
}

EncodingScale parse_scale(std::string_view text, const std::string& place, std::string_view besides) {
  using Rule = EncodingScale::Rule;
  if (text == "as-defined") return {Rule::kAsDefined};
  if (text == "unit") return {Rule::kUnit};
  if (text == "matched") return {Rule::kMatched};
  const auto number = parse_number<double>(text);
  if (!number || !std::isfinite(*number) || *number <= 0) {
    reject({{place},
            fmt::format("as-defined, unit, matched{}{} or a positive number", besides.empty() ? "" : ", ", besides),
            quote(text)});
  }
  return {Rule::kNumber, *number};
}

std::string to_string(const EncodingScale& scale) {
  switch (scale.rule) {
    case EncodingScale::Rule::kAsDefined:
      return "as-defined";
    case EncodingScale::Rule::kUnit:
      return "unit";
    case EncodingScale::Rule::kMatched:
      return "matched";
    case EncodingScale::Rule::kNumber:
      return fmt::format("{}", scale.number);
  }
  return "";
}

std::size_t checked_product(const std::vector<std::size_t>& factors, const std::string& place) {
  std::size_t product = 1;
  for (const std::size_t factor : factors) {
    if (factor != 0 && product > kMostValues / factor) {
      reject({{place}, "a table of at most 2^31 values", fmt::format("{}", fmt::join(factors, " x "))});
    }
    product *= factor;
  }
  return product;
}

std::vector<double> positions_of(const EncodingOptions& options) {
  if (!options.positions.empty()) return options.positions;
  std::vector<double> positions(options.length);
  std::iota(positions.begin(), positions.end(), 0.0);
  return positions;
}

std::size_t head_width(const EncodingOptions& options) {
  if (options.heads == 0 || options.dim % options.heads != 0) {
    reject({{"--heads"}, fmt::format("a divisor of --dim {}", options.dim), fmt::format("{}", options.heads)});
  }
  return options.dim / options.heads;
}

namespace {

void at_least_one(std::size_t value, const char* option) {
  if (value == 0) reject({{option}, "at least 1", "none"});
}

std::vector<std::size_t> unchecked_shape(EncodingKind kind, const EncodingOptions& options) {
  const std::size_t length = options.length;
  switch (kind) {
    case EncodingKind::kNone:
      return {};
    case EncodingKind::kAdditive:
      return {length, options.dim};
    case EncodingKind::kConcatenated:
      return {length, options.time_dim};
    case EncodingKind::kRotary:
      return {length, head_width(options)};
    case EncodingKind::kRelativeVectors:
      if (options.clip > kMostValues) reject({{"--clip"}, "at most 2^31", fmt::format("{}", options.clip)});
      return {2, 2 * options.clip + 1, head_width(options)};
    case EncodingKind::kLogitBias:
    case EncodingKind::kWeightBias:
      return {options.heads, length, length};
  }
  return {};
}

void check_positions(const CatalogEntry& entry, const EncodingOptions& options) {
  if (options.positions.empty()) return;
  if (!entry.real_positions) {
    reject({{"--positions-file"},
            fmt::format("no file for {}", entry.name),
            "one",
            fmt::format("{} knows whole positions only", entry.name)});
  }
  if (options.positions.size() != options.length) {
    reject({{"--positions-file"},
            fmt::format("{} positions (--length)", options.length),
            fmt::format("{}", options.positions.size())});
  }
  for (std::size_t s = 0; s < options.positions.size(); ++s) {
    if (!std::isfinite(options.positions[s])) {
      reject({{"--positions-file", s + 1}, "a finite number", fmt::format("{}", options.positions[s])});
    }
  }
}

// Options that carry no default are refused where they would change nothing: silence would mislead.
void check_options(const CatalogEntry& entry, const EncodingOptions& options) {
  check_positions(entry, options);
  if (options.period != 0 && entry.name != "dft") {
    reject({{"--period"},
            fmt::format("no period for {}", entry.name),
            fmt::format("{}", options.period),
            "only dft has one"});
  }
  if (options.scale.rule != EncodingScale::Rule::kAsDefined && entry.kind != EncodingKind::kAdditive) {
    reject({{"--scale"},
            fmt::format("as-defined for {}", entry.name),
            to_string(options.scale),
            "only additive encodings are scaled"});
  }
  if (options.scale.rule == EncodingScale::Rule::kNumber &&
      !(options.scale.number > 0 && std::isfinite(options.scale.number))) {
    reject({{"--scale"}, "a positive number", fmt::format("{}", options.scale.number)});
  }
  if (!(options.rho > 0) || !std::isfinite(options.rho)) {
    reject({{"--rho"}, "a positive number", fmt::format("{}", options.rho)});
  }
  if (!options.parameters.empty() && !entry.learned()) {
    reject({{"parameters"}, fmt::format("none for {}", entry.name), fmt::format("{}", options.parameters.size())});
  }
}

// The factor that the rule asks of a table with rows of width d.
double scale_factor(const EncodingScale& scale, const std::vector<double>& table, std::size_t d) {
  if (scale.rule == EncodingScale::Rule::kAsDefined) return 1;
  if (scale.rule == EncodingScale::Rule::kNumber) return scale.number;
  double squares = 0;
  for (const double value : table) squares += value * value;
  const double rms_norm = std::sqrt(squares / (static_cast<double>(table.size()) / static_cast<double>(d)));
  if (rms_norm == 0) return 1;  // a table of zeros has no norm to set
  return (scale.rule == EncodingScale::Rule::kUnit ? 1 : std::sqrt(static_cast<double>(d) / 2)) / rms_norm;
}

}  // namespace

std::vector<std::size_t> shape_of(EncodingKind kind, const EncodingOptions& options) {
  if (kind != EncodingKind::kNone && kind != EncodingKind::kRelativeVectors) at_least_one(options.length, "--length");
  if (kind == EncodingKind::kAdditive || kind == EncodingKind::kRotary || kind == EncodingKind::kRelativeVectors) {
    at_least_one(options.dim, "--dim");
  }
  if (kind == EncodingKind::kConcatenated) at_least_one(options.time_dim, "--time-dim");
  if (kind == EncodingKind::kLogitBias || kind == EncodingKind::kWeightBias) at_least_one(options.heads, "--heads");
  std::vector<std::size_t> shape = unchecked_shape(kind, options);
  checked_product(shape, kind == EncodingKind::kRelativeVectors ? "--clip" : "--length");
  return shape;
}

Encoding make_encoding(const std::string& name, const EncodingOptions& options) {
  const CatalogEntry& entry = catalog_entry(name);
  std::vector<std::size_t> shape = shape_of(entry.kind, options);
  check_options(entry, options);
  EncodingOptions complete = options;
  if (entry.learned()) {
    std::vector<double> start = entry.start_values(options);
    if (options.parameters.empty()) {
      complete.parameters = std::move(start);
    } else if (options.parameters.size() != start.size()) {
      reject({{"parameters"},
              fmt::format("{} numbers for {}", start.size(), name),
              fmt::format("{}", options.parameters.size())});
    }
  }
  Encoding encoding = entry.make(complete);
  encoding.name = name;
  encoding.kind = entry.kind;
  encoding.shape = std::move(shape);
  const double factor = scale_factor(options.scale, encoding.values, options.dim);
  if (factor != 1) {
    for (double& value : encoding.values) value *= factor;
  }
  assert(entry.kind == EncodingKind::kNone || encoding.values.size() == checked_product(encoding.shape, "--length"));
  return encoding;
}

std::vector<double> start_parameters(const std::string& name, const EncodingOptions& options) {
  const CatalogEntry& entry = catalog_entry(name);
  shape_of(entry.kind, options);
  return entry.learned() ? entry.start_values(options) : std::vector<double>{};
}

}  // namespace faithful
