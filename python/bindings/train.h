#pragma once

#include <pybind11/pybind11.h>

#include "faithful/train/fit.h"

namespace faithful::python {

// Sets split, scaler, model and training as Python says them: {"model", "split", "train"}, a dict each.
void take_fit_parts(FitOptions& options, const pybind11::dict& said);

// Sets window length and split as the data suggests where Python does not say them.
void take_suggested_split(FitOptions& options, const Dataset& dataset, const pybind11::dict& said);

}  // namespace faithful::python
