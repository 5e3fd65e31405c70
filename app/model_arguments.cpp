#include "app/model_arguments.h"

#include <algorithm>

#include "faithful/base/error.h"

namespace faithful::app {

std::vector<Option> model_option_list(ModelArguments& a) {
  std::vector<Option> form = {
      {.name = "--encoding",
       .target = &a.encoding,
       .value = "NAME",
       .help = "how the model knows the order: one that faithful list shows"},
      {.name = "--model",
       .target = &a.model,
       .value = "M",
       .help = "encoder: steps attend to steps; dfstrans: sensors and steps, for faithful diagnose",
       .choices = {"encoder", "dfstrans"}},
      {.name = "--preset",
       .target = &a.preset,
       .value = "P",
       .help = "size of the model",
       .choices = preset_names(),
       .shown_default = "small, or that of --model"},
      {.name = "--width",
       .target = &a.width,
       .value = "D",
       .help = "of the encoder; that of dfstrans follows from its filters and segment",
       .at_least = 1},
      {.name = "--heads", .target = &a.heads, .value = "H", .help = "of attention", .at_least = 1},
      {.name = "--head-width", .target = &a.head_width, .value = "D", .help = "of a head", .shown_default = "D / H"},
      {.name = "--layers", .target = &a.layers, .value = "L", .help = "of the encoder"},
      {.name = "--feed-forward",
       .target = &a.feed_forward,
       .value = "N",
       .help = "hidden width of a layer",
       .shown_default = "4 D"},
      {.name = "--block",
       .target = &a.block,
       .value = "B",
       .help = "where a layer has its norms; bare: attention alone",
       .choices = {"post", "pre", "bare"}},
      {.name = "--activation",
       .target = &a.activation,
       .value = "A",
       .help = "of the feed-forward",
       .choices = {"gelu", "relu"}},
      {.name = "--dropout", .target = &a.dropout, .value = "P", .help = "in training", .at_least = 0, .at_most = 0.99},
      {.name = "--pooling",
       .target = &a.pooling,
       .value = "P",
       .help = "over the steps; token: a class token before the first",
       .choices = {"mean", "attention", "token"}},
      {.name = "--filters",
       .target = &a.filters,
       .value = "N",
       .help = "of a convolution before the encoder (0: each step is embedded alone), or of every sensor's"},
      {.name = "--differences",
       .target = &a.differences,
       .value = "N",
       .help =
           "beside every channel its differences in time of orders 1 to N: for what is small and fast under what is "
           "large and slow",
       .at_most = 3},
      {.name = "--kernel", .target = &a.kernel, .value = "N", .help = "samples that it sees, odd", .at_least = 1},
      {.name = "--segment", .target = &a.segment, .value = "P", .help = "samples that become one step", .at_least = 1},
      {.name = "--stages",
       .target = &a.stages,
       .value = "N",
       .help = "of dfstrans: convolutions of a sensor, each of which halves a segment",
       .at_least = 1},
      {.name = "--weights",
       .target = &a.weights,
       .value = "LIST",
       .help = "of dfstrans' attention that are not shared: per-sensor, per-step, or both as published",
       .choices = {"per-sensor", "per-step"},
       .shown_default = "all shared"},
      {.name = "--head-hidden",
       .target = &a.head_hidden,
       .value = "N",
       .help = "of dfstrans: hidden width before the classes",
       .at_least = 1}};
  std::vector<Option> position = {
      {.name = "--scale",
       .target = &a.scale,
       .value = "X",
       .help =
           "of encodings that are added: as-defined, unit (RMS norm 1), matched (sqrt(D/2)), a factor, or decaying"},
      {.name = "--period",
       .target = &a.period,
       .value = "N",
       .help = "of dft",
       .shown_default = "the number of steps, where it is above D"},
      {.name = "--rho", .target = &a.rho, .value = "R", .help = "base of sinusoidal, tape and rope", .at_least = 0},
      {.name = "--clip", .target = &a.clip, .value = "K", .help = "of shaw: offsets beyond +-K share a vector"},
      {.name = "--time-dim", .target = &a.time_dim, .value = "D", .help = "width of mtan and time2vec", .at_least = 1},
      {.name = "--mtan",
       .target = &a.mtan,
       .value = "WHERE",
       .help = "where mtan enters: beside the input, or as queries and keys",
       .choices = {"concat", "attention"}},
      {.name = "--tupe-relative", .target = &a.tupe_relative, .help = "adds t5's bias to tupe"},
      {.name = "--pairing",
       .target = &a.pairing,
       .value = "P",
       .help = "of rope",
       .choices = {"interleaved", "halves"}},
      {.name = "--positions",
       .target = &a.positions,
       .value = "WHAT",
       .help = "positions are numbers of steps, or the times of the samples",
       .choices = {"index", "time"}}};
  form.insert(form.end(), position.begin(), position.end());
  return form;
}

namespace {

// What was said that the form of the model has no place for.
void check_form(const ModelArguments& a, const ModelConfig& config) {
  const auto unwanted = [](const char* option, bool said, const char* wanted) {
    if (said) reject({{option}, wanted, "it"});
  };
  if (config.is_dfstrans()) {
    unwanted("--width", a.width.has_value(), "none for dfstrans, whose width follows from --filters and --segment");
    return;
  }
  constexpr const char* kOnly = "--model dfstrans, which alone has this option";
  unwanted("--weights", !a.weights.empty(), kOnly);
  unwanted("--stages", a.stages.has_value(), kOnly);
  unwanted("--head-hidden", a.head_hidden.has_value(), kOnly);
}

ModelConfig chosen_preset(const ModelArguments& a) {
  if (a.model == "dfstrans" && !a.preset.empty() && a.preset != "dfstrans") {
    reject({{"--preset"}, "none, or dfstrans, for --model dfstrans", quote(a.preset)});
  }
  return preset(a.model == "dfstrans" ? "dfstrans" : a.preset.empty() ? "small" : a.preset);
}

}  // namespace

ModelConfig resolved(const ModelArguments& a) {
  ModelConfig config = chosen_preset(a);
  check_form(a, config);
  const auto take = [](auto& field, const auto& said) {
    if (said) field = *said;
  };
  const auto take_word = [](std::string& field, const std::string& said) {
    if (!said.empty()) field = said;
  };
  if (a.width) set_width(config, *a.width);
  take(config.heads, a.heads);
  take(config.head_width, a.head_width);
  take(config.layers, a.layers);
  take(config.feed_forward, a.feed_forward);
  take(config.filters, a.filters);
  take(config.kernel, a.kernel);
  take(config.segment, a.segment);
  take(config.differences, a.differences);
  take(config.stages, a.stages);
  take(config.head_hidden, a.head_hidden);
  take(config.dropout, a.dropout);
  take_word(config.block, a.block);
  take_word(config.activation, a.activation);
  take_word(config.pooling, a.pooling);
  config.sensor_weights = std::ranges::find(a.weights, "per-sensor") != a.weights.end();
  config.step_weights = std::ranges::find(a.weights, "per-step") != a.weights.end();
  config.encoding = a.encoding;
  config.scale = a.scale;
  config.period = a.period;
  config.clip = a.clip;
  config.time_dim = a.time_dim;
  config.rho = a.rho;
  config.mtan = a.mtan;
  config.pairing = a.pairing;
  config.positions = a.positions;
  config.tupe_relative = a.tupe_relative;
  return config;
}

}  // namespace faithful::app
