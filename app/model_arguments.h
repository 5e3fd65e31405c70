#pragma once

// The options of every verb that builds a model.

#include <optional>
#include <string>
#include <vector>

#include "app/command.h"
#include "faithful/model/config.h"

namespace faithful::app {

// What was said; what was not is the preset's.
struct ModelArguments {
  std::string model = "encoder";
  std::string preset = {};  // empty: small, or that of the model
  std::string encoding = "dft";
  std::optional<std::size_t> width, heads, head_width, layers, feed_forward, filters, kernel, segment, stages,
      head_hidden, differences;
  std::vector<std::string> weights;
  std::optional<double> dropout;
  std::string block, activation, pooling;
  std::string scale = "as-defined";
  std::size_t period = 0, clip = 16, time_dim = 16;
  double rho = 1e4;
  std::string mtan = "concat", pairing = "interleaved", positions = "index";
  bool tupe_relative = false;
};

std::vector<Option> model_option_list(ModelArguments& arguments);

// The preset with what was said instead; channels, length and classes are the data's.
ModelConfig resolved(const ModelArguments& arguments);

}  // namespace faithful::app
