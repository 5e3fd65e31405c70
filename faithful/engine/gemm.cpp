#include "faithful/engine/gemm.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "faithful/engine/dispatch_internal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "faithful/engine/gemm.cpp"
#include <hwy/foreach_target.h>  // includes this file once for every instruction set
#include <hwy/highway.h>

// How a product is cut. The kernel keeps kTileRows x (vectors x lanes) sums in registers: 6 x 16 floats on AVX2 (12 of
// its 16 registers), 6 x 64 on AVX-512 (24 of 32). A panel of B, [kMostDepth, width], stays in the first-level cache
// while kBlockRows rows of A, in the second level, pass by.
HWY_BEFORE_NAMESPACE();
namespace faithful::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kTileRows = 6;
constexpr std::size_t kBlockRows = 12 * kTileRows;
constexpr std::size_t kMostDepth = 320;
constexpr std::size_t kPackedFrom = 129;  // columns of C: for fewer, A transposed is read where it lies (measured)
constexpr std::size_t kVectors = HWY_MAX_BYTES == 64 ? 4 : 2;
// AVX-512 stores part of a vector as fast as all of it; AVX2 does not. And its vectors are so long that a panel may end
// with half of one.
constexpr bool kMasksStores = HWY_MAX_BYTES == 64;
template <class T>
constexpr std::size_t kWidth = kVectors* HWY_LANES(T);

// The rows of op(A) of one tile; a tile at the lower edge has fewer than six.
template <class T>
struct TileRows {
  const T* data;                  // the element of the first row and the first p
  std::size_t offset[kTileRows];  // of every row from there
  std::size_t step;               // from p to p + 1
};

// One panel of B: `step` numbers from row p to row p + 1.
template <class T>
struct Panel {
  const T* data;
  std::size_t step;
};

// Numbers in a row of packed panels that have so many columns: whole vectors, and perhaps half of one behind the first.
template <class T>
constexpr std::size_t packed_columns(std::size_t columns) {
  const std::size_t rest = columns % kWidth<T>;
  const std::size_t grain = kMasksStores && rest > HWY_LANES(T) ? HWY_LANES(T) / 2 : HWY_LANES(T);
  return columns - rest + (rest + grain - 1) / grain * grain;
}

// The right factor, [k, n]: packed, or where it lies.
template <class T>
struct RightFactor {
  const T* data;
  std::size_t k;
  std::size_t stride;  // of its rows where it lies; 0: packed

  // From column j and row p on.
  Panel<T> panel(std::size_t j, std::size_t columns, std::size_t p) const {
    if (stride > 0) return {data + p * stride + j, stride};
    const std::size_t step = packed_columns<T>(columns);
    return {data + j * k + p * step, step};
  }
};

// Writes a sum to its place in C; with kPart, only the lanes before `columns`.
template <bool kPart, class D, class T>
HWY_INLINE void put_sum(D d, hn::Vec<D> sum, T* HWY_RESTRICT at, bool add, const T* bias, std::size_t columns) {
  if constexpr (kPart) {
    const auto inside = hn::FirstN(d, columns);
    if (add) sum = hn::Add(sum, hn::MaskedLoad(inside, d, at));
    if (bias != nullptr) sum = hn::Add(sum, hn::MaskedLoad(inside, d, bias));
    hn::BlendedStore(sum, inside, d, at);
  } else {
    if (add) sum = hn::Add(sum, hn::LoadU(d, at));
    if (bias != nullptr) sum = hn::Add(sum, hn::LoadU(d, bias));
    hn::StoreU(sum, d, at);
  }
}

