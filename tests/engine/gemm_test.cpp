#include "faithful/engine/gemm.h"

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "faithful/base/random.h"
#include "tests/engine/oracle_blas.h"

namespace faithful::engine {
namespace {

struct Case {
  std::size_t m, n, k;
};

// Sizes around the tile (6 rows, 8 to 64 columns), the block of rows (72), the depth of a pass (320), and primes.
const std::vector<Case> kCases = {
    {1, 1, 1},    {1, 16, 1},     {2, 3, 5},     {6, 16, 8},     {7, 17, 9},    {5, 15, 31},
    {12, 32, 3},  {13, 67, 11},   {72, 16, 64},  {73, 65, 38},   {1, 1, 321},   {3, 100, 640},
    {19, 5, 641}, {100, 100, 16}, {144, 128, 1}, {97, 101, 103}, {13, 129, 37}, {80, 150, 330},
    {6, 160, 7},  {1, 200, 2},    {12, 63, 9},   {6, 21, 31},    {18, 126, 7},  // on both sides of where A transposed is packed
    {7, 24, 9},   {12, 40, 5},    {6, 50, 13},   {5, 72, 4}};                   // panels that end with half a vector

template <class T>
std::vector<T> numbers(std::size_t count, std::uint64_t stream) {
  Random random(5, stream);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(random.uniform(-1, 1));
  return values;
}

// A 64-byte aligned buffer: what the arena gives in the product.
template <class T>
struct Packed {
  explicit Packed(std::size_t count) : all(count + 64 / sizeof(T)) {}
  T* data() { return reinterpret_cast<T*>((reinterpret_cast<std::uintptr_t>(all.data()) + 63) / 64 * 64); }
  std::vector<T> all;
};

// Our product in every form, with strides wider than the rows, against the naive twin.
template <class T>
void compare_with_reference() {
  const double epsilon = std::numeric_limits<T>::epsilon();
  for (const auto& [m, n, k] : kCases) {
    for (const Form a_form : {Form::kPlain, Form::kTransposed}) {
      for (const Form b_form : {Form::kPlain, Form::kTransposed}) {
        const auto [a_rows, a_columns] = a_form == Form::kPlain ? std::pair(m, k) : std::pair(k, m);
        const auto [b_rows, b_columns] = b_form == Form::kPlain ? std::pair(k, n) : std::pair(n, k);
        const std::size_t a_stride = a_columns + 3, b_stride = b_columns + 1, c_stride = n + 2;
        const std::vector<T> a = numbers<T>(a_rows * a_stride, 1), b = numbers<T>(b_rows * b_stride, 2);
        const std::vector<T> old = numbers<T>(m * c_stride, 3), bias = numbers<T>(n, 4);
        for (const Start<T> start : {Start<T>{}, Start<T>{true, nullptr}, Start<T>{false, bias.data()}}) {
          std::vector<T> ours = old, naive = old;
          Packed<T> scratch(packed_size<T>(k, n));
          const View<const T> a_view{a.data(), a_rows, a_columns, a_stride},
              b_view{b.data(), b_rows, b_columns, b_stride};
          gemm<T>(a_view, a_form, b_view, b_form, {ours.data(), m, n, c_stride}, scratch.data(), start);
          reference::gemm<T>(a_view, a_form, b_view, b_form, {naive.data(), m, n, c_stride}, start);
          for (std::size_t i = 0; i < ours.size(); ++i) {
            const bool inside = i % c_stride < n;
            ASSERT_NEAR(ours[i], naive[i], inside ? epsilon * static_cast<double>(k + 2) : 0)
                << m << " x " << n << " x " << k << " at " << i;
          }
        }
      }
    }
  }
}

TEST(Gemm, FloatEqualsTheNaiveProductInEveryForm) {
  compare_with_reference<float>();
}
TEST(Gemm, DoubleEqualsTheNaiveProductInEveryForm) {
  compare_with_reference<double>();
}

// Rows of B that overlap, as those of a convolution do, and what lies behind them is no number.
template <class T>
void compare_in_place_with_reference() {
  for (const auto& [m, n, k] : kCases) {
    for (const Form form : {Form::kPlain, Form::kTransposed}) {
      for (const std::size_t b_stride : {std::size_t{1}, n, n + 3}) {
        const auto [a_rows, a_columns] = form == Form::kPlain ? std::pair(m, k) : std::pair(k, m);
        const std::vector<T> a = numbers<T>(m * k, 1), old = numbers<T>(m * (n + 2), 3);
        std::vector<T> b = numbers<T>((k - 1) * b_stride + n, 2);
        b.resize(b.size() + kReadBehind, std::numeric_limits<T>::quiet_NaN());
        for (const bool add : {false, true}) {
          std::vector<T> ours = old, naive = old;
          const View<const T> a_view{a.data(), a_rows, a_columns, a_columns}, b_view{b.data(), k, n, b_stride};
          gemm_in_place<T>(a_view, form, b_view, {ours.data(), m, n, n + 2}, {.add = add});
          reference::gemm<T>(a_view, form, b_view, Form::kPlain, {naive.data(), m, n, n + 2}, {.add = add});
          for (std::size_t i = 0; i < ours.size(); ++i) {
            const double bound = std::numeric_limits<T>::epsilon() * static_cast<double>(k + 2);
            ASSERT_NEAR(ours[i], naive[i], i % (n + 2) < n ? bound : 0) << m << " x " << n << " x " << k << " at " << i;
          }
        }
      }
    }
  }
}

TEST(Gemm, ReadsTheRightFactorInPlace) {
  compare_in_place_with_reference<float>();
  compare_in_place_with_reference<double>();
}

// Packed once and read as if packed: the same bits.
TEST(Gemm, AFactorAsWideAsAPanelNeedsNoPacking) {
  const std::size_t n = packed_size<float>(1, 1), m = 7, k = 11;
  EXPECT_TRUE(lies_packed(View<const float>{nullptr, k, n, n}, Form::kPlain));
  EXPECT_FALSE(lies_packed(View<const float>{nullptr, k, n, n + 1}, Form::kPlain));
  EXPECT_FALSE(lies_packed(View<const float>{nullptr, k, n, n}, Form::kTransposed));
  EXPECT_FALSE(lies_packed(View<const float>{nullptr, k, 1024, 1024}, Form::kPlain));
  const std::vector<float> a = numbers<float>(m * k, 1), b = numbers<float>(k * n, 2);
  Packed<float> packed(packed_size<float>(k, n)), unused(packed_size<float>(k, n));
  std::vector<float> expected(m * n), ours(m * n);
  pack<float>({b.data(), k, n, n}, Form::kPlain, packed.data());
  gemm_packed<float>({a.data(), m, k, k}, Form::kPlain, packed.data(), {expected.data(), m, n, n});
  gemm<float>({a.data(), m, k, k}, Form::kPlain, {b.data(), k, n, n}, Form::kPlain, {ours.data(), m, n, n},
              unused.data());
  EXPECT_EQ(ours, expected);
}

TEST(Gemm, AnEmptySumIsTheBias) {
  const float bias[] = {1, 2, 3};
  float c[] = {7, 7, 7, 7, 7, 7}, packed[64] = {};
  gemm_packed<float>({nullptr, 2, 0, 0}, Form::kPlain, packed, {c, 2, 3, 3}, {false, bias});
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(c[i], bias[i % 3]);
}

TEST(Gemm, ColumnsBehindTheLastBecomeZero) {
  for (const std::size_t m : {1, 4, 6, 13}) {
    constexpr std::size_t n = 21, k = 5;
    const std::size_t padded = packed_size<float>(1, n);
    const std::vector<float> a = numbers<float>(m * k, 1), b = numbers<float>(k * n, 2);
    Packed<float> packed(packed_size<float>(k, n));
    std::vector<float> exact(m * n), wide(m * padded, 7.0F);
    gemm<float>({a.data(), m, k, k}, Form::kPlain, {b.data(), k, n, n}, Form::kPlain, {exact.data(), m, n, n},
                packed.data());
    gemm_packed<float>({a.data(), m, k, k}, Form::kPlain, packed.data(), {wide.data(), m, padded, padded});
    for (std::size_t i = 0; i < wide.size(); ++i) {
      const std::size_t column = i % padded;
      EXPECT_EQ(wide[i], column < n ? exact[i / padded * n + column] : 0.0F);
    }
  }
}

TEST(Gemm, SmallIntegersAreExact) {
  // 1 + 2 + ... + k in every cell, exact in float.
  constexpr std::size_t m = 11, n = 19, k = 700;
  std::vector<float> a(m * k), b(k * n, 1.0F), c(m * n);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t p = 0; p < k; ++p) a[i * k + p] = static_cast<float>(p + 1);
  }
  Packed<float> scratch(packed_size<float>(k, n));
  gemm<float>({a.data(), m, k, k}, Form::kPlain, {b.data(), k, n, n}, Form::kPlain, {c.data(), m, n, n},
              scratch.data());
  for (const float value : c) EXPECT_EQ(value, 700 * 701 / 2);
}

// oneDNN and OpenBLAS, where they are installed.
TEST(Gemm, AgreesWithOtherLibraries) {
  std::size_t compared = 0;
  for (const auto& [name, sgemm] : oracle_sgemms()) {
    for (const auto& [m, n, k] : kCases) {
      const std::vector<float> a = numbers<float>(m * k, 1), b = numbers<float>(k * n, 2);
      std::vector<float> ours(m * n), theirs(m * n);
      Packed<float> scratch(packed_size<float>(k, n));
      gemm<float>({a.data(), m, k, k}, Form::kPlain, {b.data(), k, n, n}, Form::kPlain, {ours.data(), m, n, n},
                  scratch.data());
      sgemm(m, n, k, a.data(), b.data(), theirs.data());
      for (std::size_t i = 0; i < ours.size(); ++i) {
        ASSERT_NEAR(ours[i], theirs[i], 1.2e-7 * static_cast<double>(k + 2))
            << name << ' ' << m << ' ' << n << ' ' << k;
      }
      ++compared;
    }
  }
  if (compared == 0) GTEST_SKIP() << "neither libdnnl-dev nor libopenblas-dev is installed";
}

}  // namespace
}  // namespace faithful::engine
