#include "faithful/io/safetensors.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/io/file.h"
#include "faithful/io/json.h"
#include "faithful/io/npy.h"
#include "faithful/io/safetensors_internal.h"

namespace faithful {

namespace {

constexpr std::size_t kDeepestHeader = 3;  // a shape, in an array's description, in the table of arrays

struct Dtype {
  std::string_view name;
  std::size_t size;  // bytes
};
// In the reverse of the order in which the reference implementation writes them.
constexpr std::array<Dtype, 15> kDtypes = {{{"BOOL", 1},
                                            {"U8", 1},
                                            {"I8", 1},
                                            {"F8_E5M2", 1},
                                            {"F8_E4M3", 1},
                                            {"I16", 2},
                                            {"U16", 2},
                                            {"F16", 2},
                                            {"BF16", 2},
                                            {"I32", 4},
                                            {"U32", 4},
                                            {"F32", 4},
                                            {"F64", 8},
                                            {"I64", 8},
                                            {"U64", 8}}};

std::uint64_t from_little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::size_t whole_number(const Json& value, const std::string& place) {
  const std::int64_t number = value.integer(place);
  if (!value.is_integer() || number < 0) reject({{place}, "a whole number from 0", dump_json(value)});
  return static_cast<std::size_t>(number);
}

std::vector<std::size_t> whole_numbers(const Json& value, const std::string& place) {
  std::vector<std::size_t> numbers;
  for (const Json& item : value.items(place)) numbers.push_back(whole_number(item, place));
  return numbers;
}

// One array of the header: {"dtype":..,"shape":..,"data_offsets":[begin,end]}, its bytes taken out of `data`.
SafetensorsEntry parse_entry(const std::string& name, const Json& json, std::string_view data,
                             const std::string& place) {
  const std::string where = fmt::format("{}: {}", place, quote(name));
  if (json.members(where).size() != 3 || !json.find("dtype") || !json.find("shape") || !json.find("data_offsets")) {
    reject({{where}, "dtype, shape and data_offsets, and nothing else", quote(dump_json(json))});
  }
  SafetensorsEntry entry{name, json["dtype"].string(where), whole_numbers(json["shape"], where), {}};
  const std::vector<std::size_t> offsets = whole_numbers(json["data_offsets"], where);
  const std::size_t element = dtype_size(entry.dtype);
  if (element == 0) reject({{where}, "a dtype such as F32, F64, I64 or U8", quote(entry.dtype)});
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data.size()) {
    reject({{where},
            fmt::format("data_offsets [begin, end] within the {} bytes of data", data.size()),
            fmt::format("[{}]", fmt::join(offsets, ", "))});
  }
  const std::optional<std::size_t> bytes = byte_count(entry.shape, element);
  if (!bytes) reject({{where}, "a shape that a file can hold", shape_text(entry.shape)});
  if (*bytes != offsets[1] - offsets[0]) {
    reject({{where},
            fmt::format("{} bytes of data for shape {} of {}", *bytes, shape_text(entry.shape), entry.dtype),
            fmt::format("{}", offsets[1] - offsets[0])});
  }
  entry.bytes = data.substr(offsets[0], *bytes);
  return entry;
}

// Sorted by their place in the data, the arrays must follow each other from its first byte to its last.
void order_entries(std::vector<SafetensorsEntry>& entries, std::string_view data, const std::string& place) {
  const auto begin_of = [&](const SafetensorsEntry& e) {
    return static_cast<std::size_t>(e.bytes.data() - data.data());
  };
  std::sort(entries.begin(), entries.end(), [&](const SafetensorsEntry& a, const SafetensorsEntry& b) {
    return std::tuple(begin_of(a), a.bytes.size(), a.name) < std::tuple(begin_of(b), b.bytes.size(), b.name);
  });
  std::size_t end = 0;
  for (const SafetensorsEntry& entry : entries) {
    if (begin_of(entry) != end) {
      reject({{fmt::format("{}: {}", place, quote(entry.name))},
              fmt::format("data that begins at byte {}", end),
              fmt::format("{}", begin_of(entry)),
              "arrays must neither overlap nor leave holes"});
    }
    end += entry.bytes.size();
  }
  if (end != data.size()) {
    reject({{place}, fmt::format("{} bytes of data, as the header says", end), fmt::format("{}", data.size())});
  }
}

// The header's text, checked against the size of the file.
std::string_view header_of(std::string_view file, const std::string& place) {
  if (file.size() < kHeaderLengthBytes) {
    reject({{place}, "a safetensors file", fmt::format("a file of {} bytes", file.size())});
  }
  const std::uint64_t length = from_little_endian(file.substr(0, kHeaderLengthBytes));
  if (length > kLongestHeader) {
    reject({{place},
            fmt::format("a safetensors header of at most {} bytes", kLongestHeader),
            fmt::format("{}", length),
            "this is no safetensors file"});
  }
  if (length > file.size() - kHeaderLengthBytes) {
    reject({{place},
            fmt::format("a header of {} bytes", length),
            fmt::format("{}", file.size() - kHeaderLengthBytes),
            "the file is truncated, or no safetensors file"});
  }
  const std::string_view header = file.substr(kHeaderLengthBytes, length);
  if (!header.starts_with('{')) {
    reject({{place}, "a safetensors header that starts with {", quote(header.substr(0, 1))});
  }
  return header;
}

}  // namespace

std::size_t dtype_rank(std::string_view dtype) {
  const auto found = std::find_if(kDtypes.begin(), kDtypes.end(), [&](const Dtype& d) { return d.name == dtype; });
  return static_cast<std::size_t>(found - kDtypes.begin());
}

