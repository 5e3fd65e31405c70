#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/model/config.h"

namespace faithful {

// What is compared: an encoding at a scale. All else is the same for every arm.
struct Arm {
  std::string encoding = "sinusoidal";
  std::string scale = "as-defined";  // as-defined, unit, matched, decaying or a factor
  bool again = false;                // the same arm with other seeds for start values, batches and dropout: how large
                                     // differences are that mean nothing
  bool operator==(const Arm&) const = default;
};

// What is added to the seed of the training of an arm that is there again; its split stays.
inline constexpr std::uint64_t kAgainSeeds = 1'000'003;

// "dft", "dft unit", "sinusoidal matched", "sinusoidal again".
FAITHFUL_API std::string to_string(const Arm& arm);

// Each encoding at each scale, in this order; what has no scale (none, tables that are learned, relative schemes)
// stands there once, as defined. "dft:unit" is dft at that scale alone. InputError for names and scales that are
// unknown or said twice.
FAITHFUL_API std::vector<Arm> make_arms(const std::vector<std::string>& encodings,
                                        const std::vector<std::string>& scales);

// Whether a scale means something for it: codes that are added and not a table of their own.
FAITHFUL_API bool has_scale(const std::string& encoding);

// The model of an arm.
FAITHFUL_API ModelConfig with_arm(ModelConfig model, const Arm& arm);

// Arms that share a learning rate: "none", by the RMS norm of their codes "unit" (1), "matched" (sqrt(d/2)) or
// "norm X", and "own" for all that has no such norm. The model must have its length.
FAITHFUL_API std::string norm_level(const ModelConfig& model, const Arm& arm);

}  // namespace faithful
