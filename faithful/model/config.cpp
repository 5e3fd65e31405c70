#include "faithful/model/config.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/encoding/catalog.h"

namespace faithful {

namespace {

// Bounds that no sensible model reaches; a file that claims more is damaged. The sum of all parameters' sizes stays
// below 2^63 (at most: 256 layers of 3 * 2^26 x 2^26), so that they can be counted before memory is taken.
constexpr std::size_t kMostSize = std::size_t{1} << 20;
constexpr std::size_t kMostLayers = 256;
constexpr std::size_t kMostParameters = std::size_t{1} << 28;
constexpr std::size_t kMostInTable = std::size_t{1} << 26;       // codes of a fixed encoding
constexpr std::size_t kMostHaarProducts = std::size_t{1} << 33;  // S * d * min(S, d), which its QR takes

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

bool is_bias(const CatalogEntry& entry) {
  return entry.kind == EncodingKind::kLogitBias || entry.kind == EncodingKind::kWeightBias;
}

struct Check {
  const std::string& place;

  void size(const char* name, std::size_t value, std::size_t least, std::size_t most = kMostSize) const {
    if (value >= least && value <= most) return;
    reject({{place}, fmt::format("{} of {} to {}", name, least, most), fmt::format("{}", value)});
  }
  void choice(const char* name, const std::string& value, std::initializer_list<const char*> allowed) const {
    if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
    reject({{place}, fmt::format("{} of {}", name, fmt::join(allowed, ", ")), quote(value)});
  }
  void that(bool holds, const std::string& wanted, const std::string& found, const std::string& hint = {}) const {
    if (!holds) reject({{place}, wanted, found, hint});
  }
};

// Every sensor and every step may have weights of its own, so that there can be fewer of each.
void check_dfstrans_sizes(const ModelConfig& config, const Check& check) {
  constexpr std::size_t kMostGroups = 65536, kMostFilters = 1024;
  check.size("channels", config.channels, 1, kMostGroups);
  check.size("steps", config.steps(), 1, kMostGroups);
  check.size("filters", config.filters, 1, kMostFilters);
  check.size("stages", config.stages, 1, 16);
  check.size("layers", config.layers, 1, 1);
  check.size("head_hidden", config.head_hidden, 1);
  check.that(config.pooled() > 0,
             fmt::format("a segment of at least {} samples, which {} stages of pooling halve", 1U << config.stages,
                         config.stages),
             fmt::format("{}", config.segment), "take a longer segment or fewer stages");
  check.that(config.width == config.settled_width(),
             fmt::format("a width of {}, filters times pooled samples", config.settled_width()),
             fmt::format("{}", config.width), "it follows from filters, segment and stages");
}

void check_form(const ModelConfig& config, const Check& check) {
  check.choice("form", config.form, {"encoder", "dfstrans"});
  if (config.is_dfstrans()) {
    check.choice("block", config.block, {"post"});
    check.choice("pooling", config.pooling, {"mean"});
    return;
  }
  const ModelConfig standard;
  check.that(config.stages == standard.stages && config.head_hidden == standard.head_hidden && !config.sensor_weights &&
                 !config.step_weights,
             "the form dfstrans where stages, sensor_weights, step_weights or head_hidden are set", config.form);
}

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
  check.size("period", config.period, 0);
  check.size("time_dim", config.time_dim, 1);
  check.size("differences", config.differences, 0, 3);
  if (config.is_dfstrans()) check_dfstrans_sizes(config, check);
  check.that(config.kernel % 2 == 1, "an odd kernel", fmt::format("{}", config.kernel));
  check.that(config.head_width != 0 || config.width % config.heads == 0,
             fmt::format("a number of heads that divides the width {}", config.width), fmt::format("{}", config.heads),
             "or set head_width");
  check.that(config.dropout >= 0 && config.dropout < 1, "dropout of 0 to below 1", fmt::format("{}", config.dropout));
  check.that(config.rho > 0 && std::isfinite(config.rho), "a positive rho", fmt::format("{}", config.rho));
}

void check_name(const std::string& encoding, const Check& check) {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : encoding_catalog()) names.push_back(entry.name);
  check.that(std::find(names.begin(), names.end(), encoding) != names.end(), "the name of an encoding", quote(encoding),
             suggest(encoding, names));
}

// The catalog knows what each encoding needs: even heads for rope, S <= d for onehot, a period for dft, .. It speaks of
// its own options; the place of the config is put before that.
void try_encoding(const ModelConfig& config, const CatalogEntry& entry, const Check& check) {
  EncodingOptions options;
  try {
    options = encoding_options(config);
    if (entry.kind != EncodingKind::kAdditive) options.length = std::min<std::size_t>(options.length, 2);
    if (is_bias(entry)) options.dim = options.heads;  // its tables grow with S * S and d * d; a model has none of them
    options.clip = std::min<std::size_t>(options.clip, 2);
    const std::size_t codes = options.length * options.dim;
    const bool random = config.encoding == "haar";
    const bool fits =
        codes <= kMostInTable && (!random || codes * std::min(options.length, options.dim) <= kMostHaarProducts);
    check.that(fits, random ? "a smaller table of haar" : fmt::format("a table of at most {} codes", kMostInTable),
               fmt::format("{} x {}", options.length, options.dim), "take a smaller width or length");
    make_encoding(config.encoding, options);
  } catch (const InputError& error) {
    const std::string message = error.what(), prefix = check.place + ": ";
    if (message.starts_with(prefix)) throw;
    throw InputError(prefix + message);
  }
}

