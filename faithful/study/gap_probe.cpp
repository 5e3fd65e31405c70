#include "faithful/study/gap_probe.h"

#include <algorithm>
#include <cassert>

#include "faithful/base/random.h"
#include "faithful/metrics/decide.h"

namespace faithful {

namespace {

constexpr float kEvent = 3;

// One window: two events at this distance, at a random place.
Series make_window(const GapProbeOptions& options, std::size_t distance, bool a_first, Random& random) {
  Series series{.name = std::to_string(distance), .values = Matrix<float>(options.length, 2)};
  for (float& value : series.values.values) value = static_cast<float>(options.noise * random.normal());
  const std::size_t first = random.below(options.length - distance);
  series.values(first, a_first ? 0 : 1) += kEvent;
  series.values(first + distance, a_first ? 1 : 0) += kEvent;
  series.label = a_first ? 1 : 0;
  return series;
}

}  // namespace

Dataset make_gap_data(const GapProbeOptions& options) {
  Dataset dataset{.name = "gap probe", .channels = {"A", "B"}, .classes = {"B first", "A first"}};
  const auto add = [&](DataPart part, std::size_t count, const char* stream) {
    Random random(options.seed, stream_of(stream));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t distance = options.distances[i / 2 % options.distances.size()];
      assert(distance < options.length);
      dataset.series.push_back(make_window(options, distance, i % 2 == 1, random));
      dataset.series.back().part = part;
    }
  };
  add(DataPart::kTrain, options.train, "study.gap.train");
  add(DataPart::kTest, options.test * options.distances.size(), "study.gap.test");
  return dataset;
}

FitOptions gap_fit_options(const Arm& arm, std::uint64_t seed) {
  FitOptions options;
  options.model = with_arm(preset("plain"), arm);
  options.model.body.width = 96;
  options.model.body.layers = 1;
  options.model.body.dropout = 0;
  options.split.kind = SplitKind::kGiven;
  options.split.window = {.length = 0};
  options.split.seed = seed;
  options.scaler = ScalerKind::kNone;
  options.scaling = Scaling::kCommon;
  options.threshold = {.kind = ThresholdKind::kBestF1};
  options.train = {.epochs = 12, .learning_rate = 1e-3, .seed = arm.again ? seed + kAgainSeeds : seed};
  options.cross_validate = false;
  options.baselines = false;
  return options;
}

std::vector<double> gap_accuracies(const FitResult& fit, const GapProbeOptions& options) {
  std::vector<double> right(options.distances.size()), all(options.distances.size());
  const std::vector<std::int32_t> answers = decide(fit.test_probabilities, fit.model.threshold);
  const Windows& test = fit.sets.test;
  for (std::size_t i = 0; i < test.size(); ++i) {
    const std::string& name = test.dataset().series[test[i].series].name;
    for (std::size_t k = 0; k < options.distances.size(); ++k) {
      if (name != std::to_string(options.distances[k])) continue;
      all[k] += 1;
      right[k] += answers[i] == test[i].label ? 1 : 0;
    }
  }
  for (std::size_t k = 0; k < right.size(); ++k) right[k] /= all[k];
  return right;
}

}  // namespace faithful
