// Any bytes are a file or an InputError; a file that is written again is the same arrays, metadata and digest.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "faithful/base/error.h"
#include "faithful/io/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace faithful;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const Safetensors file(bytes, nullptr, "fuzz.safetensors");
    std::size_t all = 0;
    for (const SafetensorsEntry& entry : file.entries()) {
      all += entry.bytes.size();
      if (entry.dtype == "F32" && file.values<float>(entry.name).size() * sizeof(float) != entry.bytes.size()) {
        std::abort();
      }
    }
    if (all > size) std::abort();
    const std::string again = safetensors_bytes(file.entries(), file.metadata());
    const Safetensors copy = parse_safetensors(again, "again.safetensors");
    if (copy.metadata() != file.metadata() || copy.entries().size() != file.entries().size()) std::abort();
    if (digest_of(copy.entries(), copy.metadata()) != digest_of(file.entries(), file.metadata())) std::abort();
    if (safetensors_bytes(copy.entries(), copy.metadata()) != again) std::abort();
  } catch (const InputError&) {
  }
  return 0;
}
