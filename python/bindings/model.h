#pragma once

#include <string>

#include <pybind11/pybind11.h>

#include "faithful/model/config.h"

namespace faithful::python {

// A preset, with the fields that Python names instead.
ModelConfig model_config_of(const std::string& preset_name, const pybind11::dict& said);

}  // namespace faithful::python
