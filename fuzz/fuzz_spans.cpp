#include <cstdint>
#include <string_view>

#include "faithful/base/error.h"
#include "faithful/data/folders_internal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const auto& [table, spans] : faithful::data::parse_spans(text, "w.json"))
      for (const faithful::data::TimeSpan& span : spans)
        if (span.last < span.first) __builtin_trap();
  } catch (const faithful::InputError&) {
  }
  return 0;
}
