#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/base/sha256.h"
#include "faithful/io/file.h"
#include "faithful/io/json.h"
#include "faithful/io/npy.h"
#include "faithful/io/safetensors.h"
#include "faithful/io/safetensors_internal.h"

namespace faithful {

namespace {

constexpr std::size_t kAlignment = 8;  // of the data in the file

std::string little_endian_bytes(std::uint64_t value) {
  std::string bytes(kHeaderLengthBytes, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

// Arrays in the order of the file that is written: wide elements first, so that all are aligned; then by name.
std::vector<SafetensorsEntry> sorted_entries(std::span<const SafetensorsEntry> entries) {
  std::vector<SafetensorsEntry> sorted(entries.begin(), entries.end());
  std::sort(sorted.begin(), sorted.end(), [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
    const std::size_t left = dtype_rank(a.dtype), right = dtype_rank(b.dtype);
    return left != right ? left > right : a.name < b.name;
  });
  return sorted;
}

void check_text(std::string_view text) {
  if (parse_json(dump_json(Json(text)), "text").string() != text) {
    reject({{"safetensors"}, "names and metadata in UTF-8", quote(text)});
  }
}

void check_entry(const SafetensorsEntry& entry) {
  const std::string place = fmt::format("safetensors: {}", quote(entry.name));
  const std::size_t element = dtype_size(entry.dtype);
  check_text(entry.name);
  if (entry.name == kMetadataName) reject({{"safetensors"}, "a name for an array", quote(entry.name)});
  if (element == 0) reject({{place}, "a dtype such as F32, F64, I64 or U8", quote(entry.dtype)});
  if (byte_count(entry.shape, element) != entry.bytes.size()) {
    reject({{place},
            fmt::format("the bytes of shape {} of {}", shape_text(entry.shape), entry.dtype),
            fmt::format("{}", entry.bytes.size())});
  }
}

// The length and the header of a file that holds the (sorted) arrays.
std::string header_bytes(std::span<const SafetensorsEntry> entries, const SafetensorsMetadata& metadata) {
  Json::Object members;
  if (!metadata.empty()) {
    Json::Object texts;
    for (const auto& [key, text] : metadata) {
      check_text(key);
      check_text(text);
      texts.emplace_back(key, text);
    }
    members.emplace_back(kMetadataName, std::move(texts));
  }
  std::size_t begin = 0;
  for (const SafetensorsEntry& entry : entries) {
    check_entry(entry);
    const std::size_t end = begin + entry.bytes.size();
    Json json = Json::object();
    json.set("dtype", entry.dtype);
    json.set("shape", Json::Array(entry.shape.begin(), entry.shape.end()));
    json.set("data_offsets", Json::Array{begin, end});
    members.emplace_back(entry.name, std::move(json));
    begin = end;
  }
  std::string text = dump_json(Json(std::move(members)));
  text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
  if (text.size() > kLongestHeader) {
    reject(
        {{"safetensors"}, fmt::format("a header of at most {} bytes", kLongestHeader), fmt::format("{}", text.size())});
  }
  return little_endian_bytes(text.size()) + text;
}

void check_names(std::span<const SafetensorsEntry> entries) {
  std::vector<std::string_view> names;
  for (const SafetensorsEntry& entry : entries) names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) reject({{"safetensors"}, "each name once", quote(*twice) + " twice"});
}

// Calls write(piece) with the pieces of the file, in order.
template <class Write>
void write_pieces(std::span<const SafetensorsEntry> entries, const SafetensorsMetadata& metadata, Write&& write) {
  check_names(entries);
  const std::vector<SafetensorsEntry> sorted = sorted_entries(entries);
  write(header_bytes(sorted, metadata));
  for (const SafetensorsEntry& entry : sorted) write(entry.bytes);
}

}  // namespace

std::string safetensors_bytes(std::span<const SafetensorsEntry> entries, const SafetensorsMetadata& metadata) {
  std::string bytes;
  write_pieces(entries, metadata, [&](std::string_view piece) { bytes += piece; });
  return bytes;
}

void save_safetensors(const std::string& path, std::span<const SafetensorsEntry> entries,
                      const SafetensorsMetadata& metadata) {
  write_file(path, [&](FileWriter& writer) {
    write_pieces(entries, metadata, [&](std::string_view piece) { writer.write(piece); });
  });
}

std::string digest_of(std::span<const SafetensorsEntry> entries, const SafetensorsMetadata& metadata) {
  Sha256 sum;
  const auto add_number = [&](std::size_t number) { sum.add(little_endian_bytes(number)); };
  const auto add_text = [&](std::string_view text) {
    add_number(text.size());
    sum.add(text);
  };
  const auto own = metadata.find(std::string(kDigestKey));
  add_number(metadata.size() - (own == metadata.end() ? 0 : 1));
  for (const auto& [key, text] : metadata) {
    if (key == kDigestKey) continue;
    add_text(key);
    add_text(text);
  }
  std::vector<const SafetensorsEntry*> sorted;
  for (const SafetensorsEntry& entry : entries) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
  add_number(sorted.size());
  for (const SafetensorsEntry* entry : sorted) {
    add_text(entry->name);
    add_text(entry->dtype);
    add_number(entry->shape.size());
    for (const std::size_t length : entry->shape) add_number(length);
    add_text(entry->bytes);
  }
  return sum.digest();
}

}  // namespace faithful
