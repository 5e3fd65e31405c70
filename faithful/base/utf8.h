#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "faithful/base/api.h"

namespace faithful {

struct Utf8Character {
  std::uint32_t code = 0;
  std::size_t length = 0;  // bytes; 0: they are no valid UTF-8 (cut short, overlong, a surrogate, above U+10FFFF)
};

// The character at the start of a text that is not empty.
FAITHFUL_API Utf8Character first_character(std::string_view text);

// Whether the character acts on a terminal, a page or the text around it instead of being shown: control codes (C0, C1,
// DEL), line and paragraph separators, and controls of the direction of text.
FAITHFUL_API bool is_control(std::uint32_t code);

// The text where it is UTF-8; else each byte as the character of Latin-1 that it is. Names go into files and pages of
// UTF-8, and must be found there again.
FAITHFUL_API std::string as_utf8(std::string_view text);

// Text from a file made safe to show on one line: controls and bytes that are no UTF-8 as \n, \x1b, \u202e. A backslash
// stays as it is.
FAITHFUL_API std::string printable(std::string_view text);
// The same for text of several lines: line ends and tabs stay.
FAITHFUL_API std::string printable_lines(std::string_view text);

}  // namespace faithful
