// Any bytes are a model or an InputError, and a model writes itself to a file that reads back to the same. As a whole
// file, and with a digest that fits, which would keep what is behind it from being reached.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "faithful/base/error.h"
#include "faithful/io/safetensors.h"
#include "faithful/trained/model_file.h"

namespace {

void try_model(const std::string& bytes) {
  try {
    const std::string again = faithful::model_bytes(faithful::parse_model(bytes, "fuzz"));
    if (faithful::model_bytes(faithful::parse_model(again, "again")) != again) std::abort();
  } catch (const faithful::InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try_model(bytes);
  std::string sealed;
  try {
    const faithful::Safetensors file = faithful::parse_safetensors(bytes, "fuzz");
    faithful::SafetensorsMetadata metadata = file.metadata();
    metadata["digest"] = faithful::digest_of(file.entries(), metadata);
    sealed = faithful::safetensors_bytes(file.entries(), metadata);
  } catch (const faithful::InputError&) {
    return 0;
  }
  try_model(sealed);
  return 0;
}
