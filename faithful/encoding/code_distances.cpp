#include "faithful/encoding/code_distances.h"

#include <cmath>

namespace faithful {

void CodeDistances::add(double square, double square_to_next) {
  if (square >= square_to_next / 4) {
    ++far;
  } else if (square >= square_to_next / 16) {
    ++between;
    if (square <= furthest * furthest) return;
    furthest = std::sqrt(square);
    apart = std::sqrt(square_to_next);
  }
}

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double square = 0;
  for (std::size_t i = 0; i < a.size(); ++i) square += (a[i] - b[i]) * (a[i] - b[i]);
  return square;
}

}  // namespace faithful
