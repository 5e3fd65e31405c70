// A line with a format of times, then a time.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "faithful/base/error.h"
#include "faithful/data/times.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = std::min(text.find('\n'), text.size());
  const std::string_view cell = text.substr(std::min(line + 1, text.size()));
  for (const std::string_view unit : {"s", "ns", "days"})
    if (const auto time = faithful::parse_time(cell, unit))
      if (faithful::parse_time(faithful::format_time(*time)) != time) __builtin_trap();
  try {
    const auto time = faithful::parse_time_as(cell, text.substr(0, line));
    if (time && faithful::parse_time(faithful::format_time(*time)) != time) __builtin_trap();
  } catch (const faithful::InputError&) {
  }
  return 0;
}
