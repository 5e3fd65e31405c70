#pragma once

#include <span>
#include <string_view>

namespace faithful::data {

struct KnownDigest {
  std::string_view set;     // "SMD"
  std::string_view file;    // below the set's folder, without .gz
  std::string_view sha256;  //
};
std::span<const KnownDigest> known_digests();

}  // namespace faithful::data