void check_position(const ModelConfig& config, const Check& check) {
  const CatalogEntry& entry = catalog_entry(config.encoding);
  check.that(!config.decays() || entry.kind == EncodingKind::kAdditive, "an encoding that is added where scale decays",
             config.encoding);
  const bool concatenated = entry.kind == EncodingKind::kConcatenated && config.mtan != "attention";
  check.that(!config.is_dfstrans() || !concatenated, "an encoding that is not concatenated, for the form dfstrans",
             config.encoding, "no embedding follows its convolutions; mtan can give the queries: mtan attention");
  if (config.positions == "time") {
    check.that(entry.real_positions && !is_bias(entry), "an encoding of times: one with real positions that is no bias",
               config.encoding, "sinusoidal, dft, tape, learned-frequency, mtan, time2vec and rope are");
    check.that(config.time_step > 0 && std::isfinite(config.time_step), "a positive time_step",
               fmt::format("{}", config.time_step));
  }
  check.that(config.encoding != "mtan" || config.mtan == "concat" || config.pooling != "token",
             "pooling mean or attention where mtan gives the queries", config.pooling, "a class token has no time");
  try_encoding(config, entry, check);
}

// A file that claims a model of absurd size is turned away before memory is taken for it.
void check_count(const ModelConfig& config, const Check& check) {
  const std::size_t count = parameter_count(config);
  check.that(count <= kMostParameters, fmt::format("a model of at most {} parameters", kMostParameters),
             fmt::format("{}", count), "take a smaller width, heads, layers or length");
}

}  // namespace

std::string to_text(const ModelConfig& config) {
  std::string text;
  visit_fields(config,
               [&](const char* name, const auto& value) { text += fmt::format("{}={}\n", name, value_text(value)); });
  return text;
}

const std::vector<std::string>& preset_names() {
  static const std::vector<std::string> names{"paper", "plain", "small", "base", "large", "dfstrans"};
  return names;
}

ModelConfig preset(std::string_view name) {
  ModelConfig config;
  if (name == "paper") {  // section 2.2: encoding, self-attention with heads of full width, a linear head
    config.block = "bare";
    config.layers = 1;
    config.head_width = config.width;
    config.dropout = 0;
  } else if (name == "dfstrans") {  // as published, but for the weights that sensors and steps share
    config.form = "dfstrans";
    config.filters = 20;
    config.kernel = 5;
    config.segment = 100;
    config.heads = 10;
    config.layers = 1;
    config.feed_forward = 2048;
    config.activation = "relu";
    config.width = config.settled_width();
  } else if (name == "plain") {  // every step is embedded alone: nothing but the encoding knows the order
  } else {
    config.segment = 2;
    config.dropout = 0.2;
    if (name == "small") {
      config.filters = 64;
    } else if (name == "base") {
      config.filters = config.width = 128;
    } else if (name == "large") {
      config.filters = config.width = 256;
      config.heads = 8;
      config.layers = 4;
    } else {
      reject({{"--preset"}, fmt::format("{}", fmt::join(preset_names(), ", ")), quote(std::string(name))});
    }
  }
  return config;
}

void set_width(ModelConfig& config, std::size_t width) {
  if (config.head_width == config.width) config.head_width = width;
  config.width = width;
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
  if (!config.decays()) options.scale = parse_scale(config.scale, "scale", kDecaying);
  options.clip = config.clip;
  options.time_dim = config.time_dim;
  options.tupe_relative = config.tupe_relative;
  options.seed = config.encoding_seed;
  options.pairing = config.pairing == "halves" ? RotaryPairing::kHalves : RotaryPairing::kInterleaved;
  return options;
}

std::vector<std::string> settle(ModelConfig& config) {
  if (config.segment == 0) return {};  // check_config says so
  std::vector<std::string> notes;
  if (config.pooled() > 0 && config.width != config.settled_width()) {
    config.width = config.settled_width();
    notes.push_back(fmt::format("segments of {} samples become {} of {} filters: the width is {}", config.segment,
                                config.pooled(), config.filters, config.width));
  }
  if (config.encoding == "dft" && config.period == 0 && config.steps() > config.width) {
    config.period = config.steps();
    notes.push_back(fmt::format("{} positions are more than the width {}: the DFT encoding takes the period {}",
                                config.steps(), config.width, config.period));
  }
  return notes;
}

void check_config(const ModelConfig& config, const std::string& place) {
  const Check check{place};
  check_form(config, check);
  check_sizes(config, check);
  check.choice("block", config.block, {"post", "pre", "bare"});
  check.choice("activation", config.activation, {"gelu", "relu"});
  check.choice("pooling", config.pooling, {"mean", "attention", "token"});
  check.choice("mtan", config.mtan, {"concat", "attention"});
  check.choice("pairing", config.pairing, {"interleaved", "halves"});
  check.choice("positions", config.positions, {"index", "time"});
  check_name(config.encoding, check);
  check_count(config, check);
  check_position(config, check);
}

std::size_t inference_batch(const ModelConfig& config, std::size_t most) {
  constexpr std::size_t kNumbers = std::size_t{1} << 15;  // of one activation [B, S, d], or [B, C, S, d]: 128 KiB
  const std::size_t sequences = config.is_dfstrans() ? config.channels : 1;
  return std::clamp<std::size_t>(kNumbers / (sequences * config.steps() * config.width), 1,
                                 std::max<std::size_t>(most, 1));
}

}  // namespace faithful
