// What no config may say.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/encoding/catalog.h"
#include "faithful/model/config.h"
#include "faithful/model/position_internal.h"

namespace faithful {

namespace {

// The sum of all parameters' sizes stays below 2^63 (at most: 256 layers of 3 * 2^26 x 2^26), so that they can be
// counted before memory is taken.
constexpr std::size_t kMostParameters = std::size_t{1} << 28;
constexpr std::size_t kMostInTable = std::size_t{1} << 26;  // codes of a fixed encoding

std::vector<std::string> encodings_of_times() {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : encoding_catalog()) {
    if (entry.real_positions) names.push_back(entry.name);
  }
  return names;
}

// Complains about a field, as its file or the surface that set it spells it.
struct Check {
  const std::string& file;

  Place place(const char* field) const {
    return file.empty() ? Place{.field = field} : Place{.name = fmt::format("{}.{}", file, field)};
  }
  std::string name(std::string_view field, std::string_view value = {}) const {
    const std::string marked = field_text(field, value);
    return file.empty() ? marked : spelled(marked);
  }
  void that(bool holds, const char* field, const std::string& wanted, const std::string& found,
            const std::string& hint = {}) const {
    if (!holds) reject({place(field), wanted, found, hint});
  }
  void that(bool holds, const char* field, const std::string& wanted, std::size_t found,
            const std::string& hint = {}) const {
    if (!holds) that(holds, field, wanted, fmt::format("{}", found), hint);
  }
};

// Bounds and choices of every field, and fields that are set although the form has no use for them.
void check_fields(const ModelConfig& config, const Check& check) {
  ModelConfig copy = config, standard;
  const std::vector<Setting> all = settings(copy), defaults = settings(standard);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Field& field = all[i].field;
    check_value(field, value_of(all[i]), check.file);
    if (config.is_dfstrans() || field.applies_to != "dfstrans" || value_of(all[i]) == value_of(defaults[i])) continue;
    throw InputError(fmt::format("{} applies only to {}", to_string(check.place(field.name.c_str())),
                                 check.name("form", "dfstrans")));
  }
}

// Every sensor and every step may have weights of its own, so that there can be fewer of each.
void check_dfstrans(const ModelConfig& config, const Check& check) {
  constexpr std::size_t kMostGroups = 65536, kMostFilters = 1024;
  const auto at_most = [](std::size_t most) { return fmt::format("at most {} for dfstrans", most); };
  const InputConfig& input = config.input;
  check.that(config.body.block == LayerBlock::kPost, "block", "post for dfstrans", "another one");
  check.that(config.head.pooling == Pooling::kMean, "pooling", "mean for dfstrans", "another one");
  check.that(config.body.layers == 1, "layers", "1 for dfstrans", config.body.layers);
  check.that(input.average == 1, "average", "1 for dfstrans", input.average);
  check.that(input.branches == 0, "branches", "0 for dfstrans", input.branches);
  check.that(input.channels <= kMostGroups, "channels", at_most(kMostGroups), input.channels);
  check.that(config.steps() <= kMostGroups, "segment", at_most(kMostGroups) + " steps", config.steps());
  check.that(input.filters >= 1 && input.filters <= kMostFilters, "filters",
             fmt::format("1 to {} for dfstrans", kMostFilters), input.filters);
  check.that(
      config.pooled() > 0, "segment",
      fmt::format("at least {} samples, because each of {} stages halves a segment", 1U << input.stages, input.stages),
      input.segment, fmt::format("or fewer {}", check.name("stages")));
  check.that(config.body.width == config.settled_width(), "width",
             fmt::format("{}, filters times pooled samples", config.settled_width()), config.body.width,
             "it follows from filters, segment and stages");
}

