#include <cstdint>
#include <string_view>

#include "faithful/base/error.h"
#include "faithful/data/folders_internal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const faithful::data::TelemanomLabels& row : faithful::data::parse_telemanom_labels(text, "l.csv"))
      for (const faithful::LabelSpan& span : row.spans)
        if (span.begin >= span.end || span.end > row.length) __builtin_trap();
  } catch (const faithful::InputError&) {
  }
  return 0;
}
