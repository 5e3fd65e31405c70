#include <cstdint>
#include <string_view>

#include "faithful/base/error.h"
#include "faithful/data/folders_internal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr std::size_t kLength = 1000, kChannels = 38;
  try {
    for (const faithful::LabelSpan& span :
         faithful::data::parse_smd_interpretation(text, "i.txt", kLength, kChannels)) {
      if (span.begin >= span.end || span.end > kLength) __builtin_trap();
      for (const std::size_t channel : span.channels)
        if (channel >= kChannels) __builtin_trap();
    }
  } catch (const faithful::InputError&) {
  }
  try {
    faithful::data::parse_smd_labels(text, "l.txt", kLength);
  } catch (const faithful::InputError&) {
  }
  return 0;
}
