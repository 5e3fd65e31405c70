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

}  // namespace

struct RealTransform::Plan {
  explicit Plan(std::size_t length) : d(length) {
    if (has_small_factors(d)) {
      direct.emplace(d, false);
    } else {
      bluestein.emplace(d);
    }
  }

  // out_k = sum_t in_t exp(-2 pi i k t / d)
  void transform(const std::vector<Complex>& in, std::vector<Complex>& out) const {
    if (direct) {
      direct->transform(in.data(), out.data());
    } else {
      bluestein->transform(in.data(), out.data());
    }
  }

  double end_scale() const { return std::sqrt(1.0 / static_cast<double>(d)); }  // DC and Nyquist
  double pair_scale() const { return std::sqrt(2.0 / static_cast<double>(d)); }

  std::size_t d;
  std::optional<kissfft<double>> direct;
  std::optional<Bluestein> bluestein;
};

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
  const std::vector<Complex> in(f.begin(), f.end());
  std::vector<Complex> out(d);
  plan_->transform(in, out);
  c[0] = plan_->end_scale() * out[0].real();
  for (std::size_t k = 1; k <= pairs; ++k) {
    c[k] = plan_->pair_scale() * out[k].real();
    c[pairs + k] = -plan_->pair_scale() * out[k].imag();
  }
  if (d % 2 == 0) c[d - 1] = plan_->end_scale() * out[d / 2].real();
}

void RealTransform::inverse(std::span<const double> c, std::span<double> f) const {
  const std::size_t d = size(), pairs = pair_count(d);
  assert(f.size() == d && c.size() == d);
  // f(t) = Re sum_k Y_k exp(i w_k t) with Y_k = a_k - i b_k, which is Re sum_k conj(Y_k) exp(-i w_k t).
  std::vector<Complex> in(d), out(d);
  in[0] = plan_->end_scale() * c[0];
  for (std::size_t k = 1; k <= pairs; ++k) in[k] = plan_->pair_scale() * Complex(c[k], c[pairs + k]);
  if (d % 2 == 0) in[d / 2] = plan_->end_scale() * c[d - 1];
  plan_->transform(in, out);
  for (std::size_t t = 0; t < d; ++t) f[t] = out[t].real();
}

void naive_forward(std::span<const double> f, std::span<double> c) {
  const RootTable roots(f.size());
  for (std::size_t l = 0; l < f.size(); ++l) {
    c[l] = 0;
    for (std::size_t t = 0; t < f.size(); ++t) c[l] += f[t] * basis_value(roots, l, t);
  }
}

void naive_inverse(std::span<const double> c, std::span<double> f) {
  const RootTable roots(c.size());
  for (std::size_t t = 0; t < c.size(); ++t) {
    f[t] = 0;
    for (std::size_t l = 0; l < c.size(); ++l) f[t] += c[l] * basis_value(roots, l, t);
  }
}

}  // namespace faithful
