#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/io/json.h"
#include "faithful/metrics/confusion.h"
#include "faithful/metrics/events.h"
#include "faithful/window/windows.h"

namespace faithful {

// All measures of one set of predictions.
struct Scores {
  std::size_t windows = 0;  // that have a label
  ClassReport report = {};  // confusion, accuracy, macro and weighted F1, each class

  // Of the probabilities (faithful/metrics/calibration.h); none without windows, or where one is not a finite number.
  std::optional<double> log_loss = {};   // mean of -log p(label), p at least 1e-7
  std::optional<double> brier = {};      // mean of the squared error, summed over the classes: 0 to 2
  std::optional<double> ece = {};        // expected calibration error of the most probable class, 15 bins
  std::optional<double> ece_floor = {};  // that of a perfectly calibrated model by chance, if windows are independent

  // Two classes only: class 1 (anomalous) against class 0.
  std::optional<Confusion> binary = {};                 // precision, recall, F1 at the threshold
  std::optional<double> auc_pr = {};                    // none without windows of class 1
  std::optional<double> auc_roc = {};                   // none without windows of both classes
  std::optional<EventScores> events = {};               // of timelines with point labels; delays in samples
  std::optional<EventScores> all_positive_events = {};  // the same where every window is flagged

  // The one number of a table: F1 of class 1, or accuracy for more than two classes.
  double headline() const { return binary ? binary->f1() : report.accuracy; }
};

struct ScoreOptions {
  double threshold = 0.5;  // two classes: class 1 where P(class 1) >= threshold
  bool events = true;      // event scores if points have labels; false for windows drawn at random, which have no order
  double prevalence = 0;   // two classes: reweights precision, F1 and AUC-PR to this share of class 1; 0: does not
};

// probabilities [n, K], of these windows in their order; windows without a label do not count.
FAITHFUL_API Scores score_predictions(const Matrix<float>& probabilities, const Windows& windows,
                                      const ScoreOptions& options);

// The same from labels [n] alone; kNoLabel does not count.
FAITHFUL_API Scores score_predictions(const Matrix<float>& probabilities, std::span<const std::int32_t> labels,
                                      const ScoreOptions& options);

// {windows, accuracy, macro_f1, weighted_f1, log_loss, brier, ece, ece_floor, confusion, and for two classes precision, recall, f1, auc_pr, auc_roc,
// events: {events, detected, false_alarms, precision, recall, f1, mean_delay, median_delay, all_positive_f1}}
// Measures that need a positive window, or an event, are null where there is none.
FAITHFUL_API Json to_json(const Scores& scores);

// Uninterrupted stretches of windows, by their numbers: windows of one series without gaps between them.
FAITHFUL_API std::vector<Range> stretches_of(const Windows& windows);

// Which group each window belongs to: a run of the same label in an uninterrupted stretch. [n], rising from 0
FAITHFUL_API std::vector<std::size_t> stretch_numbers(const Windows& windows);

// An event is a run of windows labelled 1. A prediction is available at the last sample of its window. So a delay is
// the number of samples from the end of the first window that touches the event to the end of the first flagged window.
FAITHFUL_API EventScores window_event_scores(const Windows& windows, std::span<const std::uint8_t> flags);

}  // namespace faithful
