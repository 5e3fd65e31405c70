#include "faithful/report/color.h"

#include <array>

#include "faithful/base/random.h"

namespace faithful {

namespace {

struct NamedInk {
  std::string_view name;
  const char* color;
  int dash;
};

// The encodings that are compared most have the most distinct colours, without dashes.
constexpr std::array kNamed = {
    NamedInk{"sinusoidal", "#d55e00", 1}, NamedInk{"dft", "#0072b2", 1},  NamedInk{"learned", "#009e73", 1},
    NamedInk{"rope", "#cc79a7", 1},       NamedInk{"tape", "#e69f00", 1}, NamedInk{"learned-frequency", "#56b4e9", 1},
    NamedInk{"time2vec", "#882255", 1},   NamedInk{"mtan", "#117733", 1}, NamedInk{"alibi", "#332288", 2},
    NamedInk{"kerple", "#44aa99", 2},     NamedInk{"t5", "#999933", 2},   NamedInk{"tupe", "#aa4499", 2},
    NamedInk{"shaw", "#cc6677", 2},       NamedInk{"erpe", "#661100", 2}, NamedInk{"onehot", "#000000", 3},
    NamedInk{"rotation", "#6f6f6f", 3},   NamedInk{"none", "#a0a0a0", 4}, NamedInk{"spectral", "#b2182b", 1},
};

// For other names: none of the colours of the encodings that are in nearly every figure.
constexpr std::array kOthers = {"#882255", "#117733", "#332288", "#44aa99", "#999933", "#aa4499", "#cc6677", "#661100"};

}  // namespace

Ink ink_of(std::string_view name) {
  for (const NamedInk& ink : kNamed) {
    if (ink.name == name) return {ink.color, ink.dash};
  }
  const std::uint64_t hash = stream_of(name);
  return {kOthers[(hash >> 8) % kOthers.size()], 1 + static_cast<int>((hash >> 32) % 4)};
}

}  // namespace faithful
