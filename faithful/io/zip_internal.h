#pragma once

// The parts of the zip format (PKWARE's APPNOTE 6.3) that .npz files use: no encryption, one disk, stored or deflated.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace faithful::zip {

inline constexpr std::uint32_t kLocalSignature = 0x04034B50, kCentralSignature = 0x02014B50, kEndSignature = 0x06054B50,
                               kEnd64Signature = 0x06064B50, kLocator64Signature = 0x07064B50;
inline constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22, kEnd64Size = 56, kLocator64Size = 20;
inline constexpr std::uint32_t kInZip64 = 0xFFFFFFFF;  // a 32-bit field that says: see the zip64 field
inline constexpr std::uint16_t kZip64Field = 1;
inline constexpr std::uint16_t kStored = 0, kDeflated = 8;
inline constexpr std::uint16_t kEncryptedFlag = 1, kDescriptorFlag = 8, kUtf8Flag = 1 << 11;

struct Entry {
  std::string name;
  std::uint16_t method = kStored;
  std::uint32_t crc = 0;
  std::uint64_t stored_size = 0;  // as it lies in the file
  std::uint64_t size = 0;         // inflated
  std::uint64_t header_at = 0;    // of the local header
  std::uint64_t data_at = 0;
};

// The entries, in the order of the central directory, each checked against its local header, the file's size and the
// other entries.
struct Limits {
  std::size_t most_entries;
  std::size_t longest_name;
};
std::vector<Entry> read_directory(std::string_view file, const std::string& name, const Limits& limits);

// The bytes of an entry, inflated, with the CRC checked. `inflated` holds them where they had to be inflated.
std::string_view read_entry(std::string_view file, const Entry& entry, const std::string& name, std::string& inflated);

std::string local_header(const Entry& entry, std::uint64_t zip64_from);
std::string central_header(const Entry& entry, std::uint64_t zip64_from);
std::string directory_end(std::uint64_t entries, std::uint64_t directory_at, std::uint64_t directory_size,
                          std::uint64_t zip64_from);

}  // namespace faithful::zip