// C tile [kRows, width] (+)= rows of A times one panel of B, or its first kUsed vectors and, with kHalf, half of the
// next; with kPart, of the last of these only the lanes that `columns` leaves. Sums of an element run over p in the same
// order whatever the number of rows and vectors.
template <class T, std::size_t kRows, std::size_t kUsed = kVectors, bool kHalf = false, bool kPart = false>
HWY_INLINE void multiply_tile(std::size_t depth, const TileRows<T>& rows, Panel<T> b_panel, T* HWY_RESTRICT c,
                              std::size_t c_stride, bool add, const T* bias, std::size_t columns = 0) {
  const hn::ScalableTag<T> d;
  const hn::Half<decltype(d)> half;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kLanes = HWY_LANES(T);
  V sums[kRows][kUsed];
  hn::Vec<decltype(half)> rest[kRows];
  HWY_UNROLL(6)
  for (std::size_t r = 0; r < kRows; ++r) {
    rest[r] = hn::Zero(half);
    HWY_UNROLL(4)
    for (std::size_t v = 0; v < kUsed; ++v) sums[r][v] = hn::Zero(d);
  }
  const T* HWY_RESTRICT a = rows.data;
  const T* HWY_RESTRICT panel = b_panel.data;
  for (std::size_t p = 0; p < depth; ++p, a += rows.step, panel += b_panel.step) {
    V b[kUsed];
    HWY_UNROLL(4)
    for (std::size_t v = 0; v < kUsed; ++v) b[v] = hn::LoadU(d, panel + v * kLanes);
    const auto b_rest = kHalf ? hn::LoadU(half, panel + kUsed * kLanes) : hn::Zero(half);
    HWY_UNROLL(6)
    for (std::size_t r = 0; r < kRows; ++r) {
      if (kHalf) rest[r] = hn::MulAdd(hn::Set(half, a[rows.offset[r]]), b_rest, rest[r]);
      const V factor = hn::Set(d, a[rows.offset[r]]);
      HWY_UNROLL(4)
      for (std::size_t v = 0; v < kUsed; ++v) sums[r][v] = hn::MulAdd(factor, b[v], sums[r][v]);
    }
  }
  constexpr std::size_t kLast = kHalf ? kUsed : kUsed - 1;
  const auto bias_at = [bias](std::size_t column) { return bias == nullptr ? nullptr : bias + column; };
  HWY_UNROLL(6)
  for (std::size_t r = 0; r < kRows; ++r) {
    T* at = c + r * c_stride;
    HWY_UNROLL(4)
    for (std::size_t v = 0; v < kLast; ++v)
      put_sum<false>(d, sums[r][v], at + v * kLanes, add, bias_at(v * kLanes), kLanes);
    T* last = at + kLast * kLanes;
    if constexpr (kHalf) {
      put_sum<kPart>(half, rest[r], last, add, bias_at(kLast * kLanes), columns - kLast * kLanes);
    } else {
      put_sum<kPart>(d, sums[r][kLast], last, add, bias_at(kLast * kLanes), columns - kLast * kLanes);
    }
  }
}

// The same for the rows that are left at the lower edge.
template <class T>
HWY_NOINLINE void multiply_rows(std::size_t count, std::size_t depth, const TileRows<T>& rows, Panel<T> panel, T* c,
                                std::size_t c_stride, bool add, const T* bias) {
  static_assert(kTileRows == 6);
  switch (count) {
    case 1:
      return multiply_tile<T, 1>(depth, rows, panel, c, c_stride, add, bias);
    case 2:
      return multiply_tile<T, 2>(depth, rows, panel, c, c_stride, add, bias);
    case 3:
      return multiply_tile<T, 3>(depth, rows, panel, c, c_stride, add, bias);
    case 4:
      return multiply_tile<T, 4>(depth, rows, panel, c, c_stride, add, bias);
    case 5:
      return multiply_tile<T, 5>(depth, rows, panel, c, c_stride, add, bias);
    default:
      return multiply_tile<T, 6>(depth, rows, panel, c, c_stride, add, bias);
  }
}

// A tile at the right edge has no more vectors than it has columns for. One that has all rows and fills its vectors (or
// stores part of one fast) is written in place. Others go through a whole tile beside it; rows that are missing repeat
// the last one.
template <class T, std::size_t kUsed, bool kHalf = false>
HWY_NOINLINE void multiply_edge(std::size_t depth, TileRows<T> rows, Panel<T> panel, View<T> c, bool add,
                                const T* bias) {
  if (c.rows == kTileRows) {
    if (c.columns == kUsed * HWY_LANES(T) + (kHalf ? HWY_LANES(T) / 2 : 0))
      return multiply_tile<T, kTileRows, kUsed, kHalf>(depth, rows, panel, c.data, c.stride, add, bias);
    if constexpr (kMasksStores)
      return multiply_tile<T, kTileRows, kUsed, kHalf, true>(depth, rows, panel, c.data, c.stride, add, bias,
                                                             c.columns);
  }
  for (std::size_t r = c.rows; r < kTileRows; ++r) rows.offset[r] = rows.offset[c.rows - 1];
  alignas(64) T tile[kTileRows * kWidth<T>];
  alignas(64) T whole_bias[kWidth<T>];
  if (add) {
    for (std::size_t i = 0; i < c.rows; ++i) std::memcpy(tile + i * kWidth<T>, &c(i, 0), c.columns * sizeof(T));
  }
  if (bias != nullptr) bias = static_cast<const T*>(std::memcpy(whole_bias, bias, c.columns * sizeof(T)));
  multiply_tile<T, kTileRows, kUsed, kHalf>(depth, rows, panel, tile, kWidth<T>, add, bias);
  for (std::size_t i = 0; i < c.rows; ++i) std::memcpy(&c(i, 0), tile + i * kWidth<T>, c.columns * sizeof(T));
}

