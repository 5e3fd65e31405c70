#pragma once

#include <string>

#include <pybind11/pybind11.h>

#include "faithful/model/config.h"

namespace faithful::python {

// Sets the fields that Python names.
void take_model_fields(ModelConfig& config, const pybind11::dict& said);

}  // namespace faithful::python
