#pragma once

// Measures that take more than one table: how far an encoding reaches before two positions share a code, and how many
// offsets a relative scheme distinguishes.

#include <cstddef>
#include <optional>
#include <string>

#include "faithful/analysis/faithfulness.h"
#include "faithful/base/api.h"
#include "faithful/encoding/encoding.h"

namespace faithful {

struct FirstCollision {
  PerPrecision<std::optional<std::size_t>> length;  // the smallest S with a collision
  std::optional<std::size_t> limit;                 // the largest S tried; empty: codes depend on S, nothing to search
};

// Searches tables of growing length, from what is known of the length asked for (`known`) on, up to about `most_values`
// numbers or 65,536 positions, and at least the length asked for. dft repeats after its period, so it is not searched
// beyond that.
FAITHFUL_API FirstCollision find_first_collision(const std::string& name, const EncodingOptions& options,
                                                 const PerPrecision<Collisions>& known, std::size_t most_values);

struct OffsetResolution {
  std::optional<std::size_t> distinct_offsets;  // parameter slots, or fixed values, of the 2S - 1 offsets
  std::optional<bool> sign_seen;                // whether some offset differs from its negative
};

// Empty where the scheme is not relative.
FAITHFUL_API OffsetResolution resolve_offsets(const std::string& name, const EncodingOptions& options);

}  // namespace faithful
