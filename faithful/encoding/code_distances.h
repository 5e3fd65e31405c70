#pragma once

#include <cstddef>
#include <span>

#include "faithful/base/api.h"

namespace faithful {

// How the rows of a table lie to the nearest codes. A row at more than half the way to the next code may belong to that
// one: its position is a guess. Rounding moves a row by far less than a quarter of the way. Noise may move it further,
// without harm. So does another period or length: rows of another grid of positions pass the codes, and some lie near
// the middle between two. (On a grid that is twice as fine, every row is a code.)
struct FAITHFUL_API CodeDistances {
  std::size_t far = 0;      // rows at half the distance between neighbouring codes, or further
  std::size_t between = 0;  // others at a quarter of it, or further
  double furthest = 0;      // of those between: from their code
  double apart = 0;         // that code from its next one

  // A row by the squares of its distance to the nearest code, and of that code's to the next one.
  void add(double square, double square_to_next);
};

FAITHFUL_API double squared_distance(std::span<const double> a, std::span<const double> b);  // of the same length

}  // namespace faithful
