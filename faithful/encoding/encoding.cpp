#include "faithful/encoding/encoding.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "faithful/base/number.h"
#include "faithful/base/random.h"
#include "faithful/encoding/entry_internal.h"

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
    case EncodingKind::kFromSignal:
      return "from the signal";
    case EncodingKind::kStochastic:
      return "stochastic";
  }
  return "";
}

EncodingScale parse_scale(std::string_view text, const Place& place, std::string_view besides) {
  using Rule = EncodingScale::Rule;
  if (text == "as-defined") return {Rule::kAsDefined};
  if (text == "unit") return {Rule::kUnit};
  if (text == "matched") return {Rule::kMatched};
  const auto number = parse_number<double>(text);
  if (!number || !std::isfinite(*number) || *number <= 0) {
    reject({place,
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

std::size_t checked_product(const std::vector<std::size_t>& factors, const std::string& field) {
  std::size_t product = 1;
  for (const std::size_t factor : factors) {
    if (factor != 0 && product > kMostValues / factor) {
      reject({{.field = field}, "a table of at most 2^31 values", fmt::format("{}", fmt::join(factors, " x "))});
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
    reject({{.field = "heads"},
            fmt::format("a divisor of {} {}", field_text("dim"), options.dim),
            fmt::format("{}", options.heads)});
  }
  return options.dim / options.heads;
}

std::vector<double> normal_values(std::size_t count, std::uint64_t seed, const char* stream) {
  Random random(seed, stream_of(stream));
  std::vector<double> values(count);
  for (double& value : values) value = kSmallDeviation * random.normal();
  return values;
}

namespace {

void at_least_one(std::size_t value, const char* field) {
  if (value == 0) reject({{.field = field}, "at least 1", "none"});
}

std::vector<std::size_t> unchecked_shape(const CatalogEntry& entry, const EncodingOptions& options) {
  const std::size_t length = options.length;
  switch (entry.kind) {
    case EncodingKind::kNone:
    case EncodingKind::kFromSignal:
    case EncodingKind::kStochastic:
      return {};
    case EncodingKind::kAdditive:
      return {length, options.dim};
    case EncodingKind::kConcatenated:
      return {length, entry.extent(options)};
    case EncodingKind::kRotary:
      return {length, entry.extent != nullptr ? entry.extent(options) : head_width(options)};
    case EncodingKind::kRelativeVectors:
      return {2, entry.extent(options), entry.vectors_of_all_heads ? options.dim : head_width(options)};
    case EncodingKind::kLogitBias:
    case EncodingKind::kWeightBias:
      return {options.heads, length, length};
  }
  return {};
}

void check_positions(const CatalogEntry& entry, const EncodingOptions& options) {
  if (options.positions.empty()) return;
  if (!entry.real_positions) {
    throw InputError(
        fmt::format("{} does not apply to {}: it has whole positions only", field_text("positions"), entry.name));
  }
  if (options.positions.size() != options.length) {
    reject({{.field = "positions"},
            fmt::format("{} positions ({})", options.length, field_text("length")),
            fmt::format("{}", options.positions.size())});
  }
  for (std::size_t s = 0; s < options.positions.size(); ++s) {
    if (!std::isfinite(options.positions[s])) {
      reject({{.line = s + 1, .field = "positions"}, "a finite number", fmt::format("{}", options.positions[s])});
    }
  }
}

bool has_option(const CatalogEntry& entry, const OwnOption& option) {
  return std::ranges::any_of(entry.options, [&](const OwnOption& own) { return own.field.name == option.field.name; });
}

void check_own_options(const CatalogEntry& entry, const EncodingOptions& options) {
  for (std::size_t i = 0; i < own_options().size(); ++i) {
    const OwnOption& option = own_options()[i];
    const FieldValue& value = options.own.values()[i];
    if (has_option(entry, option)) {
      check_value(option.field, value);
    } else if (option.refused_elsewhere && value != option.standard) {
      throw InputError(fmt::format("{} applies only to {}, not to {}", field_text(option.field.name),
                                   option.field.applies_to, entry.name));
    }
  }
}

// Where an option would change nothing it is refused if it has no default: silence would mislead.
void check_options(const CatalogEntry& entry, const EncodingOptions& options) {
  check_positions(entry, options);
  check_own_options(entry, options);
  if (options.scale.rule != EncodingScale::Rule::kAsDefined && entry.kind != EncodingKind::kAdditive) {
    throw InputError(fmt::format("{} applies only to additive encodings, not to {}", field_text("scale"), entry.name));
  }
  if (options.scale.rule == EncodingScale::Rule::kNumber &&
      !(options.scale.number > 0 && std::isfinite(options.scale.number))) {
    reject({{.field = "scale"}, "a positive number", fmt::format("{}", options.scale.number)});
  }
  if (!options.parameters.empty() && !entry.learned()) {
    reject({{.field = "parameters"},
            fmt::format("none for {}", entry.name),
            fmt::format("{}", options.parameters.size())});
  }
  if (entry.check != nullptr) entry.check(options);
}

void check_sizes(const CatalogEntry& entry, const EncodingOptions& options) {
  const EncodingKind kind = entry.kind;
  if (kind != EncodingKind::kNone && kind != EncodingKind::kRelativeVectors) at_least_one(options.length, "length");
  if (kind == EncodingKind::kAdditive || kind == EncodingKind::kRotary || kind == EncodingKind::kRelativeVectors ||
      kind == EncodingKind::kFromSignal || kind == EncodingKind::kStochastic) {
    at_least_one(options.dim, "dim");
  }
  if (kind == EncodingKind::kLogitBias || kind == EncodingKind::kWeightBias) at_least_one(options.heads, "heads");
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

// The shape that EncodingKind's comments give; InputError where the table would be too large.
std::vector<std::size_t> shape_of(const CatalogEntry& entry, const EncodingOptions& options) {
  check_sizes(entry, options);
  check_options(entry, options);
  std::vector<std::size_t> shape = unchecked_shape(entry, options);
  checked_product(shape, entry.kind == EncodingKind::kRelativeVectors ? entry.options.front().field.name : "length");
  return shape;
}

}  // namespace

Encoding make_encoding(const std::string& name, const EncodingOptions& options) {
  const CatalogEntry& entry = catalog_entry(name);
  if (entry.kind == EncodingKind::kFromSignal) {
    throw InputError(fmt::format("{} has no table: a model computes its codes from the steps of each window", name));
  }
  if (entry.kind == EncodingKind::kStochastic) {
    throw InputError(fmt::format("{} has no table: a model multiplies queries and keys by random numbers", name));
  }
  std::vector<std::size_t> shape = shape_of(entry, options);
  EncodingOptions complete = options;
  if (entry.learned()) {
    std::vector<double> start = entry.start_values(options);
    if (options.parameters.empty()) {
      complete.parameters = std::move(start);
    } else if (options.parameters.size() != start.size()) {
      reject({{.field = "parameters"},
              fmt::format("{} numbers for {}", start.size(), name),
              fmt::format("{}", options.parameters.size())});
    }
  }
  Encoding encoding = entry.make(complete);
  encoding.name = entry.name;
  encoding.kind = entry.kind;
  encoding.shape = std::move(shape);
  const double factor = scale_factor(options.scale, encoding.values, options.dim);
  if (factor != 1) {
    for (double& value : encoding.values) value *= factor;
  }
  assert(entry.kind == EncodingKind::kNone || encoding.values.size() == checked_product(encoding.shape, "length"));
  return encoding;
}

void check_encoding(const std::string& name, const EncodingOptions& options) {
  const CatalogEntry& entry = catalog_entry(name);
  check_sizes(entry, options);
  check_options(entry, options);
}

std::vector<double> start_parameters(const std::string& name, const EncodingOptions& options) {
  const CatalogEntry& entry = catalog_entry(name);
  if (entry.kind == EncodingKind::kLogitBias || entry.kind == EncodingKind::kWeightBias) {
    check_encoding(name, options);  // a long window has no table [H, S, S], but at most 2S - 1 offsets
    checked_product({options.heads, 2, options.length}, "length");
  } else {
    shape_of(entry, options);
  }
  return entry.learned() ? entry.start_values(options) : std::vector<double>{};
}

}  // namespace faithful
