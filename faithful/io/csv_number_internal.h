#pragma once

// What a cell is as a number.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace faithful::csv {

enum class Cell { kNumber, kMissing, kTooLarge, kText };

// The cell (outer spaces allowed) as a number, correctly rounded; what is too small for T becomes zero.
template <class T>
Cell parse_cell(std::string_view text, char decimal, T& value);

// Powers of ten; not inside the functions, which would copy them to the stack at each call.
inline constexpr std::array<std::uint64_t, 9> kWholePowers = {1,       10,        100,        1'000,      10'000,
                                                              100'000, 1'000'000, 10'000'000, 100'000'000};
inline constexpr int kLastExactPower = 22;  // the last that is exact in double
inline constexpr std::array<double, kLastExactPower + 1> kExactPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                                         1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                                         1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// The digits, and at most one point among them, at the start of the text. `mantissa` is right up to 19 digits.
struct Digits {
  std::uint64_t mantissa = 0;
  std::ptrdiff_t count = 0;
  std::ptrdiff_t behind_point = 0;
  const char* end = nullptr;
};

// The eight characters at `at`, one per byte, the first in the lowest; a digit as its value, from 0 to 9.
inline std::uint64_t eight_characters(const char* at) {
  static_assert(std::endian::native == std::endian::little, "the first character must be the lowest byte");
  std::uint64_t characters;
  std::memcpy(&characters, at, sizeof(characters));
  return characters ^ 0x3030303030303030;
}

// How many bits the digits at the start of the eight characters take: 8 for each, 64 where all are digits.
inline int bits_of_digits(std::uint64_t characters) {
  // The high bit of each byte above 9; wrong only after the first such byte (a carry), which is the one we need.
  return std::countr_zero((characters | (characters + 0x7676767676767676)) & 0x8080808080808080) & ~7;
}

// The number that the digits in the first `bits` bits are; bits is from 8 to 64.
inline std::uint64_t number_of_digits(std::uint64_t digits, int bits) {
  digits <<= 64 - bits;                                            // zeros in front
  digits = (digits * 10 + (digits >> 8)) & 0x00FF00FF00FF00FF;     // four numbers below 100
  digits = (digits * 100 + (digits >> 16)) & 0x0000FFFF0000FFFF;   // two below 10^4
  return (digits * 10'000 + (digits >> 32)) & 0x00000000FFFFFFFF;  // one below 10^8
}

// Appends the run of digits at `at` to the mantissa and returns its end. Eight characters at a time: branches that
// depend on the length of each number cost more than all the arithmetic.
inline const char* take_digit_run(const char* at, const char* end, std::uint64_t& mantissa) {
  while (end - at >= 8) {
    const std::uint64_t characters = eight_characters(at);
    const int bits = bits_of_digits(characters), count = bits / 8;
    if (count == 0) return at;
    mantissa = mantissa * kWholePowers[static_cast<std::size_t>(count)] + number_of_digits(characters, bits);
    at += count;
    if (count < 8) return at;
  }
  while (at != end && static_cast<unsigned char>(*at - '0') < 10) {
    mantissa = mantissa * 10 + static_cast<unsigned char>(*at++ - '0');
  }
  return at;
}

inline Digits take_digits(const char* at, const char* end) {
  Digits digits;
  digits.end = take_digit_run(at, end, digits.mantissa);
  digits.count = digits.end - at;
  if (digits.end != end && *digits.end == '.') {
    const char* fraction = digits.end + 1;
    digits.end = take_digit_run(fraction, end, digits.mantissa);
    digits.behind_point = digits.end - fraction;
    digits.count += digits.behind_point;
  }
  return digits;
}

// The plain numbers that tables are full of (-12.0625, 3e-05), to the same bits as from_chars but in a fraction of its
// time: where mantissa and power of ten are both exact in double, one division or product rounds correctly (Clinger
// 1990). Returns where the number ends, or nullptr where it is not of that kind (from_chars decides then).
template <class T>
const char* parse_plain(const char* at, const char* end, T& value) {
  const bool negative = at != end && *at == '-';
  if (negative) ++at;
  const Digits digits = take_digits(at, end);
  at = digits.end;
  if (digits.count == 0 || digits.count > 19 || digits.mantissa > (std::uint64_t{1} << 53)) return nullptr;
  auto power = -static_cast<int>(digits.behind_point);
  if (at != end && (*at | 0x20) == 'e') {
    ++at;
    const bool down = at != end && *at == '-';
    if (at != end && (*at == '-' || *at == '+')) ++at;
    std::uint64_t exponent = 0;
    const char* exponent_end = take_digit_run(at, end, exponent);
    if (exponent_end == at || exponent_end - at > 3) return nullptr;
    at = exponent_end;
    power += down ? -static_cast<int>(exponent) : static_cast<int>(exponent);
  }
  if (power < -kLastExactPower || power > kLastExactPower) return nullptr;
  const auto mantissa = static_cast<double>(digits.mantissa);
  const double exact = power < 0 ? mantissa / kExactPowers[static_cast<std::size_t>(-power)]
                                 : mantissa * kExactPowers[static_cast<std::size_t>(power)];
  if constexpr (sizeof(T) == sizeof(float)) {
    // Rounding a second time, to float, errs only from the middle between two floats (29 bits are dropped); and
    // in the last binades the float has other bits.
    constexpr std::uint64_t kDropped = (std::uint64_t{1} << 29) - 1, kMiddle = std::uint64_t{1} << 28;
    if ((std::bit_cast<std::uint64_t>(exact) & kDropped) == kMiddle) return nullptr;
    if (exact > 1e38 || (exact < 1e-37 && exact != 0)) return nullptr;
  }
  value = static_cast<T>(negative ? -exact : exact);
  return at;
}

// One of two values by a bit, without a branch.
inline std::uint64_t select(std::uint64_t bit, std::uint64_t if_0, std::uint64_t if_1) {
  return if_0 ^ ((if_0 ^ if_1) & (0 - bit));
}

// The same for numbers of at most seven digits without an exponent (-12.0625), which most tables consist of. No branch
// depends on sign, point or length: half of the signs would be guessed wrongly. Mantissa and power of ten are exact in
// float too. nullptr where it is another number, or the text ends too soon.
template <class T>
[[gnu::always_inline]] inline const char* parse_short(const char* at, const char* end, T& value) {
  constexpr std::array<T, 2> kSigns = {1, -1};
  constexpr std::array<T, 8> kPowers = {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000};
  if (end - at < 10) return nullptr;  // what is loaded
  const std::uint64_t negative = *at == '-' ? 1 : 0;
  const std::uint64_t second = eight_characters(at + 1);
  const std::uint64_t first = select(negative, eight_characters(at), second);
  const std::uint64_t after = select(negative, second, eight_characters(at + 2));
  const int whole = bits_of_digits(first);
  if (whole == 64) return nullptr;
  const std::uint64_t point = (first >> whole & 0xFF) == ('.' ^ '0') ? 1 : 0;
  // The characters without the point: those after it move up by one.
  const std::uint64_t before = (std::uint64_t{1} << whole) - 1;
  const std::uint64_t digits = (first & before) | (select(point, first, after) & ~before);
  const int bits = bits_of_digits(digits);
  if (bits == 0 || bits == 64) return nullptr;
  at += negative + point + static_cast<std::uint64_t>(bits) / 8;
  if ((*at | 0x20) == 'e') return nullptr;
  const auto mantissa = static_cast<T>(static_cast<std::int64_t>(number_of_digits(digits, bits)));
  value = mantissa * kSigns[negative] / kPowers[static_cast<std::size_t>(bits - whole) / 8];
  return at;
}

}  // namespace faithful::csv
