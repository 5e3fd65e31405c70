#pragma once

namespace faithful::bench {

// Multiply-adds of this core's widest vectors on numbers that never leave its registers, for about `turn` seconds:
// floating-point operations a second. No product of matrices can be faster.
double fma_peak(double turn);

}  // namespace faithful::bench
