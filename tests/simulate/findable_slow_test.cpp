// Faults must be findable, but not trivially: a linear model on the means of the channels must not find them.

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "faithful/simulate/elevator.h"

namespace faithful {
namespace {

constexpr double kShare = 0.03;  // of anomalous trips, as in the data set that people train on

// The mean of every channel and a one, for the intercept.
std::vector<double> channel_means(const Series& trip) {
  std::vector<double> means(trip.values.columns + 1, 1.0);
  for (std::size_t c = 0; c < trip.values.columns; ++c) {
    double sum = 0;
    for (std::size_t t = 0; t < trip.length(); ++t) sum += trip.values(t, c);
    means[c] = sum / static_cast<double>(trip.length());
  }
  return means;
}

// Solves a x = b for a positive definite a [n, n], by Cholesky.
std::vector<double> solve(Matrix<double> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= a(i, k) * a(j, k);
      a(i, j) = i == j ? std::sqrt(sum) : sum / a(j, j);
    }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= a(i, k) * b[k];
    b[i] /= a(i, i);
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a(k, i) * b[k];
    b[i] /= a(i, i);
  }
  return b;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Logistic regression by Newton's method, with a slight ridge.
std::vector<double> fit_logistic(const std::vector<std::vector<double>>& x, const std::vector<int>& y) {
  const std::size_t n = x[0].size();
  std::vector<double> w(n, 0.0);
  for (int round = 0; round < 25; ++round) {
    Matrix<double> curvature(n, n);
    std::vector<double> slope(n, 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double p = 1 / (1 + std::exp(-dot(w, x[i])));
      for (std::size_t a = 0; a < n; ++a) {
        slope[a] += (y[i] - p) * x[i][a];
        for (std::size_t b = 0; b <= a; ++b) curvature(a, b) += p * (1 - p) * x[i][a] * x[i][b];
      }
    }
    for (std::size_t a = 0; a < n; ++a) slope[a] -= 1e-3 * w[a], curvature(a, a) += 1e-3;
    const std::vector<double> step = solve(curvature, slope);
    for (std::size_t a = 0; a < n; ++a) w[a] += step[a];
  }
  return w;
}

// The best F1 over all thresholds, precision reweighted to a share of kShare anomalous trips.
double best_f1(std::vector<std::pair<double, int>> scored) {
  std::sort(scored.rbegin(), scored.rend());
  double positives = 0, negatives = 0, best = 0, hits = 0, alarms = 0;
  for (const auto& [score, label] : scored) (label == 1 ? positives : negatives) += 1;
  for (const auto& [score, label] : scored) {
    (label == 1 ? hits : alarms) += 1;
    const double recall = hits / positives;
    const double precision = kShare * recall / (kShare * recall + (1 - kShare) * alarms / negatives);
    best = std::max(best, 2 * precision * recall / (precision + recall));
  }
  return best;
}

void standardise(std::vector<std::vector<double>>& x, const std::vector<std::vector<double>>& like) {
  for (std::size_t c = 0; c + 1 < like[0].size(); ++c) {
    double mean = 0, square = 0;
    for (const auto& row : like) mean += row[c], square += row[c] * row[c];
    mean /= static_cast<double>(like.size());
    const double deviation = std::sqrt(std::max(1e-18, square / static_cast<double>(like.size()) - mean * mean));
    for (auto& row : x) row[c] = (row[c] - mean) / deviation;
  }
}

TEST(Findable, NotByALinearModelOnChannelMeans) {
  ThreadPool pool;
  ElevatorOptions options;
  options.trips = 500;
  options.anomalies = 50;  // generous to the model: half of what it learns from are faults
  options.test_trips = 500;
  options.samples = 800;
  const Dataset dataset = make_elevator(options, pool);
  std::vector<std::vector<double>> train, test;
  std::vector<int> train_labels, test_labels;
  for (const Series& trip : dataset.series) {
    const bool is_test = trip.part == DataPart::kTest;
    (is_test ? test : train).push_back(channel_means(trip));
    (is_test ? test_labels : train_labels).push_back(trip.label);
  }
  const auto raw = train;
  standardise(train, raw);
  standardise(test, raw);
  const std::vector<double> weights = fit_logistic(train, train_labels);
  std::vector<std::pair<double, int>> scored;
  for (std::size_t i = 0; i < test.size(); ++i) scored.emplace_back(dot(weights, test[i]), test_labels[i]);
  const double f1 = best_f1(scored);  // even with the threshold chosen on the test part itself
  RecordProperty("linear_f1", std::to_string(f1));
  std::printf("linear model on channel means: best F1 %.3f at %.0f %% anomalies\n", f1, 100 * kShare);
  EXPECT_LT(f1, 0.6);
}

}  // namespace
}  // namespace faithful