template <class T>
void multiply_right_edge(std::size_t depth, const TileRows<T>& rows, Panel<T> panel, View<T> c, bool add,
                         const T* bias) {
  static_assert(kVectors <= 4);
  const std::size_t used = (c.columns + HWY_LANES(T) - 1) / HWY_LANES(T);
  if constexpr (kMasksStores) {
    if (used > 1 && c.columns <= used * HWY_LANES(T) - HWY_LANES(T) / 2) {
      if (used == 2) return multiply_edge<T, 1, true>(depth, rows, panel, c, add, bias);
      if (used == 3) return multiply_edge<T, 2, true>(depth, rows, panel, c, add, bias);
      return multiply_edge<T, 3, true>(depth, rows, panel, c, add, bias);
    }
  }
  if (used == 1) return multiply_edge<T, 1>(depth, rows, panel, c, add, bias);
  if (used == 2) return multiply_edge<T, 2>(depth, rows, panel, c, add, bias);
  if (used == 3) return multiply_edge<T, std::min<std::size_t>(3, kVectors)>(depth, rows, panel, c, add, bias);
  return multiply_edge<T, kVectors>(depth, rows, panel, c, add, bias);
}

// Rows first..first+count-1 of op(A) and columns p0..p0+depth-1, transposed A, as [ceil(count / 6), depth, 6]. What is
// missing of the last six is left as it is: no tile reads it.
template <class T>
void pack_rows(View<const T> a, std::size_t first, std::size_t count, std::size_t p0, std::size_t depth, T* packed) {
  constexpr std::size_t kCopy = 8;  // one move; its last two numbers are overwritten by the next p
  for (std::size_t p = 0; p < depth; ++p) {
    const T* from = &a(p0 + p, first);
    T* to = packed + p * kTileRows;
    std::size_t i = 0;
    if (p + 1 < depth) {
      for (; i + kCopy <= count; i += kTileRows, to += depth * kTileRows) std::memcpy(to, from + i, kCopy * sizeof(T));
    }
    for (; i + kTileRows <= count; i += kTileRows, to += depth * kTileRows) {
      std::memcpy(to, from + i, kTileRows * sizeof(T));
    }
    for (std::size_t r = 0; i + r < count; ++r) to[r] = from[i + r];
  }
}

// One block of rows against all panels, from row p0 of B on.
template <class T>
void multiply_block(TileRows<T> rows, std::size_t tile_stride, std::size_t depth, const RightFactor<T>& b,
                    std::size_t p0, View<T> c, bool add, const T* bias) {
  const TileRows<T> first = rows;
  for (std::size_t j = 0; j < c.columns; j += kWidth<T>) {
    const std::size_t columns = std::min(kWidth<T>, c.columns - j);
    const Panel<T> panel = b.panel(j, columns, p0);
    const T* panel_bias = bias == nullptr ? nullptr : bias + j;
    rows.data = first.data;
    for (std::size_t i = 0; i < c.rows; i += kTileRows, rows.data += tile_stride) {
      const std::size_t here = std::min(kTileRows, c.rows - i);
      T* at = &c(i, j);
      if (columns < kWidth<T>) {
        multiply_right_edge<T>(depth, rows, panel, {at, here, columns, c.stride}, add, panel_bias);
      } else if (here < kTileRows) {
        multiply_rows<T>(here, depth, rows, panel, at, c.stride, add, panel_bias);
      } else {
        multiply_tile<T, kTileRows>(depth, rows, panel, at, c.stride, add, panel_bias);
      }
    }
  }
}

