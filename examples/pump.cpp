// From a CSV file to a diagnosis. Make the file first: awk -f examples/pump.awk > pump.csv
#include <cstdio>

#include "faithful/faithful.h"

int main() {
  faithful::ThreadPool pool;
  faithful::Dataset pump = faithful::load_dataset("pump.csv", {.label = "hot"});
  faithful::FitOptions options = faithful::default_fit_options(pump);
  options.split.window = {.length = 30, .stride = 10};
  const faithful::TrainedModel model = faithful::fit_classifier(pump, options, pool);
  faithful::save_model("pump.safetensors", model);

  const faithful::Windows held_out = faithful::windows_to_evaluate(pump, model, true);
  for (const auto& measure : faithful::evaluate_model(model, held_out, {}, pool).measures)
    std::printf("%s %.3f (%.3f to %.3f)\n", measure.name.c_str(), measure.found.value, measure.found.interval.low,
                measure.found.interval.high);
  const faithful::DiagnosisReport report = faithful::diagnose(model, pump, {.held_out = true}, pool);
  std::printf("%s\n", faithful::advice(report, 0).c_str());
}
