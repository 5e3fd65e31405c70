#include "faithful/io/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/io/file.h"

namespace faithful {

namespace {

// IEEE half precision: 1 sign, 5 exponent, 10 fraction bits.
struct Half {
  std::uint16_t bits;
  explicit operator double() const {
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    const int exponent = (bits >> 10) & 0x1F, fraction = bits & 0x3FF;
    if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
    if (exponent == 0) return sign * std::ldexp(fraction, -24);
    return sign * std::ldexp(fraction + 1024, exponent - 25);
  }
};

struct Truth {
  std::uint8_t byte;
  explicit operator double() const { return byte != 0 ? 1 : 0; }
};

// Calls `call` with a value of the C++ type that `type` names.
template <class Call>
void with_type(const NpyType& type, Call&& call) {
  if (type.kind == 'b') return call(Truth{});
  if (type.kind == 'f') return type.size == 2 ? call(Half{}) : type.size == 4 ? call(float{}) : call(double{});
  const bool is_signed = type.kind == 'i';
  switch (type.size) {
    case 1:
      return is_signed ? call(std::int8_t{}) : call(std::uint8_t{});
    case 2:
      return is_signed ? call(std::int16_t{}) : call(std::uint16_t{});
    case 4:
      return is_signed ? call(std::int32_t{}) : call(std::uint32_t{});
    default:
      return is_signed ? call(std::int64_t{}) : call(std::uint64_t{});
  }
}

// The element at `bytes`, which need not be aligned.
template <class From>
From read_element(const char* bytes, bool big_endian) {
  std::array<char, sizeof(From)> raw;
  std::memcpy(raw.data(), bytes, raw.size());
  if (big_endian) std::reverse(raw.begin(), raw.end());
  return std::bit_cast<From>(raw);
}

[[noreturn]] void reject_inexact(const std::string& name, const std::string& found) {
  reject({{name}, "whole numbers of 64 bits", found});
}

template <class To, class From>
To convert(From value, const std::string& name) {
  if constexpr (!std::is_same_v<To, std::int64_t>) {
    if constexpr (std::is_arithmetic_v<From>) {
      return static_cast<To>(value);
    } else {
      return static_cast<To>(static_cast<double>(value));
    }
  } else if constexpr (std::is_integral_v<From>) {
    if (!std::in_range<To>(value)) reject_inexact(name, fmt::format("{}", value));
    return static_cast<To>(value);
  } else {
    const auto wide = static_cast<double>(value);
    if (!(wide >= -0x1p63 && wide < 0x1p63) || wide != std::trunc(wide)) reject_inexact(name, fmt::format("{}", wide));
    return static_cast<To>(wide);
  }
}

// For each element of the shape in C order, the index it has in Fortran order: calls take(index).
template <class Take>
void for_each_fortran_index(std::span<const std::size_t> shape, std::size_t count, Take&& take) {
  std::vector<std::size_t> strides, at(shape.size(), 0);
  std::size_t stride = 1;
  for (const std::size_t length : shape) {
    strides.push_back(stride);
    stride *= length;
  }
  std::size_t index = 0;
  for (std::size_t i = 0; i < count; ++i) {
    take(index);
    for (std::size_t d = shape.size(); d-- > 0;) {  // the next index: the last one runs fastest
      index += strides[d];
      if (++at[d] < shape[d]) break;
      index -= strides[d] * shape[d];
      at[d] = 0;
    }
  }
}

}  // namespace

template <class T>
NpyType npy_type() {
  if constexpr (std::is_same_v<T, bool>) return {'b', 1, false};
  return {std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u', sizeof(T), false};
}
template FAITHFUL_API NpyType npy_type<bool>();
template FAITHFUL_API NpyType npy_type<float>();
template FAITHFUL_API NpyType npy_type<double>();
template FAITHFUL_API NpyType npy_type<std::int8_t>();
template FAITHFUL_API NpyType npy_type<std::int16_t>();
template FAITHFUL_API NpyType npy_type<std::int32_t>();
template FAITHFUL_API NpyType npy_type<std::int64_t>();
template FAITHFUL_API NpyType npy_type<std::uint8_t>();
template FAITHFUL_API NpyType npy_type<std::uint16_t>();
template FAITHFUL_API NpyType npy_type<std::uint32_t>();
template FAITHFUL_API NpyType npy_type<std::uint64_t>();

NpyArray::NpyArray(std::string_view file, std::shared_ptr<const void> owner, const std::string& name)
    : header_(parse_npy_header(file, name)),
      data_(file.substr(header_.data_offset)),
      owner_(std::move(owner)),
      name_(name) {}

template <class T>
std::vector<T> NpyArray::to_vector() const {
  const std::size_t n = count();
  std::vector<T> values;
  values.reserve(n);
  with_type(type(), [&](auto kind) {
    using From = decltype(kind);
    const auto take = [&](std::size_t i) {
      const From element = read_element<From>(data_.data() + i * sizeof(From), type().big_endian);
      values.push_back(convert<T>(element, name_));
    };
    if (header_.fortran_order) {
      for_each_fortran_index(shape(), n, take);
    } else {
      for (std::size_t i = 0; i < n; ++i) take(i);
    }
  });
  return values;
}
template FAITHFUL_API std::vector<float> NpyArray::to_vector() const;
template FAITHFUL_API std::vector<double> NpyArray::to_vector() const;
template FAITHFUL_API std::vector<std::int64_t> NpyArray::to_vector() const;

Matrix<double> NpyArray::to_matrix() const {
  if (shape().empty() || shape().size() > 2) {
    reject({{name_}, "an array of two dimensions", fmt::format("shape {}", shape_text(shape()))});
  }
  if (count() == 0) reject({{name_}, "an array with elements", fmt::format("shape {}", shape_text(shape()))});
  return {shape()[0], shape().size() == 2 ? shape()[1] : 1, to_vector<double>()};
}

NpyArray load_npy(const std::string& path) {
  const auto file = std::make_shared<const WholeFile>(path);
  return {file->bytes(), file, path};
}

std::string npy_bytes(const NpyView& array) {
  return npy_header_bytes(array).append(array.data);
}

void save_npy(const std::string& path, const NpyView& array) {
  write_file(path, [&](FileWriter& writer) {
    writer.write(npy_header_bytes(array));
    writer.write(array.data);
  });
}

}  // namespace faithful
