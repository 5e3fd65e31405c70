#include <cstdint>
#include <string_view>

#include "faithful/base/error.h"
#include "faithful/data/arrays_internal.h"
#include "faithful/data/readers_internal.h"

// As a whole file, and as the description inside of one, which a checksum would keep from being reached.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const char* axes : {"", "tc"}) {
    try {
      check_dataset(faithful::data::parse_npz(bytes, "x.npz", {.missing = faithful::Missing::kKeep, .axes = axes}));
    } catch (const faithful::InputError&) {
    }
  }
  try {
    faithful::data::parse_meta(bytes, "meta");
  } catch (const faithful::InputError&) {
  }
  return 0;
}
