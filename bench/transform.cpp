// The real transform at lengths with small factors and at primes, against FFTW (its plan made beforehand, as ours).

#include <complex>
#include <vector>

#include <fftw3.h>
#include <fmt/format.h>

#include "bench/clock.h"
#include "faithful/base/random.h"
#include "faithful/fourier/transform.h"

namespace faithful::bench {
namespace {

void compare(std::size_t d) {
  Random random(1);
  std::vector<double> f(d), c(d);
  for (double& value : f) value = random.normal();
  std::vector<std::complex<double>> spectrum(d / 2 + 1);
  const fftw_plan plan = fftw_plan_dft_r2c_1d(static_cast<int>(d), f.data(),
                                              reinterpret_cast<fftw_complex*>(spectrum.data()), FFTW_ESTIMATE);
  std::vector<double> making, ours, theirs;
  for (int run = 0; run < 15; ++run) {
    making.push_back(seconds([&] { RealTransform made(d); }));
    const RealTransform transform(d);
    ours.push_back(seconds([&] { transform.forward(f, c); }));
    theirs.push_back(seconds([&] { fftw_execute(plan); }));
  }
  fftw_destroy_plan(plan);
  fmt::print("transform {:6}: plan {:7.3f} ms, forward {:7.3f} ms, FFTW {:7.3f} ms, ratio {:.2f}\n", d,
             1e3 * median(making), 1e3 * median(ours), 1e3 * median(theirs), median(theirs) / median(ours));
}

}  // namespace
}  // namespace faithful::bench

int main() {
  for (const std::size_t d : {256, 1021, 65536, 65537}) faithful::bench::compare(d);
}
