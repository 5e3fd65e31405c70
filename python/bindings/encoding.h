#pragma once

#include <pybind11/pybind11.h>

#include "faithful/encoding/encoding.h"

namespace faithful::python {

// From the names that Python gives to the fields.
EncodingOptions encoding_options_of(const pybind11::dict& said);

}  // namespace faithful::python
