#pragma once

#include <pybind11/pybind11.h>

#include "faithful/window/scale.h"
#include "faithful/window/split.h"

namespace faithful::python {

// From the names that Python gives to the fields.
SplitOptions split_options_of(const pybind11::dict& said);
ScalerKind scaler_of(const pybind11::dict& said);

}  // namespace faithful::python
