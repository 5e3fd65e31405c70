#pragma once

// What the targets of the kernels share: numbers from bytes, a run on each instruction set, and a comparison.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "faithful/base/cpu.h"
#include "faithful/base/cpu_internal.h"

namespace faithful::fuzz {

// Takes numbers from the input; zeros after its end.
class Numbers {
 public:
  Numbers(const std::uint8_t* data, std::size_t size) : at_(data), left_(size) {}

  template <class T>
  T take() {
    T value{};
    const std::size_t count = std::min(sizeof(T), left_);
    if (count > 0) std::memcpy(&value, at_, count);
    at_ += count;
    left_ -= count;
    return value;
  }
  std::size_t size(std::size_t most) { return 1 + take<std::uint8_t>() % most; }  // from 1

  // Any floats: infinite, denormal, NaN.
  std::vector<float> floats(std::size_t count) {
    std::vector<float> all(count);
    for (float& value : all) value = take<float>();
    return all;
  }
  // In [-2, 2), on a grid of 2^-14 by whole numbers of 16 bits: sums of a few are exact in float.
  std::vector<float> small(std::size_t count) {
    std::vector<float> all(count);
    for (float& value : all) value = std::ldexp(static_cast<float>(take<std::int16_t>()), -14);
    return all;
  }
  // Whole numbers of 8 bits: products and their sums are exact in float.
  std::vector<float> whole(std::size_t count) {
    std::vector<float> all(count);
    for (float& value : all) value = take<std::int8_t>();
    return all;
  }

 private:
  const std::uint8_t* at_;
  std::size_t left_;
};

template <class T>
std::vector<double> doubled(const std::vector<T>& values) {
  return {values.begin(), values.end()};
}

// The kernels on each instruction set of this machine.
template <class Body>
void on_each_instruction_set(const Body& body) {
  for (const std::string& name : instruction_sets()) {
    use_instruction_set(name);
    body();
  }
}

[[noreturn]] inline void fail(const char* what, std::size_t i, double found, double exact) {
  std::fprintf(stderr, "%s on %s: element %zu is %.9g, expected %.17g\n", what, instruction_set().c_str(), i, found,
               exact);
  std::abort();
}

// The same bits; NaN equals NaN.
template <class T>
void expect_bits(const char* what, const std::vector<T>& found, const std::vector<T>& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool same = std::memcmp(&found[i], &wanted[i], sizeof(T)) == 0;
    if (!same && !(std::isnan(found[i]) && std::isnan(wanted[i]))) fail(what, i, found[i], wanted[i]);
  }
}

// Within tolerance(i) of the exact value.
template <class T, class Tolerance>
void expect_near(const char* what, const std::vector<T>& found, const std::vector<double>& exact,
                 const Tolerance& tolerance) {
  for (std::size_t i = 0; i < exact.size(); ++i)
    if (!(std::fabs(static_cast<double>(found[i]) - exact[i]) <= tolerance(i))) fail(what, i, found[i], exact[i]);
}

}  // namespace faithful::fuzz
