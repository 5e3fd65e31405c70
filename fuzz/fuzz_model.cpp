// Any bytes are a model or an InputError, and a model writes itself to a file that reads back to the same. As a whole
// file, and with a digest that fits, so that what comes after its check is reached.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "faithful/base/error.h"
#include "faithful/trained/model_file.h"
#include "fuzz/sealed.h"

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
  if (const auto sealed = faithful::fuzz::sealed(bytes)) try_model(*sealed);
  return 0;
}
