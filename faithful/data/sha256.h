#pragma once

#include <string>
#include <string_view>

#include "faithful/base/api.h"

namespace faithful {

// The SHA-256 digest (FIPS 180-4) of bytes, as 64 hexadecimal digits.
FAITHFUL_API std::string sha256(std::string_view bytes);

}  // namespace faithful
