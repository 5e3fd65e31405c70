#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace faithful {

// A dense table of numbers, row after row in one array.
template <class T>
struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<T> values;  // [rows, columns]

  Matrix() = default;
  Matrix(std::size_t row_count, std::size_t column_count, T value = T{})
      : rows(row_count), columns(column_count), values(row_count * column_count, value) {}
  Matrix(std::size_t row_count, std::size_t column_count, std::vector<T> all)
      : rows(row_count), columns(column_count), values(std::move(all)) {
    assert(values.size() == rows * columns);
  }

  T& operator()(std::size_t r, std::size_t c) { return values[r * columns + c]; }
  const T& operator()(std::size_t r, std::size_t c) const { return values[r * columns + c]; }
  std::span<T> row(std::size_t r) { return std::span(values).subspan(r * columns, columns); }
  std::span<const T> row(std::size_t r) const { return std::span(values).subspan(r * columns, columns); }

  bool operator==(const Matrix&) const = default;
};

}  // namespace faithful
