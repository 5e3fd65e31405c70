#pragma once

#include <string>

#include "faithful/io/json.h"
#include "faithful/model/config.h"

namespace faithful::trained {

// Every field by its name.
Json config_json(const ModelConfig& config);

// The config of such an object: every field that older versions know, those of later ones, and no other, each within
// its bounds. InputError otherwise; how they go together is not looked at.
ModelConfig parse_config(const Json& json, const std::string& place);

// A config from a file may claim anything. The tables that it needs, which are computed, are held against the numbers
// that the file has, before memory is taken for them: InputError where they are more than a large multiple.
void check_tables(const ModelConfig& config, std::size_t numbers, const std::string& place);

// A whole number that is not negative.
std::size_t parse_count(const Json& json, const std::string& place);

}  // namespace faithful::trained
