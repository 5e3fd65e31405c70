#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"

// How often a classifier is right. Throughout this room: truth and flags of two classes are bytes, 1 positive
// (anomalous) and 0 negative; classes are numbers from 0; weights may be empty (each sample counts once), else there is
// one for each sample, from 0. Spans of different lengths, other labels and numbers that are not finite are an
// InputError. A ratio with denominator 0 is 0, as in scikit-learn.

namespace faithful {

// The four counts of a binary prediction (sums of weights where samples have weights), and what follows from them.
struct FAITHFUL_API Confusion {
  double true_positive = 0, false_positive = 0, false_negative = 0, true_negative = 0;

  double positives() const { return true_positive + false_negative; }  // truly
  double negatives() const { return false_positive + true_negative; }  // truly
  double total() const { return positives() + negatives(); }
  double precision() const;            // TP / (TP + FP)
  double recall() const;               // TP / (TP + FN)
  double f1() const;                   // 2 TP / (2 TP + FP + FN)
  double accuracy() const;             // (TP + TN) / all
  double false_positive_rate() const;  // FP / (FP + TN)

  Confusion& operator+=(const Confusion& other);
  bool operator==(const Confusion&) const = default;
};

// truth, flags, weights: [n]
FAITHFUL_API Confusion confusion(std::span<const std::uint8_t> truth, std::span<const std::uint8_t> flags,
                                 std::span<const double> weights = {});

// The confusion, of the same total, if a share `prevalence` (between 0 and 1) of the samples were positive: recall and
// false positive rate stay, precision becomes p R / (p R + (1 - p) FPR). InputError if there are no positives or no
// negatives.
FAITHFUL_API Confusion at_prevalence(const Confusion& confusion, double prevalence);

// The weights, of sum n, under which a share `prevalence` of the samples is positive; the same for every positive and
// for every negative. With them every function of this room gives what it would give at that prevalence. [n]
FAITHFUL_API std::vector<double> prevalence_weights(std::span<const std::uint8_t> truth, double prevalence);

// Labels as truth or flags: 1 where a label is `positive`. [n]
FAITHFUL_API std::vector<std::uint8_t> flags_of(std::span<const std::int32_t> labels, std::int32_t positive = 1);

// One class against the others, or a mean over classes.
struct ClassScore {
  double precision = 0, recall = 0, f1 = 0;
  double support = 0;  // weight of the samples that are truly of the class, or of all
};

struct ClassReport {
  Matrix<double> confusion;         // [K, K], truth x predicted
  std::vector<ClassScore> classes;  // [K]
  ClassScore macro;                 // mean over the classes that occur, in truth or predicted
  ClassScore weighted;              // mean over classes, weighted with their support
  double accuracy = 0;
};

// truth, predicted: [n], of 0 .. classes-1
FAITHFUL_API ClassReport class_report(std::span<const std::int32_t> truth, std::span<const std::int32_t> predicted,
                                      std::size_t classes, std::span<const double> weights = {});

}  // namespace faithful
