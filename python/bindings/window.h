#pragma once

#include <span>

#include <pybind11/pybind11.h>

#include "faithful/window/scale.h"
#include "faithful/window/split.h"
#include "faithful/window/windows.h"

namespace faithful::python {

// From the names that Python gives to the fields.
void take_scaler(const pybind11::dict& said, ScalerKind& kind, Scaling& scaling);

// Where windows lie, and their labels: {series_names, series (numbers of them) [n], begin [n], end [n], y [n]}.
pybind11::dict places_of(std::span<const Window> windows, const Dataset& dataset);

}  // namespace faithful::python