// Bytes of an array; nothing where the product overflows, also where a length is 0.
std::optional<std::size_t> byte_count(std::span<const std::size_t> shape, std::size_t element) {
  std::size_t product = element;
  bool empty = false;
  for (const std::size_t length : shape) {
    if (length == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(product, length, &product)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : product;
}

std::size_t dtype_size(std::string_view dtype) {
  const std::size_t rank = dtype_rank(dtype);
  return rank < kDtypes.size() ? kDtypes[rank].size : 0;
}

template <class T>
std::string_view dtype_of() {
  constexpr std::array<std::string_view, 4> kSigned = {"I8", "I16", "I32", "I64"};
  constexpr std::array<std::string_view, 4> kUnsigned = {"U8", "U16", "U32", "U64"};
  constexpr std::size_t kIndex = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? "F32" : "F64";
  return std::is_signed_v<T> ? kSigned[kIndex] : kUnsigned[kIndex];
}

Safetensors::Safetensors(std::string_view file, std::shared_ptr<const void> owner, std::string place)
    : place_(std::move(place)), owner_(std::move(owner)) {
  const std::string_view header = header_of(file, place_);
  const std::string_view data = file.substr(kHeaderLengthBytes + header.size());
  const Json json = parse_json(header, place_ + ": header", {.most_bytes = kLongestHeader, .deepest = kDeepestHeader});
  for (const auto& [name, value] : json.members(place_)) {
    if (name != kMetadataName) {
      entries_.push_back(parse_entry(name, value, data, place_));
      continue;
    }
    const std::string where = place_ + ": " + std::string(kMetadataName);
    for (const auto& [key, text] : value.members(where)) metadata_.emplace(key, text.string(where));
  }
  order_entries(entries_, data, place_);
  for (std::size_t i = 0; i < entries_.size(); ++i) index_.emplace(entries_[i].name, i);
}

const SafetensorsEntry* Safetensors::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &entries_[found->second];
}

const SafetensorsEntry& Safetensors::at(std::string_view name) const {
  const SafetensorsEntry* entry = find(name);
  if (entry == nullptr) reject({{place_}, fmt::format("an array {}", quote(name)), "none of that name"});
  return *entry;
}

Safetensors Safetensors::part(
    const std::function<std::optional<std::string>(const std::string& name)>& name_in_part) const {
  Safetensors part(place_);
  part.owner_ = owner_;
  for (const SafetensorsEntry& entry : entries_) {
    const std::optional<std::string> name = name_in_part(entry.name);
    if (!name) continue;
    part.index_.emplace(*name, part.entries_.size());
    part.entries_.push_back(entry);
    part.entries_.back().name = *name;
  }
  return part;
}

template <class T>
const SafetensorsEntry& Safetensors::typed(std::string_view name) const {
  const SafetensorsEntry& entry = at(name);
  if (entry.dtype != dtype_of<T>()) {
    reject({{fmt::format("{}: {}", place_, quote(name))}, fmt::format("dtype {}", dtype_of<T>()), entry.dtype});
  }
  return entry;
}

template <class T>
std::vector<T> Safetensors::values(std::string_view name) const {
  const SafetensorsEntry& entry = typed<T>(name);
  std::vector<T> values(entry.bytes.size() / sizeof(T));
  std::copy(entry.bytes.begin(), entry.bytes.end(), reinterpret_cast<char*>(values.data()));
  return values;
}

template <class T>
void Safetensors::values_into(std::string_view name, std::span<const std::size_t> shape, std::span<T> out) const {
  const SafetensorsEntry& entry = typed<T>(name);
  if (!std::equal(shape.begin(), shape.end(), entry.shape.begin(), entry.shape.end())) {
    reject({{fmt::format("{}: {}", place_, quote(name))},
            fmt::format("shape {}", shape_text(shape)),
            shape_text(entry.shape)});
  }
  assert(out.size_bytes() == entry.bytes.size());
  std::copy(entry.bytes.begin(), entry.bytes.end(), reinterpret_cast<char*>(out.data()));
}

#define FAITHFUL_INSTANTIATE(T)                                                                                     \
  template FAITHFUL_API std::string_view dtype_of<T>();                                                             \
  template FAITHFUL_API std::vector<T> Safetensors::values(std::string_view) const;                                 \
  template FAITHFUL_API void Safetensors::values_into(std::string_view, std::span<const std::size_t>, std::span<T>) \
      const;
FAITHFUL_INSTANTIATE(float)
FAITHFUL_INSTANTIATE(double)
FAITHFUL_INSTANTIATE(std::int8_t)
FAITHFUL_INSTANTIATE(std::int16_t)
FAITHFUL_INSTANTIATE(std::int32_t)
FAITHFUL_INSTANTIATE(std::int64_t)
FAITHFUL_INSTANTIATE(std::uint8_t)
FAITHFUL_INSTANTIATE(std::uint16_t)
FAITHFUL_INSTANTIATE(std::uint32_t)
FAITHFUL_INSTANTIATE(std::uint64_t)
#undef FAITHFUL_INSTANTIATE

Safetensors load_safetensors(const std::string& path) {
  const auto file = std::make_shared<const WholeFile>(path);
  return {file->bytes(), file, path};
}

Safetensors parse_safetensors(std::string bytes, const std::string& place) {
  const auto owner = std::make_shared<const std::string>(std::move(bytes));
  return {*owner, owner, place};
}

}  // namespace faithful
