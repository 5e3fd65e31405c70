#include "faithful/data/times.h"

#include <chrono>
#include <cstddef>

#include <fmt/format.h>

#include "faithful/base/number.h"
#include "faithful/data/time_cursor_internal.h"

namespace faithful {

std::optional<std::int64_t> scaled_fraction(std::string_view digits, std::int64_t scale) {
  std::int64_t value = 0;
  for (const char digit : digits) {
    if (scale == 1 && digit != '0') return std::nullopt;
    if (scale == 1) continue;
    scale /= 10;
    value += (digit - '0') * scale;
  }
  return value;
}

namespace {

std::optional<std::int64_t> multiply_add(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t product = 0;
  std::int64_t sum = 0;
  if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(product, c, &sum)) return std::nullopt;
  return sum;
}

}  // namespace

std::optional<std::int64_t> combine(std::int64_t whole, std::int64_t scale, std::int64_t rest) {
  if (whole < 0 && rest > 0) return multiply_add(whole + 1, scale, rest - scale);
  return multiply_add(whole, scale, rest);
}

std::optional<std::int64_t> take_zone(TimeCursor& cursor) {
  if (cursor.done() || cursor.take('Z') || cursor.take('z')) return 0;
  const bool west = cursor.take('-');
  if (!west && !cursor.take('+')) return std::nullopt;
  const std::optional<int> hours = cursor.digits(2);
  if (!hours) return std::nullopt;
  cursor.take(':');
  const std::optional<int> minutes = cursor.done() ? 0 : cursor.digits(2);
  if (!minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const std::int64_t seconds = *hours * 3600 + *minutes * 60;
  return west ? -seconds : seconds;
}

namespace {

constexpr std::int64_t kSecond = kNanoseconds, kMillisecond = kSecond / 1'000, kDay = 86'400 * kSecond;

// Day 0 of a spreadsheet is 1899-12-30. Its times of day are shares of a day, exact to the ms.
std::optional<std::int64_t> of_spreadsheet(std::int64_t day, std::int64_t nanoseconds) {
  constexpr std::int64_t kDay1970 = 25'569;
  return multiply_add(day - kDay1970, kDay, (nanoseconds + kMillisecond / 2) / kMillisecond * kMillisecond);
}

std::int64_t nanoseconds_of(std::string_view unit) {
  return unit == "days" ? kDay : unit == "s" ? kSecond : unit == "ms" ? kMillisecond : unit == "us" ? 1'000 : 1;
}

std::optional<std::int64_t> parse_epoch(std::string_view text, std::string_view unit) {
  const std::int64_t scale = nanoseconds_of(unit);
  TimeCursor cursor(text);
  const bool negative = cursor.take('-');
  if (!negative) cursor.take('+');
  const std::string_view whole_digits = cursor.digit_run();
  const bool point = cursor.take('.');
  const std::string_view fraction_digits = point ? cursor.digit_run() : std::string_view();
  if (!cursor.done() || whole_digits.empty() || (point && fraction_digits.empty())) return std::nullopt;
  const std::optional<std::int64_t> whole = parse_number<std::int64_t>(whole_digits);
  const std::optional<std::int64_t> fraction = scaled_fraction(fraction_digits, scale);
  if (!whole || !fraction) return std::nullopt;
  if (unit == "days") return negative ? std::nullopt : of_spreadsheet(*whole, *fraction);
  return negative ? multiply_add(-*whole, scale, -*fraction) : multiply_add(*whole, scale, *fraction);
}

struct Clock {
  std::int64_t seconds = 0;      // of the day
  std::int64_t nanoseconds = 0;  // of the second
};

// 12:30, 12:30:15, 12:30:15.25
std::optional<Clock> take_clock(TimeCursor& cursor) {
  const std::optional<int> hours = cursor.digits(2);
  if (!hours || !cursor.take(':')) return std::nullopt;
  const std::optional<int> minutes = cursor.digits(2);
  const std::optional<int> seconds = cursor.take(':') ? cursor.digits(2) : 0;
  if (!minutes || !seconds || *hours > 23 || *minutes > 59 || *seconds > 59) return std::nullopt;
  Clock clock{*hours * 3600 + *minutes * 60 + *seconds, 0};
  if (cursor.take('.') || cursor.take(',')) {
    const std::string_view digits = cursor.digit_run();
    const std::optional<std::int64_t> fraction = scaled_fraction(digits, kSecond);
    if (digits.empty() || !fraction) return std::nullopt;
    clock.nanoseconds = *fraction;
  }
  return clock;
}

std::optional<std::int64_t> parse_iso(std::string_view text) {
  TimeCursor cursor(text);
  const std::optional<int> year = cursor.digits(4);
  if (!year || !cursor.take('-')) return std::nullopt;
  const std::optional<int> month = cursor.digits(2);
  if (!month || !cursor.take('-')) return std::nullopt;
  const std::optional<int> day = cursor.digits(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  Clock clock;
  std::int64_t zone = 0;
  if (!cursor.done()) {
    if (!cursor.take('T') && !cursor.take('t') && !cursor.take(' ')) return std::nullopt;
    const std::optional<Clock> found = take_clock(cursor);
    if (!found) return std::nullopt;
    clock = *found;
    const std::optional<std::int64_t> offset = take_zone(cursor);
    if (!offset || !cursor.done()) return std::nullopt;
    zone = *offset;
  }
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return combine(days * 86'400 + clock.seconds - zone, kSecond, clock.nanoseconds);
}

}  // namespace

std::optional<std::int64_t> parse_time(std::string_view text, std::string_view unit) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (const std::optional<std::int64_t> epoch = parse_epoch(text, unit)) return epoch;
  return parse_iso(text);
}

std::string format_time(std::int64_t ns) {
  std::int64_t seconds = ns / kSecond;
  std::int64_t fraction = ns % kSecond;
  if (fraction < 0) {
    fraction += kSecond;
    --seconds;
  }
  std::int64_t days = seconds / 86'400;
  std::int64_t clock = seconds % 86'400;
  if (clock < 0) {
    clock += 86'400;
    --days;
  }
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock / 3600,
                                 clock / 60 % 60, clock % 60);
  if (fraction != 0) {
    std::string digits = fmt::format("{:09}", fraction);
    digits.resize(digits.find_last_not_of('0') + 1);
    text += "." + digits;
  }
  return text + "Z";
}

}  // namespace faithful