void check_sizes(const ModelConfig& config, const Check& check) {
  check.that(config.input.segment <= config.input.length, "segment",
             fmt::format("at most the {} samples of a window", config.input.length), config.input.segment);
  check.that(
      config.samples_per_step() <= config.input.length, "average",
      fmt::format("at most the {} samples of a window, divided by {}", config.input.length, check.name("segment")),
      config.input.average);
  check.that(config.input.branches == 0 || config.input.filters > 0, "filters", "at least 1, for the branches", "0");
  check.that(config.input.blocks == 0 || config.input.branches > 0, "branches", "at least 1, for the blocks", "0");
  check.that(config.input.bottleneck == 0 || config.input.branches > 0, "branches", "at least 1, for the bottleneck",
             "0");
  if (config.is_dfstrans()) check_dfstrans(config, check);
  check.that(config.input.kernel % 2 == 1, "kernel", "an odd number", config.input.kernel);
  check.that(config.body.head_width != 0 || config.body.width % config.body.heads == 0, "heads",
             fmt::format("a divisor of the width {}", config.body.width), config.body.heads,
             fmt::format("or set {}", check.name("head_width")));
}

void check_name(const std::string& encoding, const Check& check) {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : encoding_catalog()) names.push_back(entry.name);
  check.that(std::ranges::find(names, current_name(encoding)) != names.end(), "encoding", "the name of an encoding",
             quote(encoding), suggest(encoding, names));
}

// The catalog knows what each encoding needs: even heads for rope, S <= d for onehot, a period for dft, .. It speaks of
// its own options, whose `dim` is our width.
void check_encoding_of(const ModelConfig& config, const CatalogEntry& entry, const Check& check) {
  try {
    const EncodingOptions options = encoding_options(config);
    check.that(entry.kind != EncodingKind::kAdditive || options.length * options.dim <= kMostInTable, "encoding",
               fmt::format("at most {} codes", kMostInTable), fmt::format("{} x {}", options.length, options.dim),
               "take a smaller width or length");
    if (entry.check_in_model != nullptr) entry.check_in_model(place_of(config));
    check_encoding(config.position.encoding, options);
  } catch (const InputError& error) {
    const std::string message = error.spelled_by([&](std::string_view name, std::string_view value) {
      return check.name(name == "dim" ? "width" : name, value);
    });
    throw InputError(check.file.empty() || message.starts_with(check.file) ? message : check.file + ": " + message);
  }
}

void check_position(const ModelConfig& config, const Check& check) {
  const PositionConfig& position = config.position;
  const CatalogEntry& entry = catalog_entry(position.encoding);
  check.that(!config.decays() || entry.kind == EncodingKind::kAdditive, "encoding",
             fmt::format("an encoding that is added, for {}", check.name("scale", "decaying")), position.encoding);
  check.that(!config.is_dfstrans() || columns_beside(config) == 0, "encoding",
             "an encoding that is not concatenated, for dfstrans", position.encoding,
             fmt::format("mtan works with {}", check.name("mtan", "attention")));
  if (config.has_times()) {
    check.that(entry.real_positions, "encoding",
               fmt::format("an encoding of times, for {}", check.name("positions", "time")), position.encoding,
               fmt::format("these are: {}", fmt::join(encodings_of_times(), ", ")));
    check.that(position.time_step > 0, "time_step", "a positive number", fmt::format("{}", position.time_step));
  }
  check_encoding_of(config, entry, check);
}

// A file that claims a model of absurd size is turned away before memory is taken for it.
void check_count(const ModelConfig& config, const Check& check) {
  const std::size_t count = parameter_count(config);
  if (count <= kMostParameters) return;
  reject({{check.file.empty() ? "model" : check.file},
          fmt::format("at most {} parameters", kMostParameters),
          fmt::format("{}", count),
          "take a smaller width, heads, layers or length"});
}

}  // namespace

void check_config(const ModelConfig& config, const std::string& file) {
  const Check check{file};
  check_fields(config, check);
  check_sizes(config, check);
  check_name(config.position.encoding, check);
  if (!config.decays()) parse_scale(config.position.scale, check.place("scale"), kDecaying);
  check_count(config, check);
  check_position(config, check);
}

}  // namespace faithful
