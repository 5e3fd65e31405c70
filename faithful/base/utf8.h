#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "faithful/base/api.h"

namespace faithful {

struct Utf8Character {
  std::uint32_t code = 0;
  std::size_t length = 0;  // bytes; 0: they are no valid UTF-8 (cut short, overlong, a surrogate, above U+10FFFF)
};

// The character at the start of a text that is not empty.
FAITHFUL_API Utf8Character first_character(std::string_view text);

}  // namespace faithful
