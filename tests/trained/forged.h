#pragma once

#include <string>
#include <vector>

#include "faithful/io/safetensors.h"
#include "faithful/trained/model_file.h"

namespace faithful::testing {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The bytes of a model whose metadata or arrays were changed, with a digest that fits.
template <class Change>
std::string forged(const TrainedModel& model, Change change) {
  const Safetensors file = parse_safetensors(model_bytes(model), "model");
  SafetensorsMetadata metadata = file.metadata();
  std::vector<SafetensorsEntry> entries = file.entries();
  change(metadata, entries);
  metadata["digest"] = digest_of(entries, metadata);
  return safetensors_bytes(entries, metadata);
}

}  // namespace faithful::testing
