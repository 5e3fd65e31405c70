#pragma once

namespace faithful::metrics {

// I_x(a, b), the regularized incomplete beta function, a, b > 0, 0 <= x <= 1.
double incomplete_beta(double a, double b, double x);

// P(|T| >= |t|), right to the last digits also where it is tiny.
double student_two_sided(double t, double freedom);

}  // namespace faithful::metrics
