#pragma once

#include <string>

#include "faithful/base/api.h"
#include "faithful/io/json.h"
#include "faithful/trained/trained_model.h"

// The model file: a safetensors file that holds all that predictions need, and says where it came from.
// docs/classifier.md has its layout. Equal models give equal bytes: no times, hosts, thread counts or paths are in it.

namespace faithful {

// Writes the file as a whole or not at all. InputError where the model contradicts itself (see check_model).
FAITHFUL_API void save_model(const std::string& path, const TrainedModel& model);
FAITHFUL_API std::string model_bytes(const TrainedModel& model);

// Reads a model and believes nothing in it before it is checked: sizes against the size of the file before memory is
// taken, names and shapes of the weights against what the config declares, the digest, that all numbers are finite.
// InputError says the file, what was wanted and what was found.
FAITHFUL_API TrainedModel load_model(const std::string& path);
FAITHFUL_API TrainedModel parse_model(std::string bytes, const std::string& place);  // `place` stands in complaints

// Whether a safetensors file says of itself that it is a model of ours. InputError where it is no such file.
FAITHFUL_API bool is_model_file(const std::string& path);

// InputError where channels, classes, window, scaler and threshold do not fit the config or each other.
FAITHFUL_API void check_model(const TrainedModel& model, const std::string& place);

// All but the weights, as one object: what the file's metadata says.
FAITHFUL_API Json describe_model(const TrainedModel& model);

}  // namespace faithful
