#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "faithful/base/api.h"
#include "faithful/base/matrix.h"
#include "faithful/train/options.h"

namespace faithful {

inline constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();  // a number that there is none of

// What one epoch did. Validation numbers are absent (NaN) where nothing validates.
struct EpochRecord {
  double loss = kAbsent;             // mean over the training windows, weighted by class, dropout on
  double rate = kAbsent;             // of its last step
  double gradient_norm = kAbsent;    // mean over its steps, before clipping
  double validation_loss = kAbsent;  // mean over the validation windows, weighted by class
  double f1 = kAbsent;               // two classes: of class 1 at the best threshold; more: macro
  double auc_pr = kAbsent;           // two classes: area under the precision-recall curve
  double accuracy = kAbsent;         // of the most probable class
  double threshold = kAbsent;        // two classes: that of the best F1
  double seconds = kAbsent;          // with validation

  // By which the best epoch is chosen, larger is better: see TrainOptions::select.
  double value(Selection select) const;
};

// Calls visit(name, field) for every field, in the order of files.
template <class Record, class Visit>
void visit_epoch_fields(Record& record, Visit&& visit) {
  visit("loss", record.loss);
  visit("rate", record.rate);
  visit("gradient_norm", record.gradient_norm);
  visit("validation_loss", record.validation_loss);
  visit("f1", record.f1);
  visit("auc_pr", record.auc_pr);
  visit("accuracy", record.accuracy);
  visit("threshold", record.threshold);
  visit("seconds", record.seconds);
}

// Where the time went, in seconds; a resumed run has those of its first parts too.
struct TrainSeconds {
  double data = 0;              // cutting batches from the series, scaling
  double forward_backward = 0;  // loss and gradients
  double update = 0;            // norm, clipping, AdamW
  double validation = 0;
  double checkpoints = 0;

  double all() const { return data + forward_backward + update + validation + checkpoints; }
};

// What is known about a training while it runs and afterwards.
struct TrainRecord {
  std::vector<EpochRecord> history = {};             // of every epoch that is complete
  std::size_t best_epoch = 0;                        // from 1; 0: nothing validates
  Matrix<float> validation_scores = {};              // [epochs, n]: P(class 1) of each validation window after each
                                                     // epoch; empty unless TrainControl::keep_scores
  std::vector<std::int32_t> validation_labels = {};  // [n], likewise
  TrainSeconds seconds = {};
};

// The mean of the same epoch (from 0) of several trainings, field by field, over those that have it.
FAITHFUL_API EpochRecord mean_epoch(std::span<const TrainRecord> records, std::size_t epoch);

// Is epoch b better than epoch a by the validation value? Of equal ones, the one with the smaller loss is.
FAITHFUL_API bool is_better(const EpochRecord& b, const EpochRecord& a, Selection select);

}  // namespace faithful
