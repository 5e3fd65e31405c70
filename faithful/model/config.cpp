#include "faithful/model/config.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/encoding/catalog.h"

namespace faithful {

namespace {

// Bounds that no sensible model reaches; a file that claims more is damaged. Products stay below 2^63.
constexpr std::size_t kMostSize = std::size_t{1} << 20;
constexpr std::size_t kMostLayers = 256;

std::string value_text(bool value) {
  return value ? "true" : "false";
}
std::string value_text(const std::string& value) {
  return value;
}
template <class Number>
std::string value_text(Number value) {
  return fmt::format("{}", value);
}

struct Check {
  const std::string& place;

  void size(const char* name, std::size_t value, std::size_t least, std::size_t most = kMostSize) const {
    if (value >= least && value <= most) return;
    reject({{place}, fmt::format("{} of {} to {}", name, least, most), fmt::format("{}", value)});
  }
  void choice(const char* name, const std::string& value, std::initializer_list<const char*> allowed) const {
    if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
    reject({{place}, fmt::format("{} {}", name, fmt::join(allowed, ", ")), quote(value)});
  }
  void that(bool holds, const std::string& wanted, const std::string& found, const std::string& hint = {}) const {
    if (!holds) reject({{place}, wanted, found, hint});
  }
};

void check_sizes(const ModelConfig& config, const Check& check) {
  check.size("channels", config.channels, 1);
  check.size("length", config.length, 1);
  check.size("classes", config.classes, 2);
  check.size("filters", config.filters, 0);
  check.size("kernel", config.kernel, 1, 1023);
  check.size("segment", config.segment, 1, config.length);
  check.size("width", config.width, 1, 65536);
  check.size("heads", config.heads, 1, 1024);
  check.size("head_width", config.head_width, 0, 65536);
  check.size("layers", config.layers, 0, kMostLayers);
  check.size("feed_forward", config.feed_forward, 0);
  check.size("clip", config.clip, 0);
  check.size("time_dim", config.time_dim, 1);
  check.that(config.kernel % 2 == 1, "an odd kernel", fmt::format("{}", config.kernel));
  check.that(config.head_width != 0 || config.width % config.heads == 0,
             fmt::format("a number of heads that divides the width {}", config.width), fmt::format("{}", config.heads),
             "or set head_width");
  check.that(config.dropout >= 0 && config.dropout < 1, "dropout of 0 to below 1", fmt::format("{}", config.dropout));
  check.that(config.rho > 0 && std::isfinite(config.rho), "a positive rho", fmt::format("{}", config.rho));
}

void check_position(const ModelConfig& config, const Check& check) {
  const CatalogEntry& entry = catalog_entry(config.encoding);
  const bool bias = entry.kind == EncodingKind::kLogitBias || entry.kind == EncodingKind::kWeightBias;
  if (config.positions == "time") {
    check.that(entry.real_positions && !bias, "an encoding of times: one with real positions that is no bias",
               config.encoding, "sinusoidal, dft, tape, learned-frequency, mtan, time2vec and rope are");
    check.that(config.time_step > 0 && std::isfinite(config.time_step), "a positive time_step",
               fmt::format("{}", config.time_step));
  }
  check.that(config.encoding != "mtan" || config.mtan == "concat" || config.pooling != "token",
             "pooling mean or attention where mtan gives the queries", config.pooling, "a class token has no time");
  // The catalog knows what each encoding needs: even heads for rope, S <= d for onehot, a period for dft, ..
  // Tables that grow with S * S are no part of a model, so a bias is tried at a small length.
  EncodingOptions options = encoding_options(config);
  if (bias || entry.kind == EncodingKind::kConcatenated) options.length = std::min<std::size_t>(options.length, 2);
  check.that(options.length * options.dim < (std::size_t{1} << 28), "a table of fewer than 2^28 numbers",
             fmt::format("{} x {}", options.length, options.dim));
  make_encoding(config.encoding, options);
}

}  // namespace

std::string to_text(const ModelConfig& config) {
  std::string text;
  visit_fields(config,
               [&](const char* name, const auto& value) { text += fmt::format("{}={}\n", name, value_text(value)); });
  return text;
}

const std::vector<std::string>& preset_names() {
  static const std::vector<std::string> names{"paper", "small", "base", "large"};
  return names;
}

ModelConfig preset(std::string_view name) {
  ModelConfig config;
  if (name == "paper") {  // section 2.2: encoding, self-attention with heads of full width, a linear head
    config.block = "bare";
    config.layers = 1;
    config.head_width = config.width;
    config.dropout = 0;
  } else if (name == "base") {
    config.width = 128;
  } else if (name == "large") {
    config.width = 256;
    config.heads = 8;
    config.layers = 4;
  } else if (name != "small") {
    reject({{"--preset"}, fmt::format("{}", fmt::join(preset_names(), ", ")), quote(std::string(name))});
  }
  return config;
}

EncodingOptions encoding_options(const ModelConfig& config) {
  const EncodingKind kind = catalog_entry(config.encoding).kind;
  const bool in_heads = kind == EncodingKind::kRotary || kind == EncodingKind::kRelativeVectors;
  EncodingOptions options;
  options.length = config.steps();
  options.dim = in_heads ? config.heads * config.key_width() : config.width;  // rope and shaw work on heads
  options.heads = config.heads;
  options.rho = config.rho;
  options.period = config.period;
  options.scale = parse_scale(config.scale, "scale");
  options.clip = config.clip;
  options.time_dim = config.time_dim;
  options.tupe_relative = config.tupe_relative;
  options.seed = config.encoding_seed;
  options.pairing = config.pairing == "halves" ? RotaryPairing::kHalves : RotaryPairing::kInterleaved;
  return options;
}

std::vector<std::string> settle(ModelConfig& config) {
  if (config.encoding != "dft" || config.period != 0 || config.steps() <= config.width) return {};
  config.period = config.steps();
  return {fmt::format("{} positions are more than the width {}: the DFT encoding takes the period {}", config.steps(),
                      config.width, config.period)};
}

void check_config(const ModelConfig& config, const std::string& place) {
  const Check check{place};
  check_sizes(config, check);
  check.choice("block", config.block, {"post", "pre", "bare"});
  check.choice("activation", config.activation, {"gelu", "relu"});
  check.choice("pooling", config.pooling, {"mean", "attention", "token"});
  check.choice("mtan", config.mtan, {"concat", "attention"});
  check.choice("pairing", config.pairing, {"interleaved", "halves"});
  check.choice("positions", config.positions, {"index", "time"});
  check_position(config, check);
}

}  // namespace faithful
