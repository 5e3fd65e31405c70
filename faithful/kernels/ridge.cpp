#include "faithful/kernels/ridge.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/kernels/decomposition_internal.h"
#include "faithful/metrics/calibration.h"

namespace faithful {

namespace {

using kernels::gram_of;
using kernels::inverse_factor;
using kernels::transposed_product;

std::size_t outputs_of(std::size_t classes) {
  return classes == 2 ? 1 : classes;
}

double target_of(std::int32_t label, std::size_t output, std::size_t outputs) {
  const auto wanted = static_cast<std::int32_t>(outputs == 1 ? 1 : output);
  return label == wanted ? 1.0 : -1.0;
}

// The problem in coordinates where every sample weighs the same and the offset is gone: rows and columns of the Gram
// matrix are centred by the weighted mean and multiplied by the root of their weights, and so are the targets.
struct Centred {
  std::vector<double> share;  // [n], of the weights
  std::vector<double> root;   // [n], of the weights
  std::vector<double> mean;   // [outputs], of the targets
  Matrix<double> targets;     // [n, outputs]
  Matrix<double> gram;        // [n, n]
};

constexpr double kRounding = 1e-7;

double mean_of_diagonal(const Matrix<double>& a) {
  double sum = 0;
  for (std::size_t i = 0; i < a.rows; ++i) sum += a(i, i);
  return sum / static_cast<double>(a.rows);
}

void centre_gram(const std::vector<double>& share, const std::vector<double>& root, Matrix<double>& gram) {
  const std::size_t n = gram.rows;
  std::vector<double> means(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) means[i] += gram(i, j) * share[j];
  const double all = std::inner_product(means.begin(), means.end(), share.begin(), 0.0);
  const double before = mean_of_diagonal(gram);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) gram(i, j) = root[i] * root[j] * (gram(i, j) - means[i] - means[j] + all);
  // Of features that do not vary only rounding is left.
  if (mean_of_diagonal(gram) <= kRounding * before) std::ranges::fill(gram.values, 0.0);
}

Centred centre(const Matrix<float>& x, std::span<const std::int32_t> labels, std::size_t outputs,
               const RidgeOptions& options, ThreadPool& pool) {
  const std::size_t n = x.rows;
  Centred made{std::vector<double>(n), std::vector<double>(n, 1.0), std::vector<double>(outputs), {n, outputs}, {}};
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = options.weights.empty() ? 1.0 : static_cast<double>(options.weights[i]);
    made.share[i] = weight;
    made.root[i] = std::sqrt(weight);
    total += weight;
  }
  for (double& share : made.share) share /= total;
  for (std::size_t k = 0; k < outputs; ++k) {
    for (std::size_t i = 0; i < n; ++i) made.mean[k] += made.share[i] * target_of(labels[i], k, outputs);
    for (std::size_t i = 0; i < n; ++i)
      made.targets(i, k) = made.root[i] * (target_of(labels[i], k, outputs) - made.mean[k]);
  }
  made.gram = gram_of(x, pool);
  centre_gram(made.share, made.root, made.gram);
  return made;
}

// The samples of each group.
std::vector<std::vector<std::size_t>> members_of(const RidgeOptions& options, std::size_t n) {
  std::map<std::uint32_t, std::vector<std::size_t>> by_group;
  for (std::size_t i = 0; i < n; ++i)
    by_group[options.groups.empty() ? static_cast<std::uint32_t>(i) : options.groups[i]].push_back(i);
  std::vector<std::vector<std::size_t>> members;
  for (auto& [group, samples] : by_group) members.push_back(std::move(samples));
  return members;
}

// The ridge with one penalty a. With A = K + a I of the centred Gram matrix K, the coefficients of the samples are
// A^-1 y and their residuals r = a A^-1 y. Leaving out a group g makes its residuals M^-1 r_g, where M is the block of
// a A^-1 - s s^T for g, and s_i = sqrt(share_i) stands for the offset, which is fitted anew, too.
struct Solution {
  Matrix<double> coefficients;  // [n, outputs]
  Matrix<float> held_out;       // [n, outputs]: residuals of what is left out, then its scores
};

// V y, then V^T of that: A^-1 y, where A^-1 = V^T V and V is a lower triangle.
Matrix<double> solve_with(const Matrix<double>& factor, const Matrix<double>& y) {
  const std::size_t n = y.rows, outputs = y.columns;
  Matrix<double> half(n, outputs), found(n, outputs);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      for (std::size_t k = 0; k < outputs; ++k) half(i, k) += factor(i, j) * y(j, k);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      for (std::size_t k = 0; k < outputs; ++k) found(j, k) += factor(i, j) * half(i, k);
  return found;
}

// M of a group; see Solution.
Matrix<double> left_out_block(const Matrix<double>& factor, double penalty, const std::vector<double>& share,
                              const std::vector<std::size_t>& members) {
  const std::size_t n = factor.rows, m = members.size();
  Matrix<double> block(m, m), columns(m, n);
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t i = members[a]; i < n; ++i) columns(a, i) = factor(i, members[a]);
  for (std::size_t a = 0; a < m; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      const std::span<const double> one = columns.row(a), other = columns.row(b);
      const double inverse = std::inner_product(one.begin(), one.end(), other.begin(), 0.0);
      block(a, b) = block(b, a) = penalty * inverse - std::sqrt(share[members[a]] * share[members[b]]);
    }
  }
  return block;
}

