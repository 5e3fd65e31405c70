#include "faithful/fourier/transform.h"

#include <cassert>
#include <cmath>
#include <complex>
#include <optional>
#include <vector>

#include <kissfft/kissfft.hh>

#include "faithful/fourier/basis.h"

namespace faithful {

namespace {

using Complex = std::complex<double>;

// Without the checks for infinities that operator* must make.
Complex multiply(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

bool has_small_factors(std::size_t n) {
  for (const std::size_t p : {2, 3, 5}) {
    while (n % p == 0) n /= p;
  }
  return n == 1;
}

// Bluestein (1970): with jk = (j^2 + k^2 - (k-j)^2) / 2 a transform of any length n is a convolution with the chirp
// u_j = exp(i pi j^2 / n), which is done in a length m >= 2n-1 that has small factors.
class Bluestein {
 public:
  explicit Bluestein(std::size_t n) : n_(n), m_(convolution_length(n)), fft_(m_, false), chirp_(n), kernel_(m_) {
    const RootTable roots(2 * n);
    std::vector<Complex> wrapped(m_);
    for (std::size_t j = 0; j < n; ++j) {
      const Root root = roots.at(static_cast<std::uint64_t>(j) * j);
      chirp_[j] = {root.cos, root.sin};
      wrapped[j] = chirp_[j];
      if (j > 0) wrapped[m_ - j] = chirp_[j];
    }
    fft_.transform(wrapped.data(), kernel_.data());
    for (Complex& value : kernel_) value /= static_cast<double>(m_);
  }

  void transform(const Complex* in, Complex* out) const {
    std::vector<Complex> a(m_), b(m_);
    for (std::size_t j = 0; j < n_; ++j) a[j] = multiply(in[j], std::conj(chirp_[j]));
    fft_.transform(a.data(), b.data());
    // The inverse transform as a forward one between two conjugations: one set of twiddles serves both.
    for (std::size_t j = 0; j < m_; ++j) b[j] = std::conj(multiply(b[j], kernel_[j]));
    fft_.transform(b.data(), a.data());
    for (std::size_t k = 0; k < n_; ++k) out[k] = std::conj(multiply(a[k], chirp_[k]));
  }

 private:
  static std::size_t convolution_length(std::size_t n) {
    std::size_t m = 2 * n - 1;
    while (!has_small_factors(m)) ++m;
    return m;
  }

  std::size_t n_, m_;
  kissfft<double> fft_;
  std::vector<Complex> chirp_;   // [n], u_j
  std::vector<Complex> kernel_;  // [m], transform of u wrapped around, over m
};

// out_k = sum_t in_t exp(-2 pi i k t / n) for any n.
class ComplexTransform {
 public:
  explicit ComplexTransform(std::size_t n) {
    if (has_small_factors(n)) {
      direct_.emplace(n, false);
    } else {
      bluestein_.emplace(n);
    }
  }

  void operator()(const std::vector<Complex>& in, std::vector<Complex>& out) const {
    if (direct_) {
      direct_->transform(in.data(), out.data());
    } else {
      bluestein_->transform(in.data(), out.data());
    }
  }

 private:
  std::optional<kissfft<double>> direct_;
  std::optional<Bluestein> bluestein_;
};

}  // namespace

// The complex spectrum of real values, X_k = sum_t f(t) exp(-i w_k t), k = 0..floor(d/2), and back. Even d go through a
// complex transform of half the length, of z_t = f(2t) + i f(2t+1).
struct RealTransform::Plan {
  explicit Plan(std::size_t length) : d(length), half(d / 2), transform(even() ? half : d) {
    if (!even()) return;
    const RootTable roots(d);
    for (std::size_t k = 0; k <= half; ++k) twiddles.emplace_back(roots.cos(k), roots.sin(k));
  }

  bool even() const { return d % 2 == 0; }
  double end_scale() const { return std::sqrt(1.0 / static_cast<double>(d)); }  // DC and Nyquist
  double pair_scale() const { return std::sqrt(2.0 / static_cast<double>(d)); }

  std::vector<Complex> spectrum(std::span<const double> f) const;
  void values_into(const std::vector<Complex>& spectrum, std::span<double> f) const;

