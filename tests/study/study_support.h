#pragma once

// Small studies for tests.

#include <cmath>
#include <string>
#include <vector>

#include "faithful/base/random.h"
#include "faithful/study/statistics.h"
#include "faithful/study/study.h"

namespace faithful::testing {

// A finished run with this F1, as if 100 windows had trained and `test` were tested.
inline StudyRun made_run(const Arm& arm, std::uint64_t seed, double f1, std::size_t test = 25) {
  StudyRun run;
  run.key = to_string(arm) + std::to_string(seed);
  run.settings = "0123456789abcdef";
  run.data = "made";
  run.split = "blocked";
  run.arm = arm;
  run.seed = seed;
  run.rate = 0.001;
  run.windows = {100, 20, test};
  run.scores.add("f1", f1);
  run.scores.add("auc_pr", f1);
  return run;
}

// Two noisy timelines; in anomalous stretches the second channel follows the first with the wrong sign.
inline Dataset made_dataset() {
  Dataset dataset{.name = "pump", .channels = {"a", "b"}, .classes = {"normal", "anomalous"}};
  for (std::size_t number = 0; number < 2; ++number) {
    Random random(5, number);
    Series series{.name = "line " + std::to_string(number), .values = Matrix<float>(900, 2)};
    double walk = 0;
    for (std::size_t t = 0; t < 900; ++t) {
      walk += 0.1 * random.normal();
      const bool anomalous = t % 150 >= 100 && t % 150 < 130;
      series.values(t, 0) = static_cast<float>(walk);
      series.values(t, 1) = static_cast<float>((anomalous ? -walk : walk) + 0.05 * random.normal());
      series.labels.push_back(anomalous ? 1 : 0);
    }
    dataset.series.push_back(std::move(series));
  }
  return dataset;
}

inline StudyOptions made_options() {
  StudyOptions options;
  options.fit.model = preset("plain");
  options.fit.model.body.width = 16;
  options.fit.model.body.heads = 2;
  options.fit.model.body.layers = 1;
  options.fit.split.window = {.length = 16, .stride = 8};
  options.fit.train.epochs = 2;
  options.fit.train.batch = 16;
  options.arms = make_arms({"none", "sinusoidal", "dft"}, {"as-defined"});
  options.seeds = 2;
  options.rates = {1e-3, 3e-3};
  options.gap = {.train = 32, .test = 4};
  return options;
}

// As text, without what may differ.
inline std::string text_of(std::vector<StudyRun> runs) {
  std::string text;
  for (StudyRun& run : runs) {
    run.seconds = 0;
    run.program.clear();
    text += dump_json(to_json(run)) + "\n";
  }
  return text;
}

}  // namespace faithful::testing
