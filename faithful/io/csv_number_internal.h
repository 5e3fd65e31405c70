#pragma once

// What a cell is as a number.

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace faithful::csv {

enum class Cell { kNumber, kMissing, kTooLarge, kText };

// The cell (outer spaces allowed) as a number, correctly rounded; what is too small for T becomes zero.
template <class T>
Cell parse_cell(std::string_view text, char decimal, T& value);

// Reads the digits, and the point, at the start of the text. Every digit counts in `mantissa`, at most 19 of them (more
// could overflow).
struct Digits {
  std::uint64_t mantissa = 0;
  int count = 0;
  int behind_point = 0;
  const char* end = nullptr;
};

inline Digits take_digits(const char* at, const char* end) {
  Digits digits;
  const char* begin = at;
  while (at != end && static_cast<unsigned char>(*at - '0') < 10) {
    digits.mantissa = digits.mantissa * 10 + static_cast<unsigned char>(*at++ - '0');
  }
  digits.count = static_cast<int>(at - begin < 100 ? at - begin : 100);
  if (at != end && *at == '.') {
    const char* point = at++;
    while (at != end && static_cast<unsigned char>(*at - '0') < 10) {
      digits.mantissa = digits.mantissa * 10 + static_cast<unsigned char>(*at++ - '0');
    }
    digits.behind_point = static_cast<int>(at - point - 1 < 100 ? at - point - 1 : 100);
    digits.count += digits.behind_point;
  }
  digits.end = at;
  return digits;
}

// The plain numbers that tables are full of (-12.0625, 3e-05), to the same bits as from_chars but in a fraction of its
// time: where mantissa and power of ten are both exact in double, one division or product rounds correctly (Clinger
// 1990). Returns where the number ends, or nullptr where it is not of that kind (from_chars decides then).
template <class T>
const char* parse_plain(const char* at, const char* end, T& value) {
  constexpr int kExactPowers = 22;  // 10^22 is the last that is exact in double
  constexpr std::array<double, kExactPowers + 1> kPowers = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                            1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                            1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const bool negative = at != end && *at == '-';
  if (negative) ++at;
  const Digits digits = take_digits(at, end);
  at = digits.end;
  if (digits.count == 0 || digits.count > 19 || digits.mantissa > (std::uint64_t{1} << 53)) return nullptr;
  int power = -digits.behind_point;
  if (at != end && (*at | 0x20) == 'e') {
    ++at;
    const bool down = at != end && *at == '-';
    if (at != end && (*at == '-' || *at == '+')) ++at;
    const Digits exponent = take_digits(at, end);
    if (exponent.count == 0 || exponent.count > 3 || exponent.behind_point > 0) return nullptr;
    at = exponent.end;
    if (at[-1] == '.') return nullptr;
    power += down ? -static_cast<int>(exponent.mantissa) : static_cast<int>(exponent.mantissa);
  }
  if (power < -kExactPowers || power > kExactPowers) return nullptr;
  const auto mantissa = static_cast<double>(digits.mantissa);
  const double exact = power < 0 ? mantissa / kPowers[static_cast<std::size_t>(-power)]
                                 : mantissa * kPowers[static_cast<std::size_t>(power)];
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

}  // namespace faithful::csv
