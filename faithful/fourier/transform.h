#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "faithful/base/api.h"

namespace faithful {

// The transform to the real orthonormal basis of basis.h and back, for one length d >= 1, in O(d log d) for every d,
// primes too. Making the plan costs more than using it: keep it for further vectors. May be used by several threads.
class FAITHFUL_API RealTransform {
 public:
  explicit RealTransform(std::size_t d);
  ~RealTransform();
  RealTransform(RealTransform&&) noexcept;
  RealTransform& operator=(RealTransform&&) noexcept;

  std::size_t size() const;

  // c_l = sum_t f(t) phi_l(t). Both spans have d values and may be the same.
  void forward(std::span<const double> f, std::span<double> c) const;

  // f(t) = sum_l c_l phi_l(t). Both spans have d values and may be the same.
  void inverse(std::span<const double> c, std::span<double> f) const;

 private:
  struct Plan;
  std::unique_ptr<const Plan> plan_;
};

}  // namespace faithful
