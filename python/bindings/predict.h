#pragma once

#include "faithful/predict/model_file.h"

namespace faithful::python {

// A trained model as Python holds it. Nothing of it changes in predictions: threads may share it, a process may fork.
struct Model {
  explicit Model(TrainedModel made);

  TrainedModel trained;
};

}  // namespace faithful::python
