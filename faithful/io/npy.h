#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"

// NumPy's file of one array (.npy, formats 1.0, 2.0 and 3.0): numbers of every size and byte order, C or Fortran order.
// Nothing is allocated before the header, the shape and the size of the file have been found to agree.

namespace faithful {

// The type of an element, as in NumPy's '<f4': kind f (2, 4, 8 bytes), i and u (1, 2, 4, 8), b (1).
struct NpyType {
  char kind = 'f';
  std::size_t size = 8;  // bytes
  bool big_endian = false;

  bool operator==(const NpyType&) const = default;
};
FAITHFUL_API std::string to_string(const NpyType& type);  // '<f4', '|u1'

// The type of T as this machine stores it: float, double, std::int8_t .. std::int64_t, std::uint8_t .. std::uint64_t,
// bool.
template <class T>
FAITHFUL_API NpyType npy_type();

struct NpyHeader {
  NpyType type;
  bool fortran_order = false;      // the first index runs fastest
  std::vector<std::size_t> shape;  // empty: one number
  std::size_t data_offset = 0;     // of the first element in the file

  std::size_t count() const;  // of elements: the product of the shape
};

// Reads the header of a whole file and checks it against the file's size; `name` is used in error messages.
FAITHFUL_API NpyHeader parse_npy_header(std::string_view file, const std::string& name);

// An array of a file, not yet converted; it keeps the bytes of the file, or its inflated bytes.
class FAITHFUL_API NpyArray {
 public:
  // `file` is a whole .npy file, kept alive by `owner`.
  NpyArray(std::string_view file, std::shared_ptr<const void> owner, const std::string& name);

  const NpyType& type() const { return header_.type; }
  const std::vector<std::size_t>& shape() const { return header_.shape; }
  bool fortran_order() const { return header_.fortran_order; }
  std::size_t count() const { return header_.count(); }
  const std::string& name() const { return name_; }

  // The elements in C order, converted to T: float, double or std::int64_t. To float and double each element is
  // rounded; to std::int64_t it must fit exactly, else InputError.
  template <class T>
  FAITHFUL_API std::vector<T> to_vector() const;

  // A 2-D array as it is, a 1-D array as one column, [n, 1]; InputError for other shapes and for empty ones.
  FAITHFUL_API Matrix<double> to_matrix() const;

 private:
  NpyHeader header_;
  std::string_view data_;  // [count * type.size]
  std::shared_ptr<const void> owner_;
  std::string name_;
};

FAITHFUL_API NpyArray load_npy(const std::string& path);

// Elements to be written, borrowed, in C order.
struct NpyView {
  NpyType type;
  std::vector<std::size_t> shape;
  std::string_view data;  // [product of shape * type.size]
};
template <class T>
NpyView npy_view(std::vector<std::size_t> shape, std::span<const T> values) {
  return {npy_type<T>(), std::move(shape), {reinterpret_cast<const char*>(values.data()), values.size_bytes()}};
}
template <class T>
NpyView npy_view(const Matrix<T>& matrix) {
  return npy_view<T>({matrix.rows, matrix.columns}, matrix.values);
}

// The header that np.save writes, to the byte; the file is the header and then the data.
FAITHFUL_API std::string npy_header_bytes(const NpyView& array);
FAITHFUL_API std::string npy_bytes(const NpyView& array);
FAITHFUL_API void save_npy(const std::string& path, const NpyView& array);

// A shape as NumPy prints it: (3, 4), (5,), ().
FAITHFUL_API std::string shape_text(std::span<const std::size_t> shape);

}  // namespace faithful
