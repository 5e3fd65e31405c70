#include <cstdint>
#include <string_view>

#include "faithful/base/error.h"
#include "faithful/data/readers_internal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const faithful::Missing missing : {faithful::Missing::kError, faithful::Missing::kInterpolate}) {
    try {
      check_dataset(faithful::data::parse_ts(text, "x.ts", {.missing = missing}));
    } catch (const faithful::InputError&) {
    }
  }
  return 0;
}
