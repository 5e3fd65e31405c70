#include "app/verbs.h"

namespace faithful::app {

Command make_program() {
  return {
      .name = "faithful",
      .summary = "time-series Transformers and their positional encodings",
      .description =
          "Trains Transformers that classify time series, for example sensor logs with labelled faults. A trained "
          "model is one file: it scores new windows, shows which sensor raised an alarm and when, and is evaluated "
          "with confidence intervals. For research, faithful builds positional encodings, measures them, and "
          "compares them in paired experiments.",
      .examples = {{"faithful data info pump.csv --time time --label broken", "check a table of sensor readings"},
                   {"faithful train pump.csv --time time --label broken -o pump.safetensors", "train a model on it"},
                   {"faithful predict pump.safetensors today.csv --time time", "score new readings"},
                   {"faithful analyze sinusoidal dft --length 80 --dim 256 -o report",
                    "measure and compare two encodings"}},
      .verbs = {data_verb(), train_verb(), evaluate_verb(), predict_verb(), diagnose_verb(), show_verb(), list_verb(),
                encode_verb(), decode_verb(), analyze_verb(), choose_verb(), compare_verb(), reproduce_verb(),
                demo_verb()}};
}

}  // namespace faithful::app
