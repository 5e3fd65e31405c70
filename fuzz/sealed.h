#pragma once

#include <optional>
#include <string>

#include "faithful/base/error.h"
#include "faithful/io/safetensors.h"

namespace faithful::fuzz {

// The same arrays and metadata with a digest that fits: what comes after the check of the digest is reached, too.
// Nothing where the bytes are no safetensors file.
inline std::optional<std::string> sealed(const std::string& bytes) {
  try {
    const Safetensors file = parse_safetensors(bytes, "fuzz");
    SafetensorsMetadata metadata = file.metadata();
    metadata[std::string(kDigestKey)] = digest_of(file.entries(), metadata);
    return safetensors_bytes(file.entries(), metadata);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace faithful::fuzz
