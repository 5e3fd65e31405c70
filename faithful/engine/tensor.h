#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "faithful/engine/gemm.h"

namespace faithful::engine {

// Up to four sizes; the last one is the width of a row.
class Shape {
 public:
  static constexpr std::size_t kMostSizes = 4;

  Shape() = default;
  Shape(std::initializer_list<std::size_t> sizes) : rank_(sizes.size()) {  // NOLINT(google-explicit-constructor)
    assert(rank_ <= kMostSizes);
    std::size_t i = 0;
    for (const std::size_t size : sizes) sizes_[i++] = size;
  }

  std::size_t rank() const { return rank_; }
  std::size_t operator[](std::size_t i) const { return sizes_[i]; }
  std::size_t width() const { return rank_ == 0 ? 1 : sizes_[rank_ - 1]; }
  std::size_t rows() const {
    std::size_t product = 1;
    for (std::size_t i = 0; i + 1 < rank_; ++i) product *= sizes_[i];
    return product;
  }
  std::size_t count() const { return rows() * width(); }

  // The same rows, another width.
  Shape with_width(std::size_t width) const {
    Shape other = *this;
    if (other.rank_ == 0) other.rank_ = 1;
    other.sizes_[other.rank_ - 1] = width;
    return other;
  }

  // The same but for the size before the last.
  Shape with_positions(std::size_t positions) const {
    assert(rank_ >= 2);
    Shape other = *this;
    other.sizes_[rank_ - 2] = positions;
    return other;
  }

  bool operator==(const Shape&) const = default;

 private:
  std::array<std::size_t, kMostSizes> sizes_{};
  std::size_t rank_ = 0;
};

// A shaped view of numbers that somebody else owns: an arena, the parameters or the caller. Rows lie `stride` apart,
// which is the width unless the tensor is a column range of a wider one.
template <class T>
struct Tensor {
  T* data = nullptr;
  Shape shape;
  std::size_t stride = 0;
  std::uint32_t slot = 0;  // its place on the tape

  explicit operator bool() const { return data != nullptr; }
  std::size_t rows() const { return shape.rows(); }
  std::size_t width() const { return shape.width(); }
  T* row(std::size_t r) const { return data + r * stride; }
  View<T> view() const { return {data, rows(), width(), stride}; }
  bool contiguous() const { return stride == width(); }
};

}  // namespace faithful::engine
