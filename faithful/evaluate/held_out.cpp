#include "faithful/evaluate/held_out.h"

#include <algorithm>
#include <cmath>

#include "faithful/evaluate/labelled_internal.h"
#include "faithful/evaluate/scores.h"
#include "faithful/metrics/conformal.h"

namespace faithful {

void keep_calibration(TrainedModel& model, const Matrix<float>& held_out_probabilities,
                      std::span<const std::int32_t> labels) {
  const evaluate::LabelledRows rows = evaluate::labelled_rows(held_out_probabilities, labels);
  const auto finite = [](float p) { return std::isfinite(p); };
  if (rows.labels.empty() || !std::ranges::all_of(rows.probabilities.values, finite)) return;
  const Scores scores = score_predictions(rows.probabilities, rows.labels, {.threshold = model.threshold});
  model.record.set("held_out", to_json(scores));
  if (!model.takes_whole_series()) return;
  model.conformal = {.scores = conformal_scores(rows.probabilities, rows.labels), .count = rows.labels.size()};
}

}  // namespace faithful
