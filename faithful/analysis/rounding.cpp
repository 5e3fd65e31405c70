#include "faithful/analysis/rounding.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace faithful {

namespace {

// Rounds to Digits significant bits (the leading one counts) with exponents from LeastExponent on.
template <int Digits, int LeastExponent, int GreatestExponent>
double round_to_format(double value) {
  constexpr double kLeastNormal = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + LeastExponent) << 52);
  // Added to a value below kLeastNormal, it leaves exactly the digits of the format's subnormal numbers.
  constexpr int kShiftExponent = LeastExponent - (Digits - 1) + 52;
  constexpr double kShift = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + kShiftExponent) << 52);
  constexpr double kBeyond = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + GreatestExponent + 1) << 52);
  const double size = std::abs(value);
  if (!(size < std::numeric_limits<double>::infinity())) return value;
  double result;
  if (size < kLeastNormal) {
    result = (size + kShift) - kShift;
  } else {
    constexpr int kDropped = 53 - Digits;
    const auto bits = std::bit_cast<std::uint64_t>(size);
    const std::uint64_t odd = bits >> kDropped & 1;
    const std::uint64_t up = bits + ((std::uint64_t{1} << (kDropped - 1)) - 1 + odd);
    result = std::bit_cast<double>(up >> kDropped << kDropped);
    if (result >= kBeyond) result = std::numeric_limits<double>::infinity();
  }
  return std::copysign(result, value);
}

template <class Round>
void round_each(std::span<double> values, Round round) {
  for (double& value : values) value = round(value);
}

double to_fp32(double value) {
  return round_to_format<24, -126, 127>(value);
}
double to_bf16(double value) {
  return round_to_format<8, -126, 127>(value);
}
double to_fp16(double value) {
  return round_to_format<11, -14, 15>(value);
}

}  // namespace

std::string_view to_string(Precision precision) {
  switch (precision) {
    case Precision::kFp64:
      return "fp64";
    case Precision::kFp32:
      return "fp32";
    case Precision::kBf16:
      return "bf16";
    case Precision::kFp16:
      return "fp16";
  }
  return "";
}

double epsilon(Precision precision) {
  switch (precision) {
    case Precision::kFp64:
      return 0x1p-52;
    case Precision::kFp32:
      return 0x1p-23;
    case Precision::kBf16:
      return 0x1p-7;
    case Precision::kFp16:
      return 0x1p-10;
  }
  return 0;
}

double rounded(double value, Precision precision) {
  switch (precision) {
    case Precision::kFp64:
      return value;
    case Precision::kFp32:
      return to_fp32(value);
    case Precision::kBf16:
      return to_bf16(value);
    case Precision::kFp16:
      return to_fp16(value);
  }
  return value;
}

void round_in_place(std::span<double> values, Precision precision) {
  switch (precision) {
    case Precision::kFp64:
      return;
    case Precision::kFp32:
      return round_each(values, to_fp32);
    case Precision::kBf16:
      return round_each(values, to_bf16);
    case Precision::kFp16:
      return round_each(values, to_fp16);
  }
}

}  // namespace faithful
