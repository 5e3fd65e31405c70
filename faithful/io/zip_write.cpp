#include <algorithm>

#include "faithful/io/zip_internal.h"

namespace faithful::zip {

namespace {

constexpr std::uint16_t kVersion = 20, kVersion64 = 45;
constexpr std::uint32_t kTime1980 = (1 << 21 | 1 << 16);  // 1980-01-01 00:00, in the two MS-DOS words

void put(std::string& out, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}

std::uint64_t in_32_bits(std::uint64_t value, bool zip64) {
  return zip64 ? kInZip64 : value;
}

// What the local and the central header have in common, from the version on.
void put_common(std::string& out, const Entry& entry, bool zip64) {
  const bool ascii = std::all_of(entry.name.begin(), entry.name.end(), [](char c) { return (c & 0x80) == 0; });
  put(out, zip64 ? kVersion64 : kVersion, 2);
  put(out, ascii ? 0 : kUtf8Flag, 2);
  put(out, entry.method, 2);
  put(out, kTime1980, 4);
  put(out, entry.crc, 4);
  put(out, in_32_bits(entry.stored_size, zip64), 4);
  put(out, in_32_bits(entry.size, zip64), 4);
  put(out, entry.name.size(), 2);
}

}  // namespace

std::string local_header(const Entry& entry, std::uint64_t zip64_from) {
  const bool zip64 = std::max(entry.size, entry.stored_size) >= zip64_from;
  std::string out;
  put(out, kLocalSignature, 4);
  put_common(out, entry, zip64);
  put(out, zip64 ? 20 : 0, 2);
  out += entry.name;
  if (zip64) {
    put(out, kZip64Field, 2);
    put(out, 16, 2);
    put(out, entry.size, 8);
    put(out, entry.stored_size, 8);
  }
  return out;
}

std::string central_header(const Entry& entry, std::uint64_t zip64_from) {
  const bool zip64 = std::max({entry.size, entry.stored_size, entry.header_at}) >= zip64_from;
  std::string out;
  put(out, kCentralSignature, 4);
  put(out, zip64 ? kVersion64 : kVersion, 2);  // made by MS-DOS, which has no permissions
  put_common(out, entry, zip64);
  put(out, zip64 ? 28 : 0, 2);
  out.append(2 + 2 + 2 + 4, '\0');  // no comment; disk 0; no attributes
  put(out, in_32_bits(entry.header_at, zip64), 4);
  out += entry.name;
  if (zip64) {
    put(out, kZip64Field, 2);
    put(out, 24, 2);
    put(out, entry.size, 8);
    put(out, entry.stored_size, 8);
    put(out, entry.header_at, 8);
  }
  return out;
}

std::string directory_end(std::uint64_t entries, std::uint64_t directory_at, std::uint64_t directory_size,
                          std::uint64_t zip64_from) {
  const bool zip64 = std::max(directory_at, directory_size) >= zip64_from || entries >= 0xFFFF;
  std::string out;
  if (zip64) {
    put(out, kEnd64Signature, 4);
    put(out, kEnd64Size - 12, 8);
    put(out, kVersion64, 2);
    put(out, kVersion64, 2);
    put(out, 0, 4 + 4);
    put(out, entries, 8);
    put(out, entries, 8);
    put(out, directory_size, 8);
    put(out, directory_at, 8);
    put(out, kLocator64Signature, 4);
    put(out, 0, 4);
    put(out, directory_at + directory_size, 8);
    put(out, 1, 4);
  }
  put(out, kEndSignature, 4);
  put(out, 0, 2 + 2);
  put(out, zip64 ? 0xFFFF : entries, 2);
  put(out, zip64 ? 0xFFFF : entries, 2);
  put(out, in_32_bits(directory_size, zip64), 4);
  put(out, in_32_bits(directory_at, zip64), 4);
  put(out, 0, 2);
  return out;
}

}  // namespace faithful::zip
