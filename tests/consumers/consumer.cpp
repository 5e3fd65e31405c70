// A stranger's program: sees libfaithful as it is installed, with one include. It goes from a CSV file to a diagnosis.
#include <cstdio>

#include "faithful/faithful.h"

int main(int, char** arguments) {
  using namespace faithful;
  try {
    Dataset pump = load_dataset(arguments[1], {.label = "hot"});
    ThreadPool pool;
    FitOptions options = default_fit_options(pump);
    options.split.window = {.length = 30, .stride = 10};
    save_model("pump.safetensors", fit_classifier(pump, options, pool));

    const TrainedModel model = load_model("pump.safetensors");
    const Windows held_out = windows_to_evaluate(pump, model, true);
    for (const Measure& measure : evaluate_model(model, held_out, {}, pool).measures)
      std::printf("%-10s %.3f (%.3f to %.3f)\n", measure.name.c_str(), measure.found.value, measure.found.interval.low,
                  measure.found.interval.high);

    const Predictions found = predict(model, pump, pool);
    const DiagnosisReport report = diagnose(model, pump, {.held_out = true}, pool);
    std::printf("%zu windows, %zu alarms\n%s\n", found.windows.size(), report.alarms, advice(report, 0).c_str());
    load_dataset("missing.csv");
  } catch (const InputError& error) {  // the type must cross the library's border
    std::printf("faithful %s: %s\n", build_info().version.c_str(), error.what());
    return 0;
  }
  return 1;
}