bool leave_out(const Centred& problem, const Matrix<double>& factor, double penalty,
               const std::vector<std::vector<std::size_t>>& groups, ThreadPool& pool, Solution& solution) {
  const std::size_t outputs = problem.targets.columns;
  std::vector<std::uint8_t> done(groups.size(), 0);
  pool.run(groups.size(), [&](std::size_t g) {
    const std::vector<std::size_t>& members = groups[g];
    const Matrix<double> inverse = inverse_factor(left_out_block(factor, penalty, problem.share, members), pool);
    if (inverse.rows == 0) return;
    done[g] = 1;
    Matrix<double> residuals(members.size(), outputs);
    for (std::size_t a = 0; a < members.size(); ++a)
      for (std::size_t k = 0; k < outputs; ++k) residuals(a, k) = penalty * solution.coefficients(members[a], k);
    const Matrix<double> found = solve_with(inverse, residuals);
    for (std::size_t a = 0; a < members.size(); ++a)
      for (std::size_t k = 0; k < outputs; ++k)
        solution.held_out(members[a], k) = static_cast<float>(found(a, k) / problem.root[members[a]]);
  });
  return std::ranges::all_of(done, [](std::uint8_t one) { return one == 1; });
}

void check_problem(const Matrix<float>& x, std::span<const std::int32_t> labels, std::size_t classes,
                   const RidgeOptions& options) {
  assert(x.rows == labels.size() && classes >= 2);
  assert(options.weights.empty() || options.weights.size() == labels.size());
  assert(options.groups.empty() || options.groups.size() == labels.size());
  if (x.rows < 2) reject({{"ridge"}, "at least 2 training samples", fmt::format("{}", x.rows)});
  for (const std::int32_t label : labels) {
    if (label < 0 || static_cast<std::size_t>(label) >= classes)
      reject({{"ridge"}, fmt::format("labels from 0 to {}", classes - 1), fmt::format("{}", label)});
  }
  if (std::ranges::any_of(options.penalties, [](double penalty) { return !(penalty > 0); }))
    reject({{.field = "penalties"}, "numbers above 0", "others"});
}

// The weights of the features from those of the samples, and the offset that belongs to them.
void finish(const Matrix<float>& x, const Centred& problem, const Matrix<double>& coefficients, ThreadPool& pool,
            RidgeFit& fit) {
  const std::size_t outputs = coefficients.columns;
  Matrix<float> of_samples(x.rows, outputs);
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t k = 0; k < outputs; ++k)
      of_samples(i, k) = static_cast<float>(problem.root[i] * coefficients(i, k));
  fit.weights = transposed_product(x, of_samples, pool);
  Matrix<float> share(x.rows, 1);
  for (std::size_t i = 0; i < x.rows; ++i) share(i, 0) = static_cast<float>(problem.share[i]);
  const Matrix<float> means = transposed_product(x, share, pool);
  for (std::size_t k = 0; k < outputs; ++k) {
    double offset = problem.mean[k];
    for (std::size_t f = 0; f < x.columns; ++f)
      offset -= static_cast<double>(means(f, 0)) * static_cast<double>(fit.weights(f, k));
    fit.offset.push_back(static_cast<float>(offset));
  }
}

}  // namespace

RidgeFit fit_ridge(const Matrix<float>& x, std::span<const std::int32_t> labels, std::size_t classes,
                   const RidgeOptions& options, ThreadPool& pool) {
  check_problem(x, labels, classes, options);
  const std::size_t n = x.rows, outputs = outputs_of(classes);
  const Centred problem = centre(x, labels, outputs, options, pool);
  const std::vector<std::vector<std::size_t>> groups = members_of(options, n);
  const double diagonal = mean_of_diagonal(problem.gram);
  RidgeFit fit{.log_loss = std::numeric_limits<double>::infinity()};
  Matrix<double> coefficients;  // of the best candidate
  for (const double candidate : options.penalties) {
    const double penalty = candidate * (diagonal > 0 ? diagonal : 1);
    Matrix<double> system = problem.gram;
    for (std::size_t i = 0; i < n; ++i) system(i, i) += penalty;
    const Matrix<double> factor = inverse_factor(std::move(system), pool);
    if (factor.rows == 0) continue;
    Solution solution{solve_with(factor, problem.targets), {n, outputs}};
    if (!leave_out(problem, factor, penalty, groups, pool, solution)) continue;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < outputs; ++k)
        solution.held_out(i, k) = static_cast<float>(target_of(labels[i], k, outputs) - solution.held_out(i, k));
    if (!std::ranges::all_of(solution.held_out.values, [](float score) { return std::isfinite(score); })) continue;
    const Temperature temperature = fit_temperature(solution.held_out, labels, classes, options.weights);
    if (!(temperature.log_loss < fit.log_loss)) continue;
    fit.penalty = candidate;
    fit.temperature = temperature.value;
    fit.log_loss = temperature.log_loss;
    fit.held_out = std::move(solution.held_out);
    coefficients = std::move(solution.coefficients);
  }
  if (fit.penalty == 0) reject({{"ridge"}, "finite features", "features that give no solution"});
  finish(x, problem, coefficients, pool, fit);
  return fit;
}

}  // namespace faithful
