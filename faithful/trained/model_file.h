#pragma once

#include <string>

#include "faithful/base/api.h"
#include "faithful/io/json.h"
#include "faithful/trained/trained_model.h"

// The model file: a safetensors file with everything that predictions need, and a record of the training.
// docs/classifier.md has its layout. Equal models give equal bytes: no times, hosts, thread counts or paths are in it.

namespace faithful {

// Writes the whole file or nothing. InputError if the model is inconsistent (see check_model).
FAITHFUL_API void save_model(const std::string& path, const TrainedModel& model);
FAITHFUL_API std::string model_bytes(const TrainedModel& model);

// Reads and checks a model: sizes against the size of the file before it takes memory, names and shapes of the weights
// against the config, the digest, and that all numbers are finite. InputError names the file, what was expected and
// what was found.
FAITHFUL_API TrainedModel load_model(const std::string& path);
FAITHFUL_API TrainedModel parse_model(std::string bytes, const std::string& place);  // errors name `place`

// Whether a safetensors file is a model of Faithful, by its metadata. InputError if it is not a safetensors file.
FAITHFUL_API bool is_model_file(const std::string& path);

// InputError if channels, classes, window, scaler and threshold do not fit the config or each other.
FAITHFUL_API void check_model(const TrainedModel& model, const std::string& place);

// Everything except the weights, as one object: the metadata of the file.
FAITHFUL_API Json describe_model(const TrainedModel& model);

}  // namespace faithful
