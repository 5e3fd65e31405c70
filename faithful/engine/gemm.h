#pragma once

// Matrix multiply for the shapes of a small Transformer, in float and double. Results do not depend on the number of
// threads: one call is one thread's work, and every sum runs over k in a fixed order.

#include <cstddef>

namespace faithful::engine {

// A matrix in memory: element (r, c) is data[r * stride + c].
template <class T>
struct View {
  T* data;
  std::size_t rows, columns, stride;

  T& operator()(std::size_t r, std::size_t c) const { return data[r * stride + c]; }
  operator View<const T>() const { return {data, rows, columns, stride}; }  // NOLINT(google-explicit-constructor)
};

enum class Form { kPlain, kTransposed };  // how a factor is read: as it stands in memory, or transposed

// What becomes of the old contents of C.
template <class T>
struct Start {
  bool add = false;         // C += A B; otherwise C = A B
  const T* bias = nullptr;  // [n], added to every row of C; with add = false only
};

// The right factor, op(B) of shape [k, n], rearranged for the kernel: panels [k, width] one after the other, the last
// one as wide as it has columns, in whole vectors with zeros behind. The width is that of the instruction set in use (16
// floats for AVX2), so packed numbers are never stored in files.
template <class T>
std::size_t packed_size(std::size_t k, std::size_t n);

// `packed` should be aligned to 64 bytes, for speed, and must hold packed_size(k, n) numbers, k and n being those of op(B).
template <class T>
void pack(View<const T> b, Form form, T* packed);

// C [m, n] = op(A) [m, k] * op(B) [k, n], B packed before: weights are packed once per step and used by all shards. C
// may have more columns than op(B), up to packed_size(1, n): these become 0.
template <class T>
void gemm_packed(View<const T> a, Form form, const T* packed, View<T> c, Start<T> start = {});

// Is op(B) as if packed already, where it lies?
template <class T>
bool lies_packed(View<const T> b, Form form);

// The same with B packed on the way into `scratch`, which holds packed_size(k, n) numbers; unless it is as if packed.
template <class T>
void gemm(View<const T> a, Form a_form, View<const T> b, Form b_form, View<T> c, T* scratch, Start<T> start = {}) {
  const bool is_packed = lies_packed(b, b_form);
  if (!is_packed) pack(b, b_form, scratch);
  gemm_packed(a, a_form, is_packed ? b.data : scratch, c, start);
}

// The same with B [k, n] read where it lies: for rows of B that overlap or follow each other closely, so that all of B
// is in the first-level cache. Reads, and does not use, up to kReadBehind numbers behind the last row of B.
inline constexpr std::size_t kReadBehind = 15;
template <class T>
void gemm_in_place(View<const T> a, Form a_form, View<const T> b, View<T> c, Start<T> start = {});

namespace reference {

// The naive twin: the definition, for tests.
template <class T>
void gemm(View<const T> a, Form a_form, View<const T> b, Form b_form, View<T> c, Start<T> start = {}) {
  const std::size_t depth = a_form == Form::kPlain ? a.columns : a.rows;
  for (std::size_t i = 0; i < c.rows; ++i) {
    for (std::size_t j = 0; j < c.columns; ++j) {
      T sum = 0;
      for (std::size_t p = 0; p < depth; ++p) {
        sum += (a_form == Form::kPlain ? a(i, p) : a(p, i)) * (b_form == Form::kPlain ? b(p, j) : b(j, p));
      }
      if (start.add) sum += c(i, j);
      if (start.bias != nullptr) sum += start.bias[j];
      c(i, j) = sum;
    }
  }
}

}  // namespace reference
}  // namespace faithful::engine
