#include "faithful/model/config.h"

#include <algorithm>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/encoding/catalog.h"

namespace faithful {

namespace {

constexpr double kMostSize = 1 << 20;  // no sensible model reaches it; a file that claims more is damaged

bool is_form(const std::string& name) {
  return name == "encoder" || name == "dfstrans";
}

bool is_recorded(const ModelConfig& config, const Setting& setting) {
  const Field& field = setting.field;
  if (field.name == "differences") return config.input.differences > 0;
  if (field.name == "average") return config.input.average != 1;
  if (field.name == "branches") return config.input.branches > 0;
  if (field.name == "blocks") return config.input.blocks > 0;
  if (field.name == "bottleneck") return config.input.bottleneck > 0;
  for (const OwnOption& option : own_options()) {
    if (option.field.name == field.name && value_of(setting) == option.standard) return is_always_recorded(field.name);
  }
  return config.is_dfstrans() || (field.name != "form" && field.applies_to != "dfstrans");
}

void add_group(std::vector<Setting>& all, FieldGroup group, std::vector<Setting> rows) {
  for (Setting& row : rows) {
    row.field.group = group;
    all.push_back(std::move(row));
  }
}

}  // namespace

std::vector<Setting> settings(ModelConfig& config) {
  auto& [form, input, position, body, head] = config;
  std::vector<Setting> all;
  add_group(all, FieldGroup::kNone,
            {{{"channels", "C", "channels of the data", {.least = 1, .most = kMostSize}}, &input.channels},
             {{"length", "N", "samples of a window", {.least = 1, .most = kMostSize}}, &input.length},
             {{"classes", "K", "classes of the data", {.least = 2, .most = kMostSize}}, &input.classes}});
  add_group(
      all, FieldGroup::kModel,
      {{{"filters",
         "N",
         "number of filters of the convolution before the first layer; 0: none",
         {.least = 0, .most = kMostSize}},
        &input.filters},
       {{"kernel", "N", "length of a filter in samples; an odd number", {.least = 1, .most = 1023}}, &input.kernel},
       {{"segment", "N", "samples per step", {.least = 1, .most = kMostSize, .common = true}}, &input.segment},
       {{"width", "D", "width of a step", {.least = 1, .most = 65536, .applies_to = "encoder", .common = true}},
        &body.width},
       {{"heads", "H", "number of attention heads", {.least = 1, .most = 1024}}, &body.heads},
       {{"head_width", "D", "width of a head; 0: width / heads", {.least = 0, .most = 65536}}, &body.head_width},
       {{"layers", "L", "number of layers", {.least = 0, .most = 256, .common = true}}, &body.layers},
       {{"feed_forward", "N", "hidden width of a layer; 0: four times the width", {.least = 0, .most = kMostSize}},
        &body.feed_forward},
       {{"block",
         "B",
         "post: norm after the residual sum; pre: norm before attention and feed-forward; bare: attention only",
         {.choices = {"post", "pre", "bare"}}},
        choice_of(body.block)},
       {{"activation", "A", "activation of the feed-forward part", {.choices = {"gelu", "relu"}}},
        choice_of(body.activation)},
       {{"dropout", "P", "probability of dropout in training", {.least = 0, .below = 1, .common = true}},
        &body.dropout},
       {{"pooling",
         "P",
         "how steps become one vector: mean, attention (learned weights) or token (a class token)",
         {.choices = {"mean", "attention", "token"}}},
        choice_of(head.pooling)}});
  add_group(
      all, FieldGroup::kPosition,
      {{{"encoding", "NAME", "positional encoding; faithful list shows all", {.common = true}}, &position.encoding},
       {{"scale",
         "X",
         "as-defined, unit (RMS norm 1), matched (RMS norm sqrt(width / 2)), a factor, or decaying in training",
         {.applies_to = "additive encodings"}},
        &position.scale}});
  for (Setting& setting : position.own.settings()) {
    if (std::holds_alternative<std::size_t*>(setting.target)) {
      setting.field.most = std::min(setting.field.most.value_or(kMostSize), kMostSize);
    }
    all.push_back(std::move(setting));
  }
  add_group(all, FieldGroup::kPosition,
            {{{"positions",
               "WHAT",
               "index: positions are step numbers; time: positions are timestamps",
               {.choices = {"index", "time"}}},
              choice_of(position.source)}});
  add_group(all, FieldGroup::kNone,
            {{{"time_step", "NS", "nanoseconds per unit of position", {.least = 0}}, &position.time_step},
             {{"encoding_seed", "N", "seed of a fixed random encoding"}, &position.seed}});
  add_group(all, FieldGroup::kModel,
            {{{"differences",
               "N",
               "adds differences in time of orders 1 to N to each channel, for small fast faults",
               {.least = 0, .most = 3}},
              &input.differences},
             {{"average",
               "N",
               "takes the mean of N samples as one sample; 0: so many that about 100 samples are left",
               {.least = 0, .most = kMostSize, .applies_to = "encoder"}},
              &input.average},
             {{"branches",
               "N",
               "number of convolutions side by side, each twice as long as the one before; 0: a single one",
               {.least = 0, .most = 6, .applies_to = "encoder"}},
              &input.branches},
             {{"blocks",
               "N",
               "number of residual blocks of dilated convolutions after the branches",
               {.least = 0, .most = 8, .applies_to = "encoder"}},
              &input.blocks},
             {{"bottleneck",
               "N",
               "mixes more than N columns (channels and their differences) to N before the branches; 0: never",
               {.least = 0, .most = kMostSize, .applies_to = "encoder"}},
              &input.bottleneck},
             {{"form",
               "M",
               "encoder: attention over steps; dfstrans: attention over steps and over sensors",
               {.choices = {"encoder", "dfstrans"}, .common = true}},
              choice_of(form)},
             {{"stages",
               "N",
               "number of convolutions of a sensor; each halves the segment",
               {.least = 1, .most = 16, .applies_to = "dfstrans"}},
              &input.stages},
             {{"sensor_weights", "", "each sensor has its own temporal attention weights", {.applies_to = "dfstrans"}},
              &body.sensor_weights},
             {{"step_weights", "", "each step has its own spatial attention weights", {.applies_to = "dfstrans"}},
              &body.step_weights},
             {{"head_hidden",
               "N",
               "hidden width of the classifier head",
               {.least = 1, .most = kMostSize, .applies_to = "dfstrans"}},
              &head.hidden}});
  return all;
}

void set_field(ModelConfig& config, std::string_view name, std::string_view text) {
  const std::vector<Setting> all = settings(config);
  const auto setting = std::ranges::find(all, name, [](const Setting& each) { return each.field.name; });
  if (setting == all.end()) {
    std::vector<std::string> names;
    for (const Setting& each : all) names.push_back(each.field.name);
    reject({{"model"}, "the name of a setting", quote(name), suggest(name, names)});
  }
  const std::string& form = setting->field.applies_to;
  if (is_form(form) && (form == "dfstrans") != config.is_dfstrans()) {
    throw InputError(fmt::format("{} applies only to {}", field_text(name), field_text("form", form)));
  }
  const bool full_heads = config.body.head_width == config.body.width;
  set_text(*setting, text);
  config.position.encoding = current_name(config.position.encoding);
  if (name == "scale" && !config.decays()) parse_scale(text, {.field = "scale"}, kDecaying);
  if (full_heads && name == "width") config.body.head_width = config.body.width;
}

std::vector<std::pair<std::string, FieldValue>> recorded_fields(const ModelConfig& config) {
  std::vector<std::pair<std::string, FieldValue>> fields;
  ModelConfig copy = config;
  for (const Setting& setting : settings(copy)) {
    if (is_recorded(config, setting)) fields.emplace_back(setting.field.key, value_of(setting));
  }
  return fields;
}

std::string to_text(const ModelConfig& config) {
  std::string text;
  ModelConfig keyed = config;
  keyed.position.encoding = key_name(config.position.encoding);
  for (const auto& [name, value] : recorded_fields(keyed)) text += fmt::format("{}={}\n", name, to_text(value));
  return text;
}

const std::vector<std::string>& preset_names() {
  static const std::vector<std::string> names{"paper", "plain", "small", "base", "large", "standard", "dfstrans"};
  return names;
}

ModelConfig preset(std::string_view name) {
  ModelConfig config;
  if (name == "paper") {  // section 2.2: encoding, self-attention with heads of full width, a linear head
    config.body.block = LayerBlock::kBare;
    config.body.layers = 1;
    config.body.head_width = config.body.width;
    config.body.dropout = 0;
  } else if (name == "dfstrans") {  // as published, but for the weights that sensors and steps share
    config.form = ModelForm::kDfstrans;
    config.input.filters = 20;
    config.input.kernel = 5;
    config.input.segment = 100;
    config.body.heads = 10;
    config.body.layers = 1;
    config.body.feed_forward = 2048;
    config.body.activation = LayerActivation::kRelu;
    config.body.width = config.settled_width();
  } else if (name == "standard") {  // convolutions of three lengths, then one layer of attention: docs/model.md
    config.position.encoding = "erpe";
    config.input.differences = 1;
    config.input.average = 0;
    config.input.filters = 21;
    config.input.branches = 3;
    config.input.blocks = 2;
    config.input.bottleneck = 64;
    config.input.segment = 2;
    config.body.layers = 1;
    config.body.block = LayerBlock::kPre;
    config.body.dropout = 0.2;
  } else if (name == "plain") {  // every step is embedded alone: only the encoding carries the order
  } else {
    config.input.segment = 2;
    config.body.dropout = 0.2;
    if (name == "small") {
      config.input.filters = 64;
    } else if (name == "base") {
      config.input.filters = config.body.width = 128;
    } else if (name == "large") {
      config.input.filters = config.body.width = 256;
      config.body.heads = 8;
      config.body.layers = 4;
    } else {
      reject({{.field = "preset"}, fmt::format("one of {}", fmt::join(preset_names(), ", ")), quote(name)});
    }
  }
  return config;
}

EncodingOptions encoding_options(const ModelConfig& config) {
  const EncodingKind kind = catalog_entry(config.position.encoding).kind;
  const bool in_heads =
      kind == EncodingKind::kRotary || kind == EncodingKind::kRelativeVectors || kind == EncodingKind::kStochastic;
  EncodingOptions options;
  options.length = config.steps();
  options.dim =
      in_heads ? config.body.heads * config.key_width() : config.body.width;  // rope, shaw and spe work on heads
  options.heads = config.body.heads;
  if (!config.decays()) options.scale = parse_scale(config.position.scale, {.field = "scale"}, kDecaying);
  options.own = config.position.own;
  options.seed = config.position.seed;
  return options;
}

namespace {

// Long windows are averaged to about 100 samples; short ones keep a step for every sample.
void settle_average(ModelConfig& config, std::vector<std::string>& notes) {
  constexpr std::size_t kSamples = 100, kFewest = 16;
  InputConfig& input = config.input;
  if (input.average > 0) return;
  input.average = std::max<std::size_t>(1, (input.length + kSamples / 2) / kSamples);
  if (input.average > 1)
    notes.push_back(fmt::format("the mean of {} samples counts as one: {} {}", input.average, field_text("average"),
                                input.average));
  if (input.length < kFewest) input.segment = 1;
}

}  // namespace

std::vector<std::string> settle(ModelConfig& config) {
  if (config.input.segment == 0) return {};  // check_config says so
  std::vector<std::string> notes;
  settle_average(config, notes);
  if (!config.has_bottleneck()) config.input.bottleneck = 0;
  if (config.pooled() > 0 && config.body.width != config.settled_width()) {
    config.body.width = config.settled_width();
    notes.push_back(fmt::format("segments of {} samples become {} of {} filters: the width is {}", config.input.segment,
                                config.pooled(), config.input.filters, config.body.width));
  }
  settle_position(config, {}, notes);
  return notes;
}

void settle_position(ModelConfig& config, std::optional<double> longest, std::vector<std::string>& notes) {
  const CatalogEntry& entry = catalog_entry(config.position.encoding);
  if (entry.settle_in_model == nullptr) return;
  EncodingOptions options = encoding_options(config);
  std::string note = entry.settle_in_model(options, longest);
  config.position.own = options.own;
  if (!note.empty()) notes.push_back(std::move(note));
}

std::size_t inference_batch(const ModelConfig& config, std::size_t most) {
  constexpr std::size_t kNumbers = std::size_t{1} << 15;  // of one activation [B, S, d], or [B, C, S, d]: 128 KiB
  const std::size_t sequences = config.is_dfstrans() ? config.input.channels : 1;
  return std::clamp<std::size_t>(kNumbers / (sequences * config.steps() * config.body.width), 1,
                                 std::max<std::size_t>(most, 1));
}

}  // namespace faithful
