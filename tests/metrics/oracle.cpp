// Lets test_oracle.py put cases to this room: a line in is a question and its numbers, a line out the answers.

#include <cmath>
#include <iostream>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "faithful/metrics/calibration.h"
#include "faithful/metrics/confusion.h"
#include "faithful/metrics/paired.h"
#include "faithful/metrics/ranking.h"

namespace faithful {
namespace {

class Case {
 public:
  explicit Case(const std::string& line) : in_(line) { in_ >> question_; }

  const std::string& question() const { return question_; }
  template <class T>
  T one() {
    double value = NAN;
    in_ >> value;
    return static_cast<T>(value);
  }
  template <class T>
  std::vector<T> many(std::size_t n) {
    std::vector<T> values(n);
    for (T& value : values) value = one<T>();
    return values;
  }

 private:
  std::istringstream in_;
  std::string question_;
};

using Answers = std::vector<double>;

Answers binary(Case& in) {
  const auto n = in.one<std::size_t>();
  const auto truth = in.many<std::uint8_t>(n), flags = in.many<std::uint8_t>(n);
  const Confusion c = confusion(truth, flags, in.many<double>(n));
  return {c.true_negative, c.false_positive, c.false_negative, c.true_positive,
          c.precision(),   c.recall(),       c.f1(),           c.accuracy()};
}

void add(Answers& answers, const ClassScore& score) {
  answers.insert(answers.end(), {score.precision, score.recall, score.f1});
}

Answers classes(Case& in) {
  const auto count = in.one<std::size_t>(), n = in.one<std::size_t>();
  const auto truth = in.many<std::int32_t>(n), predicted = in.many<std::int32_t>(n);
  const ClassReport report = class_report(truth, predicted, count, in.many<double>(n));
  Answers answers = {report.accuracy};
  add(answers, report.macro);
  add(answers, report.weighted);
  for (const ClassScore& score : report.classes) add(answers, score);
  answers.insert(answers.end(), report.confusion.values.begin(), report.confusion.values.end());
  return answers;
}

RankedScores ranked(Case& in, std::vector<double>& weights) {
  const auto n = in.one<std::size_t>();
  const auto scores = in.many<double>(n);
  const auto truth = in.many<std::uint8_t>(n);
  weights = in.many<double>(n);
  return {scores, truth};
}

Answers ranking(Case& in) {
  std::vector<double> weights;
  const RankedScores scores = ranked(in, weights);
  const Threshold best = scores.best_f1(weights).value_or(Threshold{NAN, NAN});
  return {scores.average_precision(weights).value_or(NAN), scores.auc_roc(weights).value_or(NAN), best.value, best.f1};
}

Answers pr_curve(Case& in) {
  std::vector<double> weights;
  const RankedScores scores = ranked(in, weights);
  Answers answers;
  for (const PrPoint& p : scores.pr_curve(weights)) {
    answers.insert(answers.end(), {p.threshold, p.precision, p.recall});
  }
  return answers;
}

Answers roc_curve(Case& in) {
  std::vector<double> weights;
  const RankedScores scores = ranked(in, weights);
  Answers answers;
  for (const RocPoint& p : scores.roc_curve(weights)) {
    answers.insert(answers.end(), {p.threshold, p.false_positive_rate, p.true_positive_rate});
  }
  return answers;
}

Answers estimate(Case& in) {
  const auto level = in.one<double>(), ratio = in.one<double>();
  const auto differences = in.many<double>(in.one<std::size_t>());
  const MeanEstimate e = ratio > 0 ? resampled_t(differences, ratio, level) : paired_t(differences, level);
  return {e.t, e.p, e.interval.low, e.interval.high, e.summary.mean, e.summary.deviation};
}

Answers wilcoxon(Case& in) {
  const TestResult result = wilcoxon_test(in.many<double>(in.one<std::size_t>()));
  return {result.statistic, result.p, result.exact ? 1.0 : 0.0};
}

Answers sign_flip(Case& in) {
  const TestResult result = sign_flip_test(in.many<double>(in.one<std::size_t>()));
  return {result.statistic, result.p};
}

Answers student(Case& in) {
  const auto t = in.one<double>(), share = in.one<double>(), freedom = in.one<double>();
  return {student_cdf(t, freedom), student_quantile(share, freedom)};
}

Answers summary(Case& in) {
  const auto share = in.one<double>();
  const auto values = in.many<double>(in.one<std::size_t>());
  Answers answers = {quantile(values, share)};
  for (const double rank : ranks(values)) answers.push_back(rank);
  return answers;
}

Matrix<float> rows(Case& in, std::size_t n, std::size_t columns) {
  return {n, columns, in.many<float>(n * columns)};
}

Answers calibration(Case& in) {
  const auto count = in.one<std::size_t>(), n = in.one<std::size_t>();
  const Matrix<float> probabilities = rows(in, n, count);
  const auto labels = in.many<std::int32_t>(n);
  const auto weights = in.many<double>(n);
  const CalibrationError error = calibration_error(probabilities, labels);
  Answers answers = {mean_loss(log_losses(probabilities, labels), weights),
                     mean_loss(brier_scores(probabilities, labels), weights), error.value, error.floor};
  for (const ReliabilityBin& bin : reliability_bins(probabilities, labels))
    answers.insert(answers.end(), {static_cast<double>(bin.count), bin.confidence, bin.right});
  return answers;
}

Answers temperature(Case& in) {
  const auto count = in.one<std::size_t>(), outputs = in.one<std::size_t>(), n = in.one<std::size_t>();
  const Matrix<float> logits = rows(in, n, outputs);
  const auto labels = in.many<std::int32_t>(n);
  const Temperature found = fit_temperature(logits, labels, count, in.many<float>(n));
  return {std::log(found.value), found.log_loss};
}

Answers answer(Case& in) {
  const std::string& question = in.question();
  if (question == "binary") return binary(in);
  if (question == "classes") return classes(in);
  if (question == "ranking") return ranking(in);
  if (question == "pr_curve") return pr_curve(in);
  if (question == "roc_curve") return roc_curve(in);
  if (question == "estimate") return estimate(in);
  if (question == "wilcoxon") return wilcoxon(in);
  if (question == "sign_flip") return sign_flip(in);
  if (question == "student") return student(in);
  if (question == "summary") return summary(in);
  if (question == "calibration") return calibration(in);
  if (question == "temperature") return temperature(in);
  throw std::invalid_argument("no question " + question);
}

}  // namespace
}  // namespace faithful

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    faithful::Case in(line);
    std::cout << fmt::format("{}\n", fmt::join(faithful::answer(in), " "));
  }
}