template <class T>
void multiply(View<const T> a, Form form, const RightFactor<T>& b, View<T> c, Start<T> start) {
  const bool plain = form == Form::kPlain;
  const std::size_t k = b.k;
  const std::size_t blocks = std::max<std::size_t>(1, (k + kMostDepth - 1) / kMostDepth);
  const std::size_t most_depth = (k + blocks - 1) / blocks;
  alignas(64) T block_of_a[kBlockRows * kMostDepth];
  for (std::size_t p0 = 0; p0 < std::max<std::size_t>(k, 1); p0 += std::max<std::size_t>(most_depth, 1)) {
    const std::size_t depth = std::min(most_depth, k - p0);
    const bool add = start.add || p0 > 0;
    const T* bias = p0 == 0 ? start.bias : nullptr;
    for (std::size_t i0 = 0; i0 < c.rows; i0 += kBlockRows) {
      const std::size_t count = std::min(kBlockRows, c.rows - i0);
      TileRows<T> rows;
      std::size_t tile_stride;
      if (plain) {
        rows = {a.data + i0 * a.stride + p0, {}, 1};  // data may be null for an empty sum
        for (std::size_t r = 0; r < kTileRows; ++r) rows.offset[r] = r * a.stride;
        tile_stride = kTileRows * a.stride;
      } else if (c.columns < kPackedFrom) {
        rows = {a.data + p0 * a.stride + i0, {0, 1, 2, 3, 4, 5}, a.stride};
        tile_stride = kTileRows;
      } else {
        pack_rows(a, i0, count, p0, depth, block_of_a);
        rows = {block_of_a, {0, 1, 2, 3, 4, 5}, kTileRows};
        tile_stride = kTileRows * depth;
      }
      multiply_block<T>(rows, tile_stride, depth, b, p0, {&c(i0, 0), count, c.columns, c.stride}, add, bias);
    }
  }
}

template <class T>
void multiply_packed(View<const T> a, Form form, const T* packed, View<T> c, Start<T> start) {
  multiply<T>(a, form, {packed, form == Form::kPlain ? a.columns : a.rows, 0}, c, start);
}

template <class T>
void multiply_in_place(View<const T> a, Form form, View<const T> b, View<T> c, Start<T> start) {
  multiply<T>(a, form, {b.data, b.rows, b.stride}, c, start);
}

#if HWY_TARGET != HWY_SCALAR
// Four rows of B and four columns become four rows of a panel.
template <class T>
HWY_INLINE void transpose_4x4(const T* from, std::size_t stride, T* to, std::size_t to_stride) {
  const hn::FixedTag<T, 4> d;
  const auto r0 = hn::LoadU(d, from), r1 = hn::LoadU(d, from + stride);
  const auto r2 = hn::LoadU(d, from + 2 * stride), r3 = hn::LoadU(d, from + 3 * stride);
  const auto even_low = hn::InterleaveLower(d, r0, r2), odd_low = hn::InterleaveLower(d, r1, r3);
  const auto even_high = hn::InterleaveUpper(d, r0, r2), odd_high = hn::InterleaveUpper(d, r1, r3);
  hn::StoreU(hn::InterleaveLower(d, even_low, odd_low), d, to);
  hn::StoreU(hn::InterleaveUpper(d, even_low, odd_low), d, to + to_stride);
  hn::StoreU(hn::InterleaveLower(d, even_high, odd_high), d, to + 2 * to_stride);
  hn::StoreU(hn::InterleaveUpper(d, even_high, odd_high), d, to + 3 * to_stride);
}
#endif

// A panel [k, step] of Bᵀ: `columns` rows of B from `from` on, the rest zero.
template <class T>
void pack_transposed_panel(const T* from, std::size_t stride, std::size_t columns, std::size_t k, T* to) {
  const std::size_t step = packed_columns<T>(columns);
  std::size_t block_columns = 0, block_k = 0;  // what goes in blocks of four by four
#if HWY_TARGET != HWY_SCALAR
  if constexpr (sizeof(T) == 4) {
    block_columns = columns / 4 * 4;
    block_k = k / 4 * 4;
    for (std::size_t c = 0; c < block_columns; c += 4) {
      for (std::size_t p = 0; p < block_k; p += 4) {
        transpose_4x4(from + c * stride + p, stride, to + p * step + c, step);
      }
    }
  }
#endif
  for (std::size_t p = 0; p < k; ++p) {
    T* row = to + p * step;
    for (std::size_t c = p < block_k ? block_columns : 0; c < columns; ++c) row[c] = from[c * stride + p];
    for (std::size_t c = columns; c < step; ++c) row[c] = 0;
  }
}

// A panel [k, step] of B.
template <class T>
void pack_panel(const T* from, std::size_t stride, std::size_t columns, std::size_t k, T* to) {
  const std::size_t step = packed_columns<T>(columns);
  for (std::size_t p = 0; p < k; ++p, from += stride, to += step) {
    if (columns == kWidth<T>) {
      std::memcpy(to, from, kWidth<T> * sizeof(T));
    } else {
      std::memcpy(to, from, columns * sizeof(T));
      for (std::size_t c = columns; c < step; ++c) to[c] = 0;
    }
  }
}

template <class T>
void rearrange(View<const T> b, Form form, T* packed) {
  const bool plain = form == Form::kPlain;
  const std::size_t k = plain ? b.rows : b.columns, n = plain ? b.columns : b.rows;
  for (std::size_t j = 0; j < n; j += kWidth<T>, packed += k * kWidth<T>) {
    const std::size_t columns = std::min(kWidth<T>, n - j);
    if (plain) {
      pack_panel(b.data + j, b.stride, columns, k, packed);
    } else {
      pack_transposed_panel(b.data + j * b.stride, b.stride, columns, k, packed);
    }
  }
}

