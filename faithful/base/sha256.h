#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "faithful/base/api.h"

namespace faithful {

// The SHA-256 digest (FIPS 180-4) of bytes that come in pieces.
class FAITHFUL_API Sha256 {
 public:
  Sha256();
  Sha256& add(std::string_view bytes);
  std::string digest() const;  // of all that was added so far, as 64 hexadecimal digits

  static constexpr std::size_t kBlock = 64;  // bytes

 private:
  std::array<std::uint32_t, 8> state_;
  std::array<char, kBlock> rest_{};  // what fills no block yet: the last size_ % kBlock bytes
  std::uint64_t size_ = 0;           // bytes added
};

// The digest of bytes that are there as a whole.
FAITHFUL_API std::string sha256(std::string_view bytes);

}  // namespace faithful
