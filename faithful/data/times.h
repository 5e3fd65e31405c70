#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "faithful/base/api.h"

namespace faithful {

// A point in time as ns since 1970-01-01T00:00:00Z: ISO 8601 (`2024-05-01`, `2024-05-01T12:30:00.25+02:00`, a space
// for the T; UTC where no zone is given), or a number in `unit` (s, ms, us, ns), exact to the ns. Nothing where the
// text is neither, or beyond the years 1677 to 2262 that int64 holds.
FAITHFUL_API std::optional<std::int64_t> parse_time(std::string_view text, std::string_view unit = "s");

// `2024-05-01T12:30:00Z`, with as many decimals as the ns need; parse_time gives the same number back.
FAITHFUL_API std::string format_time(std::int64_t ns);

}  // namespace faithful
