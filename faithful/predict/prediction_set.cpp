#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "faithful/base/error.h"
#include "faithful/metrics/conformal.h"
#include "faithful/predict/predict.h"

namespace faithful {

SetLimit choose_set_limit(const TrainedModel& model, double coverage) {
  if (!(coverage > 0 && coverage < 1))
    reject({{.field = "coverage"}, "a number between 0 and 1", fmt::format("{}", coverage)});
  if (!model.takes_whole_series())
    reject({{.field = "coverage"},
            "a model of whole series",
            "one of windows",
            "windows of a timeline overlap, so no coverage can be promised for them"});
  if (!model.conformal)
    reject({{.field = "coverage"},
            "a model that keeps held-out scores",
            "none",
            fmt::format("models of whole series keep them where a part of the data validates, as with {}",
                        field_text("folds", "5"))});
  const ConformalScores& known = *model.conformal;
  if (const std::optional<float> limit = conformal_limit(known.scores, known.count, coverage)) return {*limit, ""};
  return {1, fmt::format("every set has all classes: {} held-out series promise a coverage of at most {:.3g}",
                         known.count, static_cast<double>(known.count) / static_cast<double>(known.count + 1))};
}

std::vector<std::int32_t> prediction_set(std::span<const float> probabilities, const SetLimit& limit) {
  std::vector<std::int32_t> classes(probabilities.size());
  std::iota(classes.begin(), classes.end(), 0);
  std::ranges::stable_sort(classes, std::ranges::greater{},
                           [&](std::int32_t k) { return probabilities[static_cast<std::size_t>(k)]; });
  const auto beyond = [&](std::int32_t k) { return 1 - probabilities[static_cast<std::size_t>(k)] > limit.value; };
  classes.erase(std::find_if(classes.begin() + 1, classes.end(), beyond), classes.end());
  return classes;
}

}  // namespace faithful
