#include "app/model_arguments.h"

namespace faithful::app {

std::vector<Option> model_option_list(ModelArguments& a) {
  std::vector<Option> form = {
      {.name = "--encoding",
       .target = &a.encoding,
       .value = "NAME",
       .help = "how the model knows the order: one that faithful list shows"},
      {.name = "--preset", .target = &a.preset, .value = "P", .help = "size of the model", .choices = preset_names()},
      {.name = "--width", .target = &a.width, .value = "D", .help = "of the encoder", .at_least = 1},
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
       .help = "of a convolution before the encoder; 0: each step is embedded alone"},
      {.name = "--kernel", .target = &a.kernel, .value = "N", .help = "samples that it sees, odd", .at_least = 1},
      {.name = "--segment", .target = &a.segment, .value = "P", .help = "samples that become one step", .at_least = 1}};
  std::vector<Option> position = {
      {.name = "--scale",
       .target = &a.scale,
       .value = "X",
       .help = "of encodings that are added: as-defined, unit (RMS norm 1), matched (sqrt(D/2)) or a factor"},
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

ModelConfig resolved(const ModelArguments& a) {
  ModelConfig config = preset(a.preset);
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
  take(config.dropout, a.dropout);
  take_word(config.block, a.block);
  take_word(config.activation, a.activation);
  take_word(config.pooling, a.pooling);
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
