#pragma once

#include <string>

#include "faithful/io/json.h"
#include "faithful/model/config.h"

namespace faithful::predict {

// Every field by its name.
Json config_json(const ModelConfig& config);

// The config of such an object: every field that all forms have, of its kind, those of its form, and no other.
// InputError otherwise; what the values mean is not looked at.
ModelConfig parse_config(const Json& json, const std::string& place);

// A config from a file may claim anything. The tables that it needs, which are computed, are held against the numbers
// that the file has, before memory is taken for them: InputError where they are more than a large multiple.
void check_tables(const ModelConfig& config, std::size_t numbers, const std::string& place);

// A whole number that is not negative.
std::size_t parse_count(const Json& json, const std::string& place);

}  // namespace faithful::predict