// Numbers in a row of all panels of n columns.
std::size_t packed_row_float(std::size_t n) {
  return packed_columns<float>(n);
}
std::size_t packed_row_double(std::size_t n) {
  return packed_columns<double>(n);
}
// Whether n columns are one panel without anything behind them.
bool is_panel_float(std::size_t n) {
  return n <= kWidth<float> && packed_columns<float>(n) == n;
}
bool is_panel_double(std::size_t n) {
  return n <= kWidth<double> && packed_columns<double>(n) == n;
}
void multiply_float(View<const float> a, Form form, const float* packed, View<float> c, Start<float> start) {
  multiply_packed(a, form, packed, c, start);
}
void multiply_double(View<const double> a, Form form, const double* packed, View<double> c, Start<double> start) {
  multiply_packed(a, form, packed, c, start);
}
void in_place_float(View<const float> a, Form form, View<const float> b, View<float> c, Start<float> start) {
  multiply_in_place(a, form, b, c, start);
}
void in_place_double(View<const double> a, Form form, View<const double> b, View<double> c, Start<double> start) {
  multiply_in_place(a, form, b, c, start);
}
void rearrange_float(View<const float> b, Form form, float* packed) {
  rearrange(b, form, packed);
}
void rearrange_double(View<const double> b, Form form, double* packed) {
  rearrange(b, form, packed);
}

}  // namespace faithful::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace faithful::engine {

HWY_EXPORT(packed_row_float);
HWY_EXPORT(packed_row_double);
HWY_EXPORT(is_panel_float);
HWY_EXPORT(is_panel_double);
HWY_EXPORT(multiply_float);
HWY_EXPORT(multiply_double);
HWY_EXPORT(in_place_float);
HWY_EXPORT(in_place_double);
HWY_EXPORT(rearrange_float);
HWY_EXPORT(rearrange_double);

template <class T>
std::size_t packed_size(std::size_t k, std::size_t n) {
  if constexpr (sizeof(T) == sizeof(float)) {
    return FAITHFUL_KERNEL(packed_row_float)(n) * k;
  } else {
    return FAITHFUL_KERNEL(packed_row_double)(n) * k;
  }
}
template std::size_t packed_size<float>(std::size_t, std::size_t);
template std::size_t packed_size<double>(std::size_t, std::size_t);

template <class T>
bool lies_packed(View<const T> b, Form form) {
  if (form != Form::kPlain || b.stride != b.columns) return false;
  if constexpr (sizeof(T) == sizeof(float)) {
    return FAITHFUL_KERNEL(is_panel_float)(b.columns);
  } else {
    return FAITHFUL_KERNEL(is_panel_double)(b.columns);
  }
}
template bool lies_packed(View<const float>, Form);
template bool lies_packed(View<const double>, Form);

template <>
void pack(View<const float> b, Form form, float* packed) {
  FAITHFUL_KERNEL(rearrange_float)(b, form, packed);
}
template <>
void pack(View<const double> b, Form form, double* packed) {
  FAITHFUL_KERNEL(rearrange_double)(b, form, packed);
}

template <>
void gemm_packed(View<const float> a, Form form, const float* packed, View<float> c, Start<float> start) {
  assert(c.rows == (form == Form::kPlain ? a.rows : a.columns));
  HWY_DYNAMIC_DISPATCH(multiply_float)(a, form, packed, c, start);
}
template <>
void gemm_packed(View<const double> a, Form form, const double* packed, View<double> c, Start<double> start) {
  assert(c.rows == (form == Form::kPlain ? a.rows : a.columns));
  HWY_DYNAMIC_DISPATCH(multiply_double)(a, form, packed, c, start);
}

template <>
void gemm_in_place(View<const float> a, Form form, View<const float> b, View<float> c, Start<float> start) {
  assert(c.columns == b.columns && b.rows == (form == Form::kPlain ? a.columns : a.rows));
  FAITHFUL_KERNEL(in_place_float)(a, form, b, c, start);
}
template <>
void gemm_in_place(View<const double> a, Form form, View<const double> b, View<double> c, Start<double> start) {
  assert(c.columns == b.columns && b.rows == (form == Form::kPlain ? a.columns : a.rows));
  FAITHFUL_KERNEL(in_place_double)(a, form, b, c, start);
}

}  // namespace faithful::engine
#endif
