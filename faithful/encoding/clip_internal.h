#pragma once

#include "faithful/encoding/entry_internal.h"

namespace faithful {

// Of shaw and deberta.
inline const OwnOption kClip{{"clip", "K", "offsets beyond +-K share a vector", {.least = 0, .most = kMostValues}},
                             std::size_t{16}};

inline std::size_t clipped_vectors(const EncodingOptions& options) {
  return 2 * options.own.whole("clip") + 1;
}

}  // namespace faithful
