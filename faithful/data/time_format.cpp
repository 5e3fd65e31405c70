// Times in formats that the user states, as strptime reads them; own code, since strptime reads no fractions.

#include <array>
#include <chrono>
#include <string>

#include "faithful/base/error.h"
#include "faithful/data/time_cursor_internal.h"
#include "faithful/data/times.h"

namespace faithful {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"january",   "february", "march",    "april",
                                                      "may",       "june",     "july",     "august",
                                                      "september", "october",  "november", "december"};

char lower_letter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// The number of the month, by its name in full or its first three letters.
std::optional<int> month_of(std::string_view word) {
  std::string name;
  for (const char c : word) name += lower_letter(c);
  for (std::size_t i = 0; i < kMonths.size(); ++i)
    if (name == kMonths[i] || (name.size() == 3 && kMonths[i].starts_with(name))) return static_cast<int>(i) + 1;
  return std::nullopt;
}

// What the directives have read so far.
struct Parts {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  std::optional<bool> afternoon;
  std::int64_t nanoseconds = 0, zone = 0;
};

bool store(std::optional<int> value, int& into) {
  into = value.value_or(0);
  return value.has_value();
}

bool read_fraction(TimeCursor& cursor, std::int64_t& into) {
  const std::string_view digits = cursor.digit_run();
  const std::optional<std::int64_t> fraction = scaled_fraction(digits, kNanoseconds);
  into = fraction.value_or(0);
  return !digits.empty() && fraction.has_value();
}

bool read_half_day(TimeCursor& cursor, Parts& parts) {
  const std::string_view word = cursor.letters();
  if (word.size() != 2 || lower_letter(word[1]) != 'm') return false;
  const char half = lower_letter(word[0]);
  parts.afternoon = half == 'p';
  return half == 'a' || half == 'p';
}

// Reads what one directive stands for.
bool read_directive(char directive, TimeCursor& cursor, Parts& parts) {
  switch (directive) {
    case 'Y':
      return store(cursor.digits(4), parts.year);
    case 'y':
      if (!store(cursor.digits(2), parts.year)) return false;
      parts.year += parts.year < 69 ? 2000 : 1900;  // as POSIX has it
      return true;
    case 'm':
      return store(cursor.up_to_digits(2), parts.month);
    case 'b':
    case 'B':
      return store(month_of(cursor.letters()), parts.month);
    case 'd':
      return store(cursor.up_to_digits(2), parts.day);
    case 'H':
    case 'I':
      return store(cursor.up_to_digits(2), parts.hour);
    case 'M':
      return store(cursor.up_to_digits(2), parts.minute);
    case 'S':
      return store(cursor.up_to_digits(2), parts.second);
    case 'f':
      return read_fraction(cursor, parts.nanoseconds);
    case 'p':
      return read_half_day(cursor, parts);
    case 'z': {
      const std::optional<std::int64_t> zone = take_zone(cursor);
      parts.zone = zone.value_or(0);
      return zone.has_value();
    }
    default:
      return cursor.take(directive);  // %%
  }
}

// The format with %F and %T written out; InputError where it is none.
std::string checked_format(std::string_view format) {
  constexpr std::string_view kKnown = "YymbBdHIMSfpz%";
  const auto refuse = [&] {
    reject({{.field = "time_format"}, "a date with %d %m %Y and a time with %H %M %S", quote(format)});
  };
  std::string out, seen;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    if (++i == format.size()) refuse();
    const std::string part = format[i] == 'F'   ? "%Y-%m-%d"
                             : format[i] == 'T' ? "%H:%M:%S"
                                                : std::string{'%', format[i]};
    for (std::size_t k = 1; k < part.size(); k += 3) {
      if (kKnown.find(part[k]) == std::string_view::npos) refuse();
      seen += part[k];
    }
    out += part;
  }
  const auto has = [&](std::string_view any) { return seen.find_first_of(any) != std::string::npos; };
  if (!has("Yy") || !has("mbB") || !has("d")) refuse();
  return out;
}

std::optional<std::int64_t> time_of(Parts parts) {
  if (parts.afternoon) {
    if (parts.hour < 1 || parts.hour > 12) return std::nullopt;
    parts.hour = parts.hour % 12 + (*parts.afternoon ? 12 : 0);
  }
  const std::chrono::year_month_day date{std::chrono::year(parts.year),
                                         std::chrono::month(static_cast<unsigned>(parts.month)),
                                         std::chrono::day(static_cast<unsigned>(parts.day))};
  if (!date.ok() || parts.hour > 23 || parts.minute > 59 || parts.second > 59) return std::nullopt;
  const std::int64_t clock = parts.hour * 3600 + parts.minute * 60 + parts.second;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return combine(days * 86'400 + clock - parts.zone, kNanoseconds, parts.nanoseconds);
}

}  // namespace

void check_time_format(std::string_view format) {
  checked_format(format);
}

std::optional<std::int64_t> parse_time_as(std::string_view text, std::string_view format) {
  const std::string wanted = checked_format(format);
  TimeCursor cursor(text);
  Parts parts;
  cursor.skip_spaces();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == ' ') {
      cursor.skip_spaces();
    } else if (wanted[i] == '%' ? !read_directive(wanted[++i], cursor, parts) : !cursor.take(wanted[i])) {
      return std::nullopt;
    }
  }
  cursor.skip_spaces();
  return cursor.done() ? time_of(parts) : std::nullopt;
}

}  // namespace faithful
