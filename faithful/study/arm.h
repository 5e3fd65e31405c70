#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/model/config.h"

namespace faithful {

// An arm of a comparison: an encoding at a scale. Everything else is the same for every arm.
struct Arm {
  std::string encoding = "sinusoidal";
  std::string scale = "as-defined";  // as-defined, unit, matched, decaying or a factor
  bool again = false;  // trained again with other seeds for initial weights, batches and dropout: differences by chance
  bool operator==(const Arm&) const = default;
};

// Added to the training seed of an arm that is trained again; its split stays the same.
inline constexpr std::uint64_t kAgainSeeds = 1'000'003;

// "dft", "dft unit", "sinusoidal matched", "sinusoidal again".
FAITHFUL_API std::string to_string(const Arm& arm);

// Each encoding at each scale, in this order. Encodings without a scale (none, learned tables, relative schemes) appear
// once, as defined. "dft:unit" is dft at that scale only. InputError for unknown names and scales, and for an arm that
// is there twice.
FAITHFUL_API std::vector<Arm> make_arms(const std::vector<std::string>& encodings,
                                        const std::vector<std::string>& scales);

// Whether the encoding has a scale: codes that are added to the input and are not a learned table.
FAITHFUL_API bool has_scale(const std::string& encoding);

// The model of an arm.
FAITHFUL_API ModelConfig with_arm(ModelConfig model, const Arm& arm);

// Arms of one level share a learning rate. Levels are "none"; the RMS norm of the codes: "unit" (1), "matched"
// (sqrt(d/2)) or "norm X"; and "own" for encodings without such a norm. The model must have its length.
FAITHFUL_API std::string norm_level(const ModelConfig& model, const Arm& arm);

}  // namespace faithful
