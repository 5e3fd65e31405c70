#include "faithful/kernels/ridge.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "faithful/base/random.h"
#include "faithful/kernels/decomposition_internal.h"
#include "faithful/metrics/calibration.h"
#include "tests/support.h"

namespace faithful {
namespace {

struct Problem {
  Matrix<float> x;
  std::vector<std::int32_t> labels;
  std::vector<float> weights;
  std::size_t classes;
};

Problem random_problem(std::size_t n, std::size_t p, std::size_t classes, bool weighted, std::uint64_t seed = 1) {
  Problem made{Matrix<float>(n, p), std::vector<std::int32_t>(n), {}, classes};
  Random random(seed);
  for (std::size_t i = 0; i < n; ++i) {
    made.labels[i] = static_cast<std::int32_t>(i % classes);
    for (std::size_t f = 0; f < p; ++f)
      made.x(i, f) = static_cast<float>(random.normal() + 3 + (f % classes == i % classes ? 0.5 : 0.0));
    if (weighted) made.weights.push_back(static_cast<float>(random.uniform(0.5, 2)));
  }
  return made;
}

std::size_t outputs_of(const Problem& problem) {
  return problem.classes == 2 ? 1 : problem.classes;
}

double target(const Problem& problem, std::size_t i, std::size_t k) {
  return problem.labels[i] == static_cast<std::int32_t>(problem.classes == 2 ? 1 : k) ? 1 : -1;
}

double weight_of(const Problem& problem, std::size_t i) {
  return problem.weights.empty() ? 1 : static_cast<double>(problem.weights[i]);
}

// Gauss with pivots; A [n, n], B [n, m] -> A^-1 B.
Matrix<double> solve(Matrix<double> a, Matrix<double> b) {
  const std::size_t n = a.rows;
  for (std::size_t j = 0; j < n; ++j) {
    std::size_t pivot = j;
    for (std::size_t i = j; i < n; ++i)
      if (std::abs(a(i, j)) > std::abs(a(pivot, j))) pivot = i;
    for (std::size_t k = 0; k < n; ++k) std::swap(a(j, k), a(pivot, k));
    for (std::size_t k = 0; k < b.columns; ++k) std::swap(b(j, k), b(pivot, k));
    for (std::size_t i = 0; i < n; ++i) {
      if (i == j) continue;
      const double factor = a(i, j) / a(j, j);
      for (std::size_t k = 0; k < n; ++k) a(i, k) -= factor * a(j, k);
      for (std::size_t k = 0; k < b.columns; ++k) b(i, k) -= factor * b(j, k);
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < b.columns; ++k) b(i, k) /= a(i, i);
  return b;
}

// The normal equations of weights and offset, without the samples of `without`: [p + 1, outputs].
Matrix<double> direct(const Problem& problem, double penalty, const std::vector<std::size_t>& without = {}) {
  const std::size_t p = problem.x.columns;
  Matrix<double> a(p + 1, p + 1), b(p + 1, outputs_of(problem));
  for (std::size_t i = 0; i < problem.x.rows; ++i) {
    if (std::ranges::find(without, i) != without.end()) continue;
    const auto feature = [&](std::size_t f) { return f == p ? 1.0 : static_cast<double>(problem.x(i, f)); };
    for (std::size_t f = 0; f <= p; ++f) {
      for (std::size_t g = 0; g <= p; ++g) a(f, g) += weight_of(problem, i) * feature(f) * feature(g);
      for (std::size_t k = 0; k < b.columns; ++k) b(f, k) += weight_of(problem, i) * feature(f) * target(problem, i, k);
    }
  }
  for (std::size_t f = 0; f < p; ++f) a(f, f) += penalty;
  return solve(a, b);
}

double score(const Problem& problem, const Matrix<double>& fit, std::size_t i, std::size_t k) {
  const std::size_t p = problem.x.columns;
  double sum = fit(p, k);
  for (std::size_t f = 0; f < p; ++f) sum += fit(f, k) * static_cast<double>(problem.x(i, f));
  return sum;
}

// The candidate as a penalty: times the mean of the diagonal of the weighted, centred Gram matrix.
double absolute_penalty(const Problem& problem, double candidate) {
  const std::size_t n = problem.x.rows, p = problem.x.columns;
  double total = 0, sum = 0;
  for (std::size_t i = 0; i < n; ++i) total += weight_of(problem, i);
  for (std::size_t f = 0; f < p; ++f) {
    double mean = 0;
    for (std::size_t i = 0; i < n; ++i) mean += weight_of(problem, i) * static_cast<double>(problem.x(i, f)) / total;
    for (std::size_t i = 0; i < n; ++i)
      sum += weight_of(problem, i) * std::pow(static_cast<double>(problem.x(i, f)) - mean, 2);
  }
  return candidate * sum / static_cast<double>(n);
}

void expect_as_solved_directly(const Problem& problem, const std::vector<std::uint32_t>& groups = {}) {
  ThreadPool pool(2);
  for (const double candidate : {0.01, 1.0}) {
    const RidgeFit fit = fit_ridge(problem.x, problem.labels, problem.classes,
                                   {.penalties = {candidate}, .weights = problem.weights, .groups = groups}, pool);
    const double penalty = absolute_penalty(problem, candidate);
    const Matrix<double> wanted = direct(problem, penalty);
    ASSERT_EQ(fit.offset.size(), outputs_of(problem));
    for (std::size_t k = 0; k < fit.offset.size(); ++k) {
      EXPECT_NEAR(static_cast<double>(fit.offset[k]), wanted(problem.x.columns, k), 1e-3);
      for (std::size_t f = 0; f < problem.x.columns; ++f)
        EXPECT_NEAR(static_cast<double>(fit.weights(f, k)), wanted(f, k), 1e-4) << f;
    }
    for (std::size_t i = 0; i < problem.x.rows; ++i) {
      std::vector<std::size_t> without = {i};
      if (!groups.empty()) {
        without.clear();
        for (std::size_t j = 0; j < groups.size(); ++j)
          if (groups[j] == groups[i]) without.push_back(j);
      }
      const Matrix<double> other = direct(problem, penalty, without);
      for (std::size_t k = 0; k < fit.offset.size(); ++k)
        EXPECT_NEAR(static_cast<double>(fit.held_out(i, k)), score(problem, other, i, k), 2e-3) << i << " " << k;
    }
  }
}

TEST(Ridge, FewerSamplesThanFeatures) {
  expect_as_solved_directly(random_problem(12, 30, 2, false));
  expect_as_solved_directly(random_problem(13, 30, 3, true));
}

TEST(Ridge, MoreSamplesThanFeatures) {
  expect_as_solved_directly(random_problem(40, 5, 3, false));
  expect_as_solved_directly(random_problem(41, 5, 2, true));
}

TEST(Ridge, GroupsAreLeftOutTogether) {
  std::vector<std::uint32_t> groups(24);
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = static_cast<std::uint32_t>(i < 7 ? 9 : i / 5);
  expect_as_solved_directly(random_problem(24, 8, 3, true), groups);
  expect_as_solved_directly(random_problem(24, 40, 2, false), groups);
}

TEST(Ridge, TakesTheCandidateOfLeastHeldOutLogLoss) {
  ThreadPool pool(2);
  const Problem problem = random_problem(60, 90, 3, false);
  const std::vector<double> candidates = {1e-3, 0.1, 10};
  const RidgeFit all = fit_ridge(problem.x, problem.labels, 3, {.penalties = candidates}, pool);
  double least = 1e9, chosen = 0;
  for (const double candidate : candidates) {
    const RidgeFit one = fit_ridge(problem.x, problem.labels, 3, {.penalties = {candidate}}, pool);
    EXPECT_EQ(one.log_loss, fit_temperature(one.held_out, problem.labels, 3).log_loss);
    if (one.log_loss < least) chosen = candidate;
    least = std::min(least, one.log_loss);
  }
  EXPECT_EQ(all.penalty, chosen);
  EXPECT_EQ(all.log_loss, least);
}

TEST(Ridge, SameBitsOnAnyThreads) {
  ThreadPool one(1), three(3);
  const Problem problem = random_problem(250, 1'400, 4, true);  // several blocks and depths
  const RidgeFit a = fit_ridge(problem.x, problem.labels, 4, {.penalties = {0.1}, .weights = problem.weights}, one);
  const RidgeFit b = fit_ridge(problem.x, problem.labels, 4, {.penalties = {0.1}, .weights = problem.weights}, three);
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.offset, b.offset);
  EXPECT_EQ(a.held_out, b.held_out);
}

TEST(Ridge, ConstantFeaturesAndOneClass) {
  ThreadPool pool(1);
  const std::vector<std::int32_t> labels = {0, 1, 0, 1};
  const RidgeFit constant = fit_ridge(Matrix<float>(4, 3, 7.0F), labels, 2, {}, pool);
  EXPECT_NEAR(constant.offset[0], 0, 1e-5);
  for (const float weight : constant.weights.values) EXPECT_NEAR(weight, 0, 1e-5);
  for (std::size_t i = 0; i < 4; ++i)  // the mean of the other three
    EXPECT_NEAR(constant.held_out(i, 0), labels[i] == 1 ? -1.0 / 3 : 1.0 / 3, 1e-5);
  const Problem problem = random_problem(6, 4, 2, false);
  const RidgeFit same = fit_ridge(problem.x, std::vector<std::int32_t>(6, 1), 2, {}, pool);
  EXPECT_NEAR(same.held_out(3, 0), 1, 1e-5);
}

TEST(Ridge, Messages) {
  ThreadPool pool(1);
  const std::vector<std::int32_t> one = {0}, bad = {0, 2};
  EXPECT_EQ(testing::rejection([&] { fit_ridge(Matrix<float>(1, 1), one, 2, {}, pool); }),
            "ridge: expected at least 2 training samples, found 1");
  EXPECT_EQ(testing::rejection([&] { fit_ridge(Matrix<float>(2, 1), bad, 2, {}, pool); }),
            "ridge: expected labels from 0 to 1, found 2");
}

TEST(Decomposition, InverseOfManyBlocks) {
  ThreadPool pool(2);
  for (const std::size_t n : {1, 2, 95, 96, 97, 211}) {
    const Problem problem = random_problem(n, n + 3, 2, false);
    Matrix<double> a = kernels::gram_of(problem.x, pool);
    for (std::size_t i = 0; i < n; ++i) {
      a(i, i) += 1;
      for (std::size_t j = 0; j < n; ++j) {
        double wanted = i == j ? 1 : 0;
        for (std::size_t f = 0; f < n + 3; ++f)
          wanted += static_cast<double>(problem.x(i, f)) * static_cast<double>(problem.x(j, f));
        ASSERT_NEAR(a(i, j), wanted, 1e-5 * std::max(1.0, wanted));
      }
    }
    const Matrix<double> v = kernels::inverse_factor(a, pool);
    ASSERT_EQ(v.rows, n);
    for (std::size_t i = 0; i < n; i += 17) {  // V^T V a = 1
      for (std::size_t j = 0; j < n; j += 13) {
        double sum = 0;
        for (std::size_t k = 0; k < n; ++k) {
          double half = 0;
          for (std::size_t l = 0; l <= k; ++l) half += v(k, l) * a(l, j);
          sum += v(k, i) * half;
        }
        ASSERT_NEAR(sum, i == j ? 1 : 0, 1e-8) << n;
      }
    }
  }
}

TEST(Decomposition, SaysWhereThereIsNone) {
  ThreadPool pool(1);
  EXPECT_EQ(kernels::inverse_factor(Matrix<double>(2, 2, {1, 2, 2, 1}), pool).rows, 0U);
  EXPECT_EQ(kernels::inverse_factor(Matrix<double>(1, 1, std::vector<double>(1, NAN)), pool).rows, 0U);
}

}  // namespace
}  // namespace faithful
