#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faithful/base/api.h"

// The safetensors format: named arrays and a table of texts in one file.
//
//   8 bytes  N, the length of the header, little-endian, at most 100 MB
//   N bytes  JSON, starting with `{`, then spaces:
//            {"__metadata__":{"key":"text",..},"name":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},..}
//   the rest the data: every byte belongs to exactly one array
//
// Elements are little-endian, the last index runs fastest. Nothing is allocated before lengths, shapes and offsets have
// been found to agree with the size of the file.

namespace faithful {

// One array, borrowed.
struct SafetensorsEntry {
  std::string name;                // any text but "__metadata__"
  std::string dtype;               // "F32", "F64", "I64", "U8", ...: see dtype_size
  std::vector<std::size_t> shape;  // empty: one number
  std::string_view bytes;          // [product of shape * dtype_size]; not aligned in files of others
};

using SafetensorsMetadata = std::map<std::string, std::string>;

// Bytes of an element: BOOL, U8, I8, F8_E5M2, F8_E4M3 1; U16, I16, F16, BF16 2; U32, I32, F32 4; U64, I64, F64 8.
// 0: no dtype that we know.
FAITHFUL_API std::size_t dtype_size(std::string_view dtype);

// The dtype of T: float, double, std::int8_t .. std::int64_t, std::uint8_t .. std::uint64_t.
template <class T>
FAITHFUL_API std::string_view dtype_of();

template <class T>
SafetensorsEntry safetensors_entry(std::string name, std::vector<std::size_t> shape, std::span<const T> values) {
  const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  return {std::move(name), std::string(dtype_of<T>()), std::move(shape), bytes};
}

// A file that was read and found to be whole. Copies share its bytes.
class FAITHFUL_API Safetensors {
 public:
  // `file` is a whole file, kept alive by `owner` (nullptr: by the caller); `place` is used in error messages.
  Safetensors(std::string_view file, std::shared_ptr<const void> owner, std::string place);

  const std::vector<SafetensorsEntry>& entries() const { return entries_; }  // in the order of their data
  const SafetensorsMetadata& metadata() const { return metadata_; }
  const std::string& place() const { return place_; }

  const SafetensorsEntry* find(std::string_view name) const;  // nullptr where there is none
  const SafetensorsEntry& at(std::string_view name) const;    // InputError where there is none

  // The arrays that `name_in_part` gives a name, under that name. It shares the bytes and has no metadata.
  Safetensors part(const std::function<std::optional<std::string>(const std::string& name)>& name_in_part) const;

  // The elements of an array, which must be there and be of T's dtype: else InputError.
  template <class T>
  FAITHFUL_API std::vector<T> values(std::string_view name) const;

  // The same into the caller's buffer; the array must have this shape, too. out: [product of shape]
  template <class T>
  FAITHFUL_API void values_into(std::string_view name, std::span<const std::size_t> shape, std::span<T> out) const;

 private:
  explicit Safetensors(std::string place) : place_(std::move(place)) {}
  template <class T>
  const SafetensorsEntry& typed(std::string_view name) const;

  std::string place_;
  std::shared_ptr<const void> owner_;
  SafetensorsMetadata metadata_;
  std::vector<SafetensorsEntry> entries_;
  std::map<std::string, std::size_t, std::less<>> index_;  // name -> place in entries_
};

// Maps a file (a pipe is read). InputError where it is no whole safetensors file: place, what was expected, what found.
FAITHFUL_API Safetensors load_safetensors(const std::string& path);
FAITHFUL_API Safetensors parse_safetensors(std::string bytes, const std::string& place);  // keeps the bytes

// The bytes of a file: equal arrays and metadata give equal bytes, in whatever order the arrays are given. They are
// what the reference implementation writes: arrays of wide elements first (U64, I64, F64, F32, ...), then by name;
// metadata by key; spaces after the header, so that the data begins at a multiple of 8 and every element is aligned.
// InputError for a name that comes twice or is "__metadata__", for text that is not UTF-8, for a dtype that we do not
// know, and where shape and bytes disagree.
FAITHFUL_API std::string safetensors_bytes(std::span<const SafetensorsEntry> entries,
                                           const SafetensorsMetadata& metadata = {});

// The same bytes into a file, as a whole or not at all (see write_file).
FAITHFUL_API void save_safetensors(const std::string& path, std::span<const SafetensorsEntry> entries,
                                   const SafetensorsMetadata& metadata = {});

// The key of the metadata that `digest_of` leaves out, so that a file can carry its own digest.
inline constexpr std::string_view kDigestKey = "digest";

// The SHA-256, as 64 hexadecimal digits, of all that matters in a file: every key but "digest" and its text, in the
// order of keys; then every array in the order of names: name, dtype, shape and bytes. Numbers are 8 bytes,
// little-endian; a text or the bytes of an array follow their length, a list follows its count. The order of the data
// in the file, and how its header is written, do not count. A file is undamaged if
// metadata["digest"] == digest_of(entries(), metadata()).
FAITHFUL_API std::string digest_of(std::span<const SafetensorsEntry> entries, const SafetensorsMetadata& metadata);

}  // namespace faithful
