#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "faithful/base/api.h"

namespace faithful {

// A point in time as ns since 1970-01-01T00:00:00Z: ISO 8601 (`2024-05-01`, `2024-05-01T12:30:00.25+02:00`, a space
// for the T; UTC where no zone is given), or a number in `unit`: s, ms, us, ns, exact to the ns; days as spreadsheets
// count them, since 1899-12-30, rounded to the ms. Nothing where the text is neither, or beyond the years 1677 to 2262
// that int64 holds.
FAITHFUL_API std::optional<std::int64_t> parse_time(std::string_view text, std::string_view unit = "s");

// A time in another format: %d %m %Y (or %y), %H %M %S, %I with %p, %b (May), %B, %f (fraction of a second), %z, %F
// (%Y-%m-%d), %T (%H:%M:%S), %%; other characters as they are, a space as any number of them. UTC without %z. Nothing
// where the text has another form. InputError where the format is none: another directive, or no whole date.
FAITHFUL_API std::optional<std::int64_t> parse_time_as(std::string_view text, std::string_view format);

// InputError where parse_time_as would reject the format.
FAITHFUL_API void check_time_format(std::string_view format);

// `2024-05-01T12:30:00Z`, with as many decimals as the ns need; parse_time gives the same number back.
FAITHFUL_API std::string format_time(std::int64_t ns);

// A step in time that is longer than so many usual steps (their median) is a gap: nobody watched.
inline constexpr double kGapSteps = 10;

// From one time to another that is not before it: up to 585 years, which std::int64_t does not hold.
constexpr std::uint64_t nanoseconds_between(std::int64_t from, std::int64_t to) {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

}  // namespace faithful
