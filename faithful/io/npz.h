#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/io/npy.h"

// NumPy's file of several named arrays: a zip archive of .npy files, stored or deflated, of any size (zip64).

namespace faithful {

struct NpzLimits {
  std::size_t most_arrays = 100'000;
  std::size_t longest_name = 1'000;  // bytes
  std::size_t most_inflated = 0;     // bytes of all deflated arrays together; 0: inflated_limit() of the file's size
};

// The arrays of a file by name. The archive is checked as a whole when it is opened: every entry lies inside the file,
// no two overlap, no name stands twice. An array's bytes are checked (CRC-32) when it is loaded.
class FAITHFUL_API NpzFile {
 public:
  explicit NpzFile(const std::string& path, const NpzLimits& limits = {});
  // The same from bytes that the caller keeps while this and its arrays live; `name` is used in error messages.
  NpzFile(std::string_view bytes, const std::string& name, const NpzLimits& limits = {});
  ~NpzFile();
  NpzFile(NpzFile&&) noexcept;
  NpzFile& operator=(NpzFile&&) noexcept;

  const std::vector<std::string>& names() const;  // in the file's order, without .npy
  bool has(std::string_view name) const;
  NpyArray array(
      std::string_view name) const;  // InputError where there is none; stored ones share the bytes of the file

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// All arrays of a file, in its order.
FAITHFUL_API std::vector<std::pair<std::string, NpyArray>> load_npz(const std::string& path,
                                                                    const NpzLimits& limits = {});

struct NamedArray {
  std::string name;  // without .npy
  NpyView array;
};

struct NpzOptions {
  bool compress = false;  // deflate, as np.savez_compressed
  // An entry or offset of at least this size gets a zip64 field; smaller only in tests.
  std::uint64_t zip64_from = 0xFFFFFFFF;
};

// The same arrays give the same bytes: the time in the archive is always 1980-01-01.
FAITHFUL_API void save_npz(const std::string& path, std::span<const NamedArray> arrays, const NpzOptions& options = {});

}  // namespace faithful
