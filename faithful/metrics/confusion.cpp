#include "faithful/metrics/confusion.h"

#include <algorithm>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/metrics/checks_internal.h"

namespace faithful {

namespace {

using metrics::check_classes;
using metrics::ratio;

void add_share(ClassScore& sum, const ClassScore& score, double share) {
  sum.precision += share * score.precision;
  sum.recall += share * score.recall;
  sum.f1 += share * score.f1;
}

}  // namespace

double Confusion::precision() const {
  return ratio(true_positive, true_positive + false_positive);
}
double Confusion::recall() const {
  return ratio(true_positive, positives());
}
double Confusion::f1() const {
  return ratio(2 * true_positive, 2 * true_positive + false_positive + false_negative);
}
double Confusion::accuracy() const {
  return ratio(true_positive + true_negative, total());
}
double Confusion::false_positive_rate() const {
  return ratio(false_positive, negatives());
}

Confusion& Confusion::operator+=(const Confusion& other) {
  true_positive += other.true_positive;
  false_positive += other.false_positive;
  false_negative += other.false_negative;
  true_negative += other.true_negative;
  return *this;
}

Confusion confusion(std::span<const std::uint8_t> truth, std::span<const std::uint8_t> flags,
                    std::span<const double> weights) {
  metrics::check_same_size("flags", flags.size(), "truth", truth.size());
  metrics::check_flags("truth", truth);
  metrics::check_flags("flags", flags);
  metrics::check_weights(weights, truth.size());
  Confusion counts;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    double& cell = truth[i] == 1 ? (flags[i] == 1 ? counts.true_positive : counts.false_negative)
                                 : (flags[i] == 1 ? counts.false_positive : counts.true_negative);
    cell += metrics::weight_of(weights, i);
  }
  return counts;
}

Confusion at_prevalence(const Confusion& confusion, double prevalence) {
  metrics::check_share("prevalence", prevalence);
  if (confusion.positives() == 0 || confusion.negatives() == 0) {
    reject({{"prevalence"}, "positives and negatives to reweight", "samples of one class"});
  }
  const double positive = prevalence * confusion.total() / confusion.positives();
  const double negative = (1 - prevalence) * confusion.total() / confusion.negatives();
  return {positive * confusion.true_positive, negative * confusion.false_positive, positive * confusion.false_negative,
          negative * confusion.true_negative};
}

std::vector<double> prevalence_weights(std::span<const std::uint8_t> truth, double prevalence) {
  const Confusion each = at_prevalence(confusion(truth, truth), prevalence);  // where all predictions are right
  const auto positives = static_cast<double>(std::count(truth.begin(), truth.end(), 1));
  const double negatives = static_cast<double>(truth.size()) - positives;
  std::vector<double> weights;
  weights.reserve(truth.size());
  for (const std::uint8_t label : truth) {
    weights.push_back(label == 1 ? each.true_positive / positives : each.true_negative / negatives);
  }
  return weights;
}

std::vector<std::uint8_t> flags_of(std::span<const std::int32_t> labels, std::int32_t positive) {
  std::vector<std::uint8_t> flags;
  flags.reserve(labels.size());
  for (const std::int32_t label : labels) flags.push_back(label == positive ? 1 : 0);
  return flags;
}

ClassReport class_report(std::span<const std::int32_t> truth, std::span<const std::int32_t> predicted,
                         std::size_t classes, std::span<const double> weights) {
  metrics::check_same_size("predicted", predicted.size(), "truth", truth.size());
  check_classes("truth", truth, classes);
  check_classes("predicted", predicted, classes);
  metrics::check_weights(weights, truth.size());
  ClassReport report{Matrix<double>(classes, classes), std::vector<ClassScore>(classes), {}, {}, 0};
  for (std::size_t i = 0; i < truth.size(); ++i) {
    report.confusion(static_cast<std::size_t>(truth[i]), static_cast<std::size_t>(predicted[i])) +=
        metrics::weight_of(weights, i);
  }
  std::vector<double> said(classes);  // weight of the samples predicted to be of the class
  double all = 0, right = 0, occur = 0;
  for (std::size_t k = 0; k < classes; ++k) {
    ClassScore& score = report.classes[k];
    for (std::size_t j = 0; j < classes; ++j) {
      score.support += report.confusion(k, j);
      said[k] += report.confusion(j, k);
    }
    const double hits = report.confusion(k, k);
    score.precision = ratio(hits, said[k]);
    score.recall = ratio(hits, score.support);
    score.f1 = ratio(2 * hits, said[k] + score.support);
    all += score.support;
    right += hits;
    occur += said[k] + score.support > 0 ? 1 : 0;
  }
  for (std::size_t k = 0; k < classes; ++k) {
    const ClassScore& score = report.classes[k];
    if (said[k] + score.support > 0) add_share(report.macro, score, 1 / occur);
    add_share(report.weighted, score, ratio(score.support, all));
  }
  report.macro.support = report.weighted.support = all;
  report.accuracy = ratio(right, all);
  return report;
}

}  // namespace faithful
