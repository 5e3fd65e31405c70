#pragma once

#include <string>
#include <string_view>

#include "faithful/base/api.h"

namespace faithful {

// How a named thing is drawn, in every figure.
struct Ink {
  std::string color;  // "#0072b2"
  int dash = 1;       // 1 solid, 2 dashed, 3 dotted, 4 dash-dot: a second cue besides the colour
};

// The ink of an encoding or of any other name: fixed for the catalog's names, by a hash of the name for
// others, so that a name has the same colour in every figure. Colour-blind readers can distinguish the colours (Okabe
// and Ito 2008; Tol 2021, "muted").
FAITHFUL_API Ink ink_of(std::string_view name);

}  // namespace faithful
