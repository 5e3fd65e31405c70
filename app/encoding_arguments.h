#pragma once

// The options that `encode` and `analyze` share: which table to build.

#include <string>
#include <vector>

#include "app/command.h"
#include "faithful/encoding/encoding.h"

namespace faithful::app {

struct EncodingArguments {
  EncodingOptions options = {};
  std::string scale = "as-defined";
  std::string positions_file = {};  // one real-valued position a line
};

std::vector<Option> encoding_option_list(EncodingArguments& arguments);

// The options with scale and positions filled in. InputError names the option at fault.
EncodingOptions resolved(const EncodingArguments& arguments);

}  // namespace faithful::app