  std::size_t d, half;
  ComplexTransform transform;
  std::vector<Complex> twiddles;  // [half + 1], exp(i w_k); even d only
};

std::vector<Complex> RealTransform::Plan::spectrum(std::span<const double> f) const {
  if (!even()) {
    const std::vector<Complex> in(f.begin(), f.end());
    std::vector<Complex> out(d);
    transform(in, out);
    return out;
  }
  std::vector<Complex> z(half), transformed(half), out(half + 1);
  for (std::size_t t = 0; t < half; ++t) z[t] = {f[2 * t], f[2 * t + 1]};
  transform(z, transformed);
  for (std::size_t k = 0; k <= half; ++k) {
    const Complex a = transformed[k == half ? 0 : k], b = std::conj(transformed[k == 0 ? 0 : half - k]);
    const Complex difference = a - b;
    const Complex odd{difference.imag() / 2, -difference.real() / 2};  // of f(2t+1); that of f(2t) is (a + b) / 2
    out[k] = 0.5 * (a + b) + multiply(std::conj(twiddles[k]), odd);
  }
  return out;
}

// f(t) = sum over all d frequencies of F_k exp(i w_k t), where F_{d-k} = conj(F_k); F_k is given for k <= floor(d/2).
void RealTransform::Plan::values_into(const std::vector<Complex>& spectrum, std::span<double> f) const {
  if (!even()) {  // conj(F) through the forward transform; the mirrored half is twice the real part
    std::vector<Complex> in(d), out(d);
    in[0] = spectrum[0];
    for (std::size_t k = 1; k <= half; ++k) in[k] = 2.0 * std::conj(spectrum[k]);
    transform(in, out);
    for (std::size_t t = 0; t < d; ++t) f[t] = out[t].real();
    return;
  }
  std::vector<Complex> in(half), out(half);
  for (std::size_t k = 0; k < half; ++k) {
    const Complex a = spectrum[k], b = std::conj(spectrum[half - k]);  // F_k and F_{k + half}
    const Complex odd = multiply(a - b, twiddles[k]);
    in[k] = std::conj(a + b + Complex{-odd.imag(), odd.real()});
  }
  transform(in, out);
  for (std::size_t t = 0; t < half; ++t) {
    f[2 * t] = out[t].real();
    f[2 * t + 1] = -out[t].imag();
  }
}

RealTransform::RealTransform(std::size_t d) : plan_((assert(d >= 1), std::make_unique<const Plan>(d))) {}
RealTransform::~RealTransform() = default;
RealTransform::RealTransform(RealTransform&&) noexcept = default;
RealTransform& RealTransform::operator=(RealTransform&&) noexcept = default;

std::size_t RealTransform::size() const {
  return plan_->d;
}

void RealTransform::forward(std::span<const double> f, std::span<double> c) const {
  const std::size_t d = size(), pairs = pair_count(d);
  assert(f.size() == d && c.size() == d);
  const std::vector<Complex> spectrum = plan_->spectrum(f);
  c[0] = plan_->end_scale() * spectrum[0].real();
  for (std::size_t k = 1; k <= pairs; ++k) {
    c[k] = plan_->pair_scale() * spectrum[k].real();
    c[pairs + k] = -plan_->pair_scale() * spectrum[k].imag();
  }
  if (plan_->even()) c[d - 1] = plan_->end_scale() * spectrum[d / 2].real();
}

void RealTransform::inverse(std::span<const double> c, std::span<double> f) const {
  const std::size_t d = size(), pairs = pair_count(d);
  assert(f.size() == d && c.size() == d);
  std::vector<Complex> spectrum(frequency_count(d));
  spectrum[0] = plan_->end_scale() * c[0];
  const double scale = plan_->pair_scale() / 2;  // a cos + b sin = Re[(a - ib) exp(i ..)], half of it at -w_k
  for (std::size_t k = 1; k <= pairs; ++k) spectrum[k] = {scale * c[k], -scale * c[pairs + k]};
  if (plan_->even()) spectrum[d / 2] = plan_->end_scale() * c[d - 1];
  plan_->values_into(spectrum, f);
}

}  // namespace faithful
